#include "domain/breach_range.hpp"

#include "core/hex.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <charconv>

namespace auth_mfa {

namespace {

constexpr std::size_t suffix_size = 35;

constexpr bool is_hex(char c)
{
    return core::hex::value(c) >= 0;
}

/// The count of a line; nullopt if the line has another form.
std::optional<std::uint64_t> count_of(std::string_view line)
{
    if (line.size() <= suffix_size || line[suffix_size] != ':' ||
        !std::ranges::all_of(line.substr(0, suffix_size), is_hex))
        return std::nullopt;
    line.remove_prefix(suffix_size + 1);
    std::uint64_t count = 0;
    auto const [end, error] = std::from_chars(line.data(), line.data() + line.size(), count);
    if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
    return count;
}

} // namespace

std::optional<std::uint64_t> count_in_range(std::string_view body, std::string_view suffix)
{
    bool is_well_formed = true;
    while (!body.empty()) {
        auto const end = std::min(body.find('\n'), body.size());
        auto const line = core::trim(body.substr(0, end));
        body.remove_prefix(std::min(end + 1, body.size()));
        if (line.empty()) continue;
        auto const count = count_of(line);
        if (!count)
            is_well_formed = false;
        else if (core::equal_ignoring_case(line.substr(0, suffix_size), suffix))
            return count;
    }
    return is_well_formed ? std::optional<std::uint64_t>(0) : std::nullopt;
}

} // namespace auth_mfa
