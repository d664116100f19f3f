#include "providers/identity_claims.hpp"

#include "auth/token_claims.hpp"
#include "core/fields.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>

namespace auth_mfa {

namespace json = boost::json;

namespace {

constexpr std::size_t max_subject = 255;
constexpr double max_numeric_date = 253'402'300'799.0; // the end of the year 9999

/// The string claim `name`; empty when it is absent or not a string.
std::string_view text_of(json::object const& claims, std::string_view name)
{
    auto const* value = claims.if_contains(name);
    auto const* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string_view() : std::string_view(*text);
}

/// The NumericDate claim `name` (RFC 7519, section 2); nullopt when it is absent or not a valid time.
std::optional<core::Time> time_of(json::object const& claims, std::string_view name)
{
    auto const* value = claims.if_contains(name);
    if (value == nullptr || !value->is_number()) return std::nullopt;
    double const seconds = value->to_number<double>();
    if (!(seconds >= 0.0 && seconds <= max_numeric_date)) return std::nullopt;
    return core::Time(std::chrono::seconds(static_cast<std::int64_t>(std::floor(seconds))));
}

/// Whether `aud` names the client. With several audiences, or with an `azp` claim, `azp` must name the client
/// too (OpenID Connect Core, 3.1.3.7).
bool is_for(json::object const& claims, std::string_view audience)
{
    auto const* aud = claims.if_contains("aud");
    auto const* list = aud == nullptr ? nullptr : aud->if_array();
    bool const named = list == nullptr ? text_of(claims, "aud") == audience
                                       : std::ranges::find(*list, json::value(audience)) != list->end();
    bool const others = list != nullptr && list->size() > 1;
    if (claims.contains("azp") || others) return named && text_of(claims, "azp") == audience;
    return named;
}

bool is_timely(json::object const& claims, core::Time now)
{
    using auth::token::skew;
    auto const expires = time_of(claims, "exp");
    auto const issued = time_of(claims, "iat");
    if (!expires || !issued || now >= *expires + skew || *issued > now + skew) return false;
    auto const from = time_of(claims, "nbf");
    return !claims.contains("nbf") || (from && *from <= now + skew);
}

/// Whether this is an id token, not an access token of the provider (RFC 9068, 2.1).
bool is_id_token(crypto::Jws const& jws)
{
    return !jws.header.contains("typ") || text_of(jws.header, "typ") == "JWT";
}

IdentityProvider const* provider_of(json::object const& claims, std::span<IdentityProvider const> providers)
{
    auto const it = std::ranges::find_if(providers, [&](IdentityProvider const& p) {
        return p.issuer.size() <= IdentityProvider::max_issuer && text_of(claims, "iss") == p.issuer &&
               is_for(claims, p.audience);
    });
    return it == providers.end() ? nullptr : &*it;
}

/// The email, unless it is malformed or the provider says that it is not verified.
std::optional<std::string> email_of(json::object const& claims)
{
    std::string_view const email = text_of(claims, "email");
    auto const* verified = claims.if_contains("email_verified");
    bool const denied =
        verified != nullptr && *verified != json::value(true) && *verified != json::value("true");
    if (denied || !core::is_email(email)) return std::nullopt;
    return std::string(email);
}

/// Whether `text` can be stored and compared as a subject.
bool is_subject(std::string_view text)
{
    return !text.empty() && text.size() <= max_subject && text.find('\0') == std::string_view::npos &&
           core::is_utf8(text);
}

} // namespace

std::optional<ClaimedIdentity> read_identity(
    crypto::Jws const& jws, std::span<IdentityProvider const> providers, core::Time now)
{
    if (jws.kid().empty() || !is_id_token(jws)) return std::nullopt;
    auto const& claims = jws.payload;
    auto const* const provider = provider_of(claims, providers);
    std::string_view const subject = text_of(claims, "sub");
    if (provider == nullptr || !is_subject(subject) || !is_timely(claims, now)) return std::nullopt;
    return ClaimedIdentity{provider, {provider->issuer, std::string(subject), email_of(claims)}};
}

} // namespace auth_mfa
