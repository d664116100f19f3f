#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string_view>

/// Reads one input and asserts what has to hold of it. The fuzzing engine calls it, or `replay.cpp` with
/// every file of the corpus.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace fuzz {

/// Ends the process unless `holds`, in every build: the engine keeps the input that did it.
inline void require(bool holds, std::source_location where = std::source_location::current())
{
    if (holds) return;
    std::fprintf(
        stderr, "%s:%u: what has to hold does not\n", where.file_name(), static_cast<unsigned>(where.line()));
    std::abort();
}

/// An input that says several things, one after the other, each readable in a file of the corpus.
class Input {
public:
    Input(std::uint8_t const* data, std::size_t size) noexcept
        : rest_(reinterpret_cast<char const*>(data), size)
    {
    }

    /// Up to the next `mark`, or all that is left.
    std::string_view until(char mark) noexcept
    {
        auto const end = rest_.find(mark);
        auto const taken = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
        return taken;
    }

    std::string_view line() noexcept { return until('\n'); }

    /// One of `count` possibilities, by the next character.
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
