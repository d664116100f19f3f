#include "pages/headers.hpp"

#include "hosted_pages/response.hpp"

#include <algorithm>

namespace auth_mfa::pages {

namespace {

constexpr std::string_view letters_and_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool has_only(std::string_view text, std::string_view others)
{
    return std::ranges::all_of(text, [&](char c) {
        return letters_and_digits.find(c) != std::string_view::npos ||
               others.find(c) != std::string_view::npos;
    });
}

} // namespace

std::string form_source_of(std::string_view uri)
{
    auto const scheme = uri.substr(0, uri.find(':'));
    if (scheme.empty() || scheme.size() == uri.size() || !has_only(scheme, "+-.")) return {};
    constexpr std::string_view mark = "://";
    bool const is_web =
        (scheme == "https" || scheme == "http") && uri.substr(scheme.size()).starts_with(mark);
    auto host = uri.substr(std::min(scheme.size() + mark.size(), uri.size()));
    host = host.substr(0, host.find_first_of("/?#"));
    if (!is_web || host.starts_with('[')) return std::string(scheme) + ':';
    if (host.empty() || !has_only(host, ".-:")) return {};
    return std::string(scheme).append(mark).append(host);
}

http::Response html_response(std::string html, unsigned status, std::string_view leads_to)
{
    auto const form = form_source_of(leads_to);
    return hosted_pages::html_response(std::move(html), status, "no-store", {.form = form});
}

http::Response redirect_to(std::string_view uri)
{
    return http::Response{.status = 303, .content_type = ""}
        .header("Location", uri)
        .header("Cache-Control", "no-store");
}

} // namespace auth_mfa::pages
