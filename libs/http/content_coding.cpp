#include "http/content_coding.hpp"

#include "core/text.hpp"

#include <algorithm>

namespace http {

namespace {

/// Removes the part of `text` up to and including the first `separator`. Returns this part, trimmed and
/// without the separator.
std::string_view take(std::string_view& text, char separator) noexcept
{
    auto const end = std::min(text.find(separator), text.size());
    auto const part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return core::trim(part);
}

/// Whether the weight is zero: `q=0`, `Q=0.000`.
bool refuses(std::string_view weight) noexcept
{
    return weight.size() > 2 && core::equal_ignoring_case(weight.substr(0, 2), "q=") &&
           weight.find_first_not_of("0.", 2) == std::string_view::npos;
}

} // namespace

bool accepts_gzip(Request const& request) noexcept
{
    auto const header = request.header("Accept-Encoding");
    std::string_view accepted(header ? *header : "");
    bool others = false;
    while (!accepted.empty()) {
        auto element = take(accepted, ',');
        auto const coding = take(element, ';');
        if (core::equal_ignoring_case(coding, "gzip")) return !refuses(core::trim(element));
        if (coding == "*") others = !refuses(core::trim(element));
    }
    return others;
}

} // namespace http
