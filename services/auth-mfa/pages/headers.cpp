#include "pages/headers.hpp"

#include <algorithm>

namespace auth_mfa::pages {

namespace {

constexpr std::string_view policy_before = "default-src 'none'; script-src 'self'; style-src 'self'; "
                                           "connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
                                           "form-action 'self'";
constexpr std::string_view policy_after = "; frame-ancestors 'none'; require-trusted-types-for 'script'; "
                                          "trusted-types 'none'";
constexpr std::string_view letters_and_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool has_only(std::string_view text, std::string_view others)
{
    return std::ranges::all_of(text, [&](char c) {
        return letters_and_digits.find(c) != std::string_view::npos ||
               others.find(c) != std::string_view::npos;
    });
}

std::string policy_of(std::string_view leads_to)
{
    std::string policy(policy_before);
    if (auto const source = form_source_of(leads_to); !source.empty()) policy.append(" ").append(source);
    return policy.append(policy_after);
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
    return http::Response{
        .status = status, .body = std::move(html), .content_type = "text/html; charset=utf-8"}
        .header("Cache-Control", "no-store")
        .header("Content-Security-Policy", policy_of(leads_to))
        .header("Referrer-Policy", "strict-origin")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("Cross-Origin-Resource-Policy", "same-origin")
        .header("X-Frame-Options", "DENY");
}

http::Response redirect_to(std::string_view uri)
{
    return http::Response{.status = 303, .content_type = ""}
        .header("Location", uri)
        .header("Cache-Control", "no-store");
}

} // namespace auth_mfa::pages
