#include "config.hpp"

#include "auth/token_claims.hpp"

#include <algorithm>
#include <string_view>

namespace feedback {

namespace {

/// The port of a URL with its colon, such as `:8102` of `http://127.0.0.1:8102/path`; empty if it has none.
std::string port_in(std::string_view url)
{
    auto authority = url.substr(std::min(url.find("://") + 3, url.size()));
    authority = authority.substr(0, authority.find('/'));
    auto const colon = authority.rfind(':');
    return colon == std::string_view::npos ? std::string() : std::string(authority.substr(colon));
}

/// The URL of the tenants' auth hosts, if it is not configured. A local auth-mfa is usually reached at the
/// port of JWKS_URL, which is 8102 by default.
std::string default_sign_in_url(service::TokenIssuer const& issuer)
{
    if (!auth::token::is_local(issuer.host)) return "https://{tenant}." + issuer.host;
    bool const has_port = issuer.host.find(':') != std::string::npos;
    auto const port = issuer.jwks_url.empty() ? std::string(":8102") : port_in(issuer.jwks_url);
    return "http://{tenant}." + issuer.host + (has_port ? std::string() : port);
}

std::optional<auth::TenantUrlPattern> read_sign_in_url(
    core::Config& config, service::TokenIssuer const& issuer)
{
    auto const text = config.text("BOARD_SIGN_IN_URL", "",
        "URL of the tenants' auth hosts, where users of boards sign in: https://{tenant}.auth.example.com; "
        "by default, made from JWT_ISSUER_HOST");
    auto url = auth::TenantUrlPattern::parse(text.empty() ? default_sign_in_url(issuer) : text);
    if (!url || (!text.empty() && !url->is_origin()))
        config.fault("BOARD_SIGN_IN_URL",
            "must be an http or https URL without a path whose host begins with `{tenant}.`, in lower case");
    return url;
}

} // namespace

Config Config::read(core::Config& config)
{
    Config c;
    c.issuer = service::TokenIssuer::read(config);
    c.blobs = blobs::Options::read(config);
    c.mail = mail::Options::read(config, "Tetrad Feedback <feedback@feedback.localhost>");
    c.requests_of_network = config.integer("BOARD_REQUESTS_PER_MINUTE", 600, 0, 100'000,
        "requests to one tenant's board that anonymous callers of one network (/24, /48) may send within a "
        "minute; 0: no limit");
    c.sign_in_url = read_sign_in_url(config, c.issuer);
    return c;
}

} // namespace feedback
