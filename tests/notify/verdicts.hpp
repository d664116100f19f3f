#pragma once

#include "domain/send_result.hpp"

#include <array>
#include <string_view>

namespace notify {

/// Names of verdicts, for comparisons and messages in tests.
constexpr std::string_view to_string(Verdict v) noexcept
{
    constexpr std::array<std::string_view, 7> names{
        "accepted", "gone", "refused", "credential", "throttled", "transient", "unknown"};
    return names[static_cast<std::size_t>(v)];
}

} // namespace notify
