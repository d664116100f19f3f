#include "http/range.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

namespace http {

namespace {

/// The number; the largest number for one that is too large; nullopt if the text is not digits.
std::optional<std::uint64_t> parse_position(std::string_view digits) noexcept
{
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    std::uint64_t number = 0;
    auto const error = std::from_chars(digits.data(), digits.data() + digits.size(), number).ec;
    return error == std::errc{} ? number : std::numeric_limits<std::uint64_t>::max();
}

/// The only element of a list of ranges; nullopt if the list has several elements or none. Lists may have
/// empty elements (RFC 9110, 5.6.1.2).
std::optional<std::string_view> only_element(std::string_view list) noexcept
{
    std::optional<std::string_view> found;
    while (!list.empty()) {
        auto const end = std::min(list.find(','), list.size());
        auto const element = core::trim(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
        if (element.empty()) continue;
        if (found) return std::nullopt;
        found = element;
    }
    return found;
}

/// The only range of the only `Range` field: `0-499`, `500-` or `-500`; nullopt if there is none.
std::optional<std::string_view> only_range(Request const& request) noexcept
{
    constexpr std::string_view unit = "bytes";
    std::optional<std::string_view> field;
    for (Header const& header : request.headers) {
        if (!core::equal_ignoring_case(header.name, "Range")) continue;
        if (field) return std::nullopt;
        field = header.value;
    }
    if (!field) return std::nullopt;
    auto const equals = field->find('=');
    if (equals == std::string_view::npos || !core::equal_ignoring_case(field->substr(0, equals), unit))
        return std::nullopt;
    return only_element(field->substr(equals + 1));
}

core::Error not_satisfiable(std::uint64_t size)
{
    std::string const total = std::to_string(size);
    return core::Error(range_not_satisfiable,
        "The range has no byte of the file, which has " + total + " bytes. Request another range.")
        .header("Content-Range", "bytes */" + total);
}

/// The last `count` bytes.
std::optional<ByteRange> suffix(std::optional<std::uint64_t> count, std::uint64_t size)
{
    if (!count || size == 0) return std::nullopt;
    if (*count == 0) throw not_satisfiable(size);
    std::uint64_t const length = std::min(*count, size);
    return ByteRange{size - length, length};
}

} // namespace

std::optional<ByteRange> requested_range(Request const& request, std::uint64_t size, std::string_view current)
{
    if (request.method_text != "GET") return std::nullopt;
    auto const range = only_range(request);
    if (!range) return std::nullopt;
    if (auto const condition = request.header("If-Range"); condition && core::trim(*condition) != current)
        return std::nullopt;

    auto const dash = range->find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    auto const before = range->substr(0, dash);
    auto const after = range->substr(dash + 1);
    if (before.empty()) return suffix(parse_position(after), size);
    auto const first = parse_position(before);
    auto const last = after.empty() ? std::numeric_limits<std::uint64_t>::max() : parse_position(after);
    if (!first || !last || *last < *first) return std::nullopt;
    if (*first >= size) throw not_satisfiable(size);
    return ByteRange{*first, std::min(*last, size - 1) - *first + 1};
}

std::string content_range(ByteRange range, std::uint64_t size)
{
    return "bytes " + std::to_string(range.first) + '-' + std::to_string(range.first + range.length - 1) +
           '/' + std::to_string(size);
}

} // namespace http
