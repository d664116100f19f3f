#include "pages/headers.hpp"

namespace auth_mfa::pages {

namespace {

constexpr char const* content_security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

} // namespace

http::Response html_response(std::string html, unsigned status)
{
    return http::Response{
        .status = status, .body = std::move(html), .content_type = "text/html; charset=utf-8"}
        .header("Cache-Control", "no-store")
        .header("Content-Security-Policy", content_security_policy)
        .header("Referrer-Policy", "strict-origin")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("Cross-Origin-Resource-Policy", "same-origin")
        .header("X-Frame-Options", "DENY");
}

} // namespace auth_mfa::pages
