#pragma once

#include "core/fields.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string_view>

/// Reads one input and checks the properties of the result. The fuzzing engine calls it, or `replay.cpp` with
/// every file of the corpus.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace fuzz {

/// Ends the process unless `holds`, in every build. The engine then keeps the input.
inline void require(bool holds, std::source_location where = std::source_location::current())
{
    if (holds) return;
    std::fprintf(
        stderr, "%s:%u: a property does not hold\n", where.file_name(), static_cast<unsigned>(where.line()));
    std::abort();
}

/// The guarantees of a request's texts: UTF-8 without U+0000.
inline bool is_text(std::string_view text)
{
    return core::is_utf8(text) && text.find('\0') == std::string_view::npos;
}

/// An input with several parts, one after the other. Parts are text, so that files of the corpus are
/// readable.
class Input {
public:
    Input(std::uint8_t const* data, std::size_t size) noexcept
        : rest_(reinterpret_cast<char const*>(data), size)
    {
    }

    /// Removes and returns the text up to the next `mark`, or the rest.
    std::string_view until(char mark) noexcept
    {
        auto const end = rest_.find(mark);
        auto const taken = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
        return taken;
    }

    std::string_view line() noexcept { return until('\n'); }

    /// A number below `count`, chosen by the next character. 0 when none is left.
    std::size_t choice(std::size_t count) noexcept
    {
        if (rest_.empty()) return 0;
        auto const chosen = static_cast<unsigned char>(rest_.front()) % count;
        rest_.remove_prefix(1);
        return chosen;
    }

    bool empty() const noexcept { return rest_.empty(); }

    std::string_view rest() const noexcept { return rest_; }

private:
    std::string_view rest_;
};

} // namespace fuzz
