#include "api/enroll_page.hpp"

#include "config.hpp"
#include "core/text.hpp"
#include "domain/settings.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa {

extern std::string_view const enroll_html, enroll_css, enroll_js; // the files of pages/

namespace {

constexpr char const* content_security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

http::Response part(std::string_view text, std::string_view type)
{
    return http::Response{.body = std::string(text), .content_type = type}
        .header("Cache-Control", "no-cache")
        .header("X-Content-Type-Options", "nosniff");
}

} // namespace

std::string render_page(std::string_view page, std::string_view brand, std::string_view provider)
{
    constexpr std::string_view open = "{{", close = "}}";
    std::string out;
    out.reserve(page.size() + 256);
    for (auto at = page.find(open); at != std::string_view::npos; at = page.find(open)) {
        out += page.substr(0, at);
        auto const end = page.find(close, at);
        core::append_html_escaped(
            out, page.substr(at + open.size(), end - at - open.size()) == "brand" ? brand : provider);
        page.remove_prefix(end + close.size());
    }
    return out += page;
}

asio::awaitable<http::Response> get_enroll_page(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    std::string const brand = brand_of(*tenant, req.scope().environment());
    co_return part(
        render_page(enroll_html, brand, deps.config.sms_brand_provider), "text/html; charset=utf-8")
        .header("Content-Security-Policy", content_security_policy)
        .header("Referrer-Policy", "no-referrer")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("X-Frame-Options", "DENY");
}

asio::awaitable<http::Response> get_enroll_style(http::Request const& /*req*/, Deps& /*deps*/)
{
    co_return part(enroll_css, "text/css; charset=utf-8");
}

asio::awaitable<http::Response> get_enroll_script(http::Request const& /*req*/, Deps& /*deps*/)
{
    co_return part(enroll_js, "text/javascript; charset=utf-8");
}

} // namespace auth_mfa
