#include "tokens/tokens.hpp"

#include "auth/token_claims.hpp"
#include "core/error.hpp"
#include "crypto/compare.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/hmac.hpp"
#include "domain/oauth_scope.hpp"

#include <boost/json/array.hpp>

#include <charconv>

namespace auth_mfa {

namespace {

constexpr std::size_t id_size = 16;
constexpr std::size_t generation_size = 4;
constexpr std::size_t mac_size = 32;
constexpr std::chrono::seconds logout_token_lifetime{120};
/// The claim `sid` of enrolment tokens: this text, the version of the user's credentials and, after a dot,
/// the hash of the identity provider, if the first factor was an id token.
constexpr std::string_view enrolment_session = "enrolment.";

/// Appends the lowest `bytes` bytes of `number`, in big-endian order.
void append(std::string& out, std::uint64_t number, std::size_t bytes)
{
    while (bytes-- > 0)
        out += static_cast<char>(number >> (8 * bytes) & 0xff);
}

/// The session's id and the generation, as the token contains them.
std::string body_of(core::Uuid session_id, std::int64_t generation)
{
    std::string body(session_id.bytes().begin(), session_id.bytes().end());
    append(body, static_cast<std::uint64_t>(generation), generation_size);
    return body;
}

std::string mac_of(core::Secret const& key, core::Scope const& scope, std::string_view body)
{
    std::string text = "refresh";
    append(text, static_cast<std::uint64_t>(scope.id), 8);
    text += body;
    return std::string(crypto::view(crypto::hmac_sha256(key.reveal(), text)));
}

core::Error no_key()
{
    return core::Error::unavailable(
        "The server has no signing key now, so it cannot issue tokens. Try again later.");
}

/// The claims that describe the session in access tokens and in id tokens.
boost::json::object session_claims(AccessTokenClaims const& claims)
{
    return {{"sub", claims.user_id.to_string()}, {"sid", claims.session_id.to_string()},
        {"auth_time", core::unix_seconds(claims.assurance.authenticated_at)},
        {"acr", claims.assurance.aal2 ? "aal2" : "aal1"},
        {"amr", boost::json::array(claims.amr.begin(), claims.amr.end())}};
}

/// The claim `at_hash` of an access token (OpenID Connect Core 1.0, 3.1.3.6), for both algorithms.
std::string half_hash(std::string_view token)
{
    auto const digest = crypto::sha256(token);
    return crypto::base64url::encode(crypto::view(digest).substr(0, digest.size() / 2));
}

} // namespace

Tokens::Tokens(std::shared_ptr<SigningKeyCache> signing_keys, auth::Jwks& jwks,
    crypto::Keyring const& keyring, core::Clock const& clock, Issuer issuer)
    : signing_keys_(std::move(signing_keys)), jwks_(jwks), clock_(clock), issuer_(std::move(issuer)),
      refresh_keys_(keyring.derive("auth-mfa.refresh_tokens"))
{
}

asio::awaitable<void> Tokens::ready()
{
    auto const has_keys = [&] {
        return signing_keys_->current(crypto::SignatureAlgorithm::es256) &&
               signing_keys_->current(crypto::SignatureAlgorithm::rs256);
    };
    if (!has_keys()) co_await jwks_.refetch();
    if (!has_keys()) throw no_key();
}

std::string Tokens::sign(core::Scope const& scope, Kind const& kind, boost::json::object claims) const
{
    auto const key = signing_keys_->current(kind.algorithm);
    if (!key) throw no_key();
    core::Time const now = clock_.now();
    boost::json::object payload{{"iss", issuer_.of(scope)}, {"aud", kind.audience},
        {"exp", core::unix_seconds(now + kind.lifetime)}, {"iat", core::unix_seconds(now)},
        {"jti", core::Uuid::v7().to_string()}, {"tenant", scope.slug},
        {"env", core::to_string(scope.environment())}};
    for (auto& claim : claims)
        payload.emplace(claim.key(), std::move(claim.value()));
    return key->sign({{"typ", kind.type}}, payload);
}

std::string Tokens::access_token(core::Scope const& scope, AccessTokenClaims const& claims) const
{
    auto contents = session_claims(claims);
    contents["role"] = to_string(claims.role);
    contents["email"] = claims.email;
    contents["email_verified"] = claims.email_verified;
    if (!claims.client_id.empty()) contents["client_id"] = claims.client_id;
    if (!claims.scope.empty()) contents["scope"] = claims.scope; // verifiers refuse empty claims
    return sign(
        scope, {auth::token::type, auth::token::audience, access_token_lifetime}, std::move(contents));
}

std::string Tokens::id_token(
    core::Scope const& scope, crypto::SignatureAlgorithm algorithm, IdTokenClaims const& claims) const
{
    auto const& session = claims.session;
    auto contents = session_claims(session);
    contents["at_hash"] = half_hash(claims.access_token);
    if (!claims.nonce.empty()) contents["nonce"] = claims.nonce;
    if (has_scope(session.scope, "email")) {
        contents["email"] = session.email;
        contents["email_verified"] = session.email_verified;
    }
    if (claims.updated_at && has_scope(session.scope, "profile"))
        contents["updated_at"] = core::unix_seconds(*claims.updated_at);
    return sign(scope, {"JWT", session.client_id, id_token_lifetime, algorithm}, std::move(contents));
}

std::string Tokens::logout_token(core::Scope const& scope, crypto::SignatureAlgorithm algorithm,
    std::string_view client_id, UserId user_id, core::Uuid session_id) const
{
    constexpr char const* event = "http://schemas.openid.net/event/backchannel-logout";
    return sign(scope, {"logout+jwt", client_id, logout_token_lifetime, algorithm},
        {{"sub", user_id.to_string()}, {"sid", session_id.to_string()},
            {"events", boost::json::object{{event, boost::json::object()}}}});
}

std::string Tokens::enrolment_token(
    core::Scope const& scope, User const& user, std::optional<std::string> const& identity_provider) const
{
    std::string sid = std::string(enrolment_session) + std::to_string(user.credentials_version);
    if (identity_provider) sid += '.' + hash_of_provider(*identity_provider);
    return sign(scope, {auth::token::type, auth::token::enrolment_audience, enrolment_token_lifetime},
        {{"sub", user.id.to_string()}, {"sid", std::move(sid)}, {"role", to_string(user.role)},
            {"email", user.email}, {"email_verified", user.email_verified}});
}

std::string Tokens::erasure_token(core::Scope const& scope, UserId user_id, std::string_view audience) const
{
    return sign(scope, {auth::token::erasure_type, audience, auth::token::max_erasure_lifetime},
        {{"sub", user_id.to_string()}});
}

std::optional<Tokens::Enrolment> Tokens::read_enrolment(std::string_view session_id)
{
    if (!session_id.starts_with(enrolment_session)) return std::nullopt;
    session_id.remove_prefix(enrolment_session.size());
    Enrolment enrolment;
    auto const* const end = session_id.data() + session_id.size();
    auto const [read, error] = std::from_chars(session_id.data(), end, enrolment.credentials_version);
    if (error != std::errc()) return std::nullopt;
    if (read == end) return enrolment;
    std::string_view const rest(read, static_cast<std::size_t>(end - read));
    if (rest.front() != '.') return std::nullopt;
    enrolment.provider_hash = rest.substr(1);
    return enrolment;
}

std::string Tokens::hash_of_provider(std::string_view key)
{
    return crypto::base64url::encode(crypto::view(crypto::sha256(key)));
}

std::string Tokens::refresh_token(
    core::Scope const& scope, core::Uuid session_id, std::int64_t generation) const
{
    std::string token = body_of(session_id, generation);
    token += mac_of(refresh_keys_.front(), scope, token);
    return crypto::base64url::encode(token);
}

std::optional<RefreshToken> Tokens::read_refresh_token(core::Scope const& scope, std::string_view text) const
{
    auto const token = crypto::base64url::decode(text);
    if (!token || token->size() != id_size + generation_size + mac_size) return std::nullopt;
    std::string_view const body = std::string_view(*token).substr(0, id_size + generation_size);
    std::string_view const mac = std::string_view(*token).substr(body.size());
    bool const is_ours = std::ranges::any_of(refresh_keys_,
        [&](auto const& key) { return crypto::equal_constant_time(mac, mac_of(key, scope, body)); });
    if (!is_ours) return std::nullopt;
    std::array<std::uint8_t, id_size> id{};
    std::ranges::copy(body.substr(0, id_size), id.begin());
    RefreshToken read{.session_id = core::Uuid::from_bytes(id)};
    for (char const c : body.substr(id_size))
        read.generation = read.generation << 8 | static_cast<std::uint8_t>(c);
    return read;
}

} // namespace auth_mfa
