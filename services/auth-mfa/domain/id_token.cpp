#include "domain/id_token.hpp"

#include "auth/token_claims.hpp"
#include "core/fields.hpp"
#include "core/hex.hpp"
#include "core/json.hpp"
#include "crypto/hash.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace auth_mfa {

namespace json = boost::json;

namespace {

constexpr std::size_t max_subject = 255;

/// Whether `aud` names the client. With several audiences, or with an `azp` claim, `azp` must name the client
/// too (OpenID Connect Core, 3.1.3.7).
bool is_for(json::object const& claims, std::string_view audience)
{
    auto const* aud = claims.if_contains("aud");
    auto const* list = aud == nullptr ? nullptr : aud->if_array();
    bool const named = list == nullptr ? core::text_of(claims, "aud") == audience
                                       : std::ranges::find(*list, json::value(audience)) != list->end();
    bool const others = list != nullptr && list->size() > 1;
    if (claims.contains("azp") || others) return named && core::text_of(claims, "azp") == audience;
    return named;
}

/// Whether this is an id token, not an access token of the provider (RFC 9068, 2.1).
bool is_id_token(crypto::Jws const& jws)
{
    return !jws.header.contains("typ") || core::text_of(jws.header, "typ") == "JWT";
}

IdentityProvider const* provider_of(json::object const& claims, std::span<IdentityProvider const> providers)
{
    auto const it = std::ranges::find_if(providers, [&](IdentityProvider const& p) {
        return p.issues_id_tokens() && p.issuer.size() <= IdentityProvider::max_issuer &&
               core::text_of(claims, "iss") == p.issuer && is_for(claims, p.audience);
    });
    return it == providers.end() ? nullptr : &*it;
}

bool is_recent(json::object const& claims, core::Time now)
{
    auto const issued = auth::token::time_claim(claims, "iat");
    return issued && now - *issued <= max_id_token_age + auth::token::skew;
}

/// Whether `text` can be stored and compared as a subject.
bool is_subject(std::string_view text)
{
    return !text.empty() && text.size() <= max_subject && text.find('\0') == std::string_view::npos &&
           core::is_utf8(text);
}

} // namespace

std::optional<std::string> verified_email_of(json::object const& claims)
{
    std::string_view const email = core::text_of(claims, "email");
    auto const* verified = claims.if_contains("email_verified");
    bool const confirmed =
        verified != nullptr && (*verified == json::value(true) || *verified == json::value("true"));
    if (!confirmed || !core::is_email(email)) return std::nullopt;
    return std::string(email);
}

std::optional<ClaimedIdentity> validate_id_token_claims(crypto::Jws const& jws,
    std::span<IdentityProvider const> providers, std::optional<std::string> const& nonce, core::Time now)
{
    if (jws.kid().empty() || !is_id_token(jws)) return std::nullopt;
    auto const& claims = jws.payload;
    auto const* const provider = provider_of(claims, providers);
    std::string_view const subject = core::text_of(claims, "sub");
    if (provider == nullptr || !is_subject(subject) || !auth::token::is_timely(claims, now) ||
        !is_recent(claims, now))
        return std::nullopt;
    if (nonce && core::text_of(claims, "nonce") != *nonce) return std::nullopt;
    return ClaimedIdentity{
        provider, {.issuer = provider->issuer,
                      .subject = std::string(subject),
                      .email = verified_email_of(claims),
                      .provider = provider->key(),
                      .issued_at = auth::token::time_claim(claims, "iat").value(),
                      .authenticated_at = auth::token::time_claim(claims, "auth_time"),
                      .token_hash = core::hex::encode(crypto::view(crypto::sha256(jws.signing_input)))}};
}

} // namespace auth_mfa
