#pragma once

#include "support/eventually.hpp"
#include "support/memory.hpp"

#include <catch2/catch.hpp>

#include <chrono>

namespace testing {

/// Checks that the program used at most `limit` more bytes during the burst than before, and that it released
/// them afterwards.
inline void check_memory(Program const& program, Burst const& burst, std::size_t limit)
{
    WARN("resident: " << burst.before / mebibyte << " MiB before, at most " << burst.most / mebibyte
                      << " MiB");
    if (!resident_size_tells) return;
    CHECK(burst.most <= burst.before + limit);
    CHECK(eventually(
        [&] { return resident(program) <= burst.before + 16 * mebibyte; }, std::chrono::minutes(1)));
}

} // namespace testing
