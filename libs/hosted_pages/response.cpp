#include "hosted_pages/response.hpp"

#include "core/hex.hpp"
#include "crypto/hash.hpp"

namespace hosted_pages {

namespace {

constexpr std::size_t version_length = 12;

std::string policy_of(Sources const& more)
{
    std::string policy("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    if (!more.connect.empty()) policy.append(" ").append(more.connect);
    policy += "; img-src 'self' data:; base-uri 'none'; form-action 'self'";
    if (!more.form.empty()) policy.append(" ").append(more.form);
    return policy += "; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
}

} // namespace

http::Response html_response(
    std::string html, unsigned status, std::string_view cache_control, Sources const& more)
{
    return http::Response{
        .status = status, .body = std::move(html), .content_type = "text/html; charset=utf-8"}
        .header("Cache-Control", cache_control)
        .header("Content-Security-Policy", policy_of(more))
        .header("Referrer-Policy", "strict-origin")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("Cross-Origin-Resource-Policy", "same-origin")
        .header("X-Frame-Options", "DENY");
}

std::string version_of(std::initializer_list<std::string_view> files)
{
    std::string all;
    for (auto const file : files)
        all += file;
    return core::hex::encode(crypto::view(crypto::sha256(all))).substr(0, version_length);
}

http::Response cached_asset(http::Response response, bool is_versioned)
{
    return std::move(response).header(
        "Cache-Control", is_versioned ? "public, max-age=31536000, immutable" : "no-cache");
}

} // namespace hosted_pages
