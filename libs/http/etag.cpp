#include "http/etag.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>

namespace http {

namespace {

constexpr std::string_view blanks = " \t";

void skip_blanks(std::string_view& text) noexcept
{
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

/// Removes one entity tag from the front and returns it; empty if there is none.
std::string_view take_tag(std::string_view& text) noexcept
{
    std::size_t const open = text.starts_with("W/") ? 2 : 0;
    if (text.size() <= open || text[open] != '"') return {};
    std::size_t const close = text.find('"', open + 1);
    if (close == std::string_view::npos) return {};
    std::string_view const tag = text.substr(0, close + 1);
    text.remove_prefix(close + 1);
    return tag;
}

/// Comparison of tags (RFC 9110, 8.8.3.2). `version` is the strong one, without the counters of the tags.
enum class Comparison : std::uint8_t { version, weak };

/// The tag without its closing quote and its counters.
std::string_view version_of(std::string_view tag) noexcept
{
    if (tag.ends_with('"')) tag.remove_suffix(1);
    return tag.substr(0, tag.rfind(counters_mark));
}

bool are_same(std::string_view a, std::string_view b, Comparison comparison) noexcept
{
    if (comparison == Comparison::version) return version_of(a) == version_of(b) && !a.starts_with("W/");
    auto const opaque = [](std::string_view tag) { return tag.substr(tag.starts_with("W/") ? 2 : 0); };
    return opaque(a) == opaque(b);
}

/// Whether `list`, a list of tags or `*`, matches `current`.
bool names(std::string_view list, std::string_view current, Comparison comparison) noexcept
{
    skip_blanks(list);
    std::string_view const whole = list.substr(0, list.find_last_not_of(blanks) + 1);
    if (whole == "*") return true;
    while (!list.empty()) {
        if (list.front() == ',') { // empty list elements are allowed (RFC 9110, 5.6.1.2)
            list.remove_prefix(1);
            skip_blanks(list);
            continue;
        }
        std::string_view const tag = take_tag(list);
        skip_blanks(list);
        if (tag.empty() || (!list.empty() && list.front() != ',')) return false;
        if (are_same(tag, current, comparison)) return true;
    }
    return false;
}

} // namespace

std::string etag(std::string_view opaque)
{
    std::string tag;
    tag.reserve(opaque.size() + 2);
    tag += '"';
    tag += opaque;
    tag += '"';
    return tag;
}

std::string etag(std::int64_t version)
{
    return etag(std::string_view(std::to_string(version)));
}

bool is_not_modified(http::Request const& request, std::string_view current) noexcept
{
    return std::ranges::any_of(request.headers, [&](Header const& header) {
        return core::equal_ignoring_case(header.name, "If-None-Match") &&
               names(header.value, current, Comparison::weak);
    });
}

void check_if_match(http::Request const& request, std::string_view current)
{
    bool asked = false;
    for (auto const& header : request.headers) {
        if (!core::equal_ignoring_case(header.name, "If-Match")) continue;
        if (names(header.value, current, Comparison::version)) return;
        asked = true;
    }
    if (asked)
        throw core::Error(core::codes::precondition_failed,
            "The object has changed: its ETag does not match If-Match. "
            "Read the object again, then repeat the change.");
}

void check_if_match(http::Request const& request, std::int64_t version)
{
    check_if_match(request, std::string_view(etag(version)));
}

} // namespace http
