#include "http/etag.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <strings.h>

namespace http {

namespace {

constexpr std::string_view blanks = " \t";

void skip_blanks(std::string_view& text) noexcept
{
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

/// Takes one entity tag off the front; empty when there is none.
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

bool is_if_match(std::string_view name) noexcept
{
    constexpr std::string_view wanted = "if-match";
    return name.size() == wanted.size() && strncasecmp(name.data(), wanted.data(), wanted.size()) == 0;
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

bool matches(std::string_view if_match, std::string_view current) noexcept
{
    skip_blanks(if_match);
    std::string_view const whole = if_match.substr(0, if_match.find_last_not_of(blanks) + 1);
    if (whole == "*") return true;
    while (!if_match.empty()) {
        if (if_match.front() == ',') { // empty list elements are allowed (RFC 9110, 5.6.1.2)
            if_match.remove_prefix(1);
            skip_blanks(if_match);
            continue;
        }
        std::string_view const tag = take_tag(if_match);
        skip_blanks(if_match);
        if (tag.empty() || (!if_match.empty() && if_match.front() != ',')) return false;
        if (tag == current && !tag.starts_with("W/")) return true;
    }
    return false;
}

void check_if_match(http::Request const& request, std::string_view current)
{
    bool asked = false;
    for (auto const& header : request.headers) {
        if (!is_if_match(header.name)) continue;
        if (matches(header.value, current)) return;
        asked = true;
    }
    if (asked)
        throw core::Error(
            core::codes::precondition_failed, "The object has changed: its ETag is not the one given.");
}

void check_if_match(http::Request const& request, std::int64_t version)
{
    check_if_match(request, std::string_view(etag(version)));
}

} // namespace http
