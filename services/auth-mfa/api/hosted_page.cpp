#include "api/hosted_page.hpp"

namespace auth_mfa {

namespace {

constexpr char const* content_security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

} // namespace

http::Response hosted_page(TextTemplate const& page, TemplateValues const& values)
{
    return http::Response{.body = page.render_html(values), .content_type = "text/html; charset=utf-8"}
        .header("Cache-Control", "no-store")
        .header("X-Content-Type-Options", "nosniff")
        .header("Content-Security-Policy", content_security_policy)
        .header("Referrer-Policy", "no-referrer")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("X-Frame-Options", "DENY");
}

http::Response hosted_file(std::string_view text, std::string_view type)
{
    return http::Response{.content_type = type, .fixed_body = text}
        .header("Cache-Control", "no-cache")
        .header("X-Content-Type-Options", "nosniff");
}

} // namespace auth_mfa
