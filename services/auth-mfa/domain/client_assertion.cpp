#include "domain/client_assertion.hpp"

#include "auth/token_claims.hpp"
#include "core/json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/string.hpp>

#include <algorithm>

namespace auth_mfa {

namespace {

namespace json = boost::json;

constexpr std::size_t max_id = 255;

bool is_one_of(json::value const& audience, std::span<std::string const> audiences)
{
    auto const* const text = audience.if_string();
    return text != nullptr && std::ranges::find(audiences, std::string_view(*text)) != audiences.end();
}

bool is_for(json::object const& claims, std::span<std::string const> audiences)
{
    auto const* const aud = claims.if_contains("aud");
    if (aud == nullptr) return false;
    auto const* const list = aud->if_array();
    if (list == nullptr) return is_one_of(*aud, audiences);
    return !list->empty() &&
           std::ranges::all_of(*list, [&](json::value const& one) { return is_one_of(one, audiences); });
}

/// Whether the claim is absent, or a time that is not in the future.
bool has_begun(json::object const& claims, std::string_view name, core::Time now)
{
    if (!claims.contains(name)) return true;
    auto const time = auth::token::time_claim(claims, name);
    return time && *time <= now + auth::token::skew;
}

} // namespace

std::optional<ClientAssertion> read_client_assertion(
    crypto::Jws const& jws, std::span<std::string const> audiences, core::Time now)
{
    auto const& claims = jws.payload;
    std::string_view const client_id = core::text_of(claims, "sub"), id = core::text_of(claims, "jti");
    if (client_id.empty() || core::text_of(claims, "iss") != client_id || !is_for(claims, audiences))
        return std::nullopt;
    if (id.empty() || id.size() > max_id) return std::nullopt;
    auto const expiry = auth::token::time_claim(claims, "exp");
    if (!expiry || now >= *expiry + auth::token::skew ||
        *expiry > now + max_assertion_lifetime + auth::token::skew)
        return std::nullopt;
    if (!has_begun(claims, "nbf", now) || !has_begun(claims, "iat", now)) return std::nullopt;
    return ClientAssertion{std::string(client_id), std::string(id), *expiry};
}

bool is_signed_by(crypto::Jws const& jws, std::string_view jwks)
{
    auto const set = crypto::parse_foreign_jwk_set(jwks);
    bool const names_key = jws.header.contains("kid");
    return std::ranges::any_of(set.keys, [&](crypto::PublicKey const& key) {
        return (!names_key || key.kid() == jws.kid()) && crypto::verify(key, jws);
    });
}

} // namespace auth_mfa
