#include "domain/external_request.hpp"

#include "core/fields.hpp"
#include "core/hex.hpp"
#include "core/json.hpp"
#include "core/text.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/jwt.hpp"
#include "crypto/random.hpp"
#include "domain/parameters.hpp"

#include <boost/json/parse.hpp>

#include <utility>

namespace auth_mfa {

namespace {

namespace json = boost::json;

constexpr std::size_t random_size = 32;
constexpr std::size_t max_token = 8192;
constexpr std::chrono::minutes apple_secret_lifetime{5};

std::string new_random()
{
    return crypto::base64url::encode(crypto::random_bytes(random_size));
}

/// The JSON that another server has sent; null if it is malformed.
json::value parse(std::string_view text)
{
    boost::system::error_code malformed;
    auto value = json::parse(text, malformed);
    return malformed ? json::value() : value;
}

std::string_view scope_of(ProviderType type)
{
    return type == ProviderType::github ? "user:email" : "openid email";
}

/// The parameters that ask the provider to authenticate the user again.
struct FreshParameters {
    std::string_view prompt, max_age;
};

FreshParameters fresh_parameters(IdentityProvider const& provider)
{
    if (provider.client.value().type != ProviderType::oidc) return {};
    // Google has no `prompt=login`: it does not authenticate users again for others.
    if (provider.issuer == google_issuer) return {"select_account", ""};
    return {"login", "0"};
}

std::optional<std::string> primary_email(json::value const& emails)
{
    auto const* const list = emails.if_array();
    if (list == nullptr) return std::nullopt;
    auto const is_true = [](json::object const& object, std::string_view name) {
        auto const* const value = object.if_contains(name);
        return value != nullptr && *value == json::value(true);
    };
    for (auto const& item : *list) {
        auto const* const email = item.if_object();
        if (email == nullptr || !is_true(*email, "primary") || !is_true(*email, "verified")) continue;
        auto const address = core::text_of(*email, "email");
        return core::is_email(address) ? std::optional(std::string(address)) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace

ExternalSignIn ExternalSignIn::begin(IdentityProvider const& provider, core::Time now)
{
    return {.provider = provider.key(),
        .name = provider.client.value().name,
        .state = new_random(),
        .nonce = new_random(),
        .verifier = new_random(),
        .next = {},
        .session = {},
        .begun_at = now};
}

std::string authorization_url(IdentityProvider const& provider, ProviderMetadata const& metadata,
    ExternalSignIn const& sign_in, std::string_view redirect_uri)
{
    auto const& client = provider.client.value();
    bool const has_id_token = provider.issues_id_tokens();
    auto const challenge = crypto::base64url::encode(crypto::view(crypto::sha256(sign_in.verifier)));
    // Apple sends the email only with a response that the browser posts.
    std::string_view const mode = client.type == ProviderType::apple ? "form_post" : "";
    auto const fresh = sign_in.fresh ? fresh_parameters(provider) : FreshParameters();
    return with_parameters(metadata.authorization_endpoint,
        {{"response_type", "code"}, {"client_id", client.id}, {"redirect_uri", redirect_uri},
            {"scope", scope_of(client.type)}, {"state", sign_in.state},
            {"nonce", has_id_token ? std::string_view(sign_in.nonce) : ""}, {"code_challenge", challenge},
            {"code_challenge_method", "S256"}, {"response_mode", mode}, {"prompt", fresh.prompt},
            {"max_age", fresh.max_age}});
}

bool is_from_provider(
    IdentityProvider const& provider, ProviderMetadata const& metadata, std::string_view iss) noexcept
{
    return iss.empty() ? !metadata.sends_issuer : iss == provider.issuer;
}

bool is_fresh(ExternalSignIn const& sign_in, ExternalIdentity const& identity) noexcept
{
    if (!sign_in.fresh || !identity.authenticated_at) return true;
    return *identity.authenticated_at >= sign_in.begun_at - external_clock_skew;
}

core::Secret apple_client_secret(
    IdentityProvider const& provider, core::Secret const& private_key, core::Time now)
{
    auto const& client = provider.client.value();
    auto const key = crypto::SigningKey::from_pem(private_key.reveal());
    return core::Secret(key.sign({{"kid", client.key_id}},
        {{"iss", client.team_id}, {"sub", client.id}, {"aud", provider.issuer},
            {"iat", core::unix_seconds(now)}, {"exp", core::unix_seconds(now + apple_secret_lifetime)}}));
}

TokenRequest token_request(
    ProviderClient const& client, ProviderMetadata const& metadata, CodeExchange const& exchange)
{
    std::string_view const secret = exchange.secret.reveal();
    bool const basic =
        !secret.empty() && metadata.authentication == ProviderAuthentication::client_secret_basic;
    TokenRequest request;
    request.body = encode_parameters({{"grant_type", "authorization_code"}, {"code", exchange.code},
        {"redirect_uri", exchange.redirect_uri}, {"code_verifier", exchange.verifier},
        {"client_id", basic ? std::string_view() : client.id}, {"client_secret", basic ? "" : secret}});
    if (basic) // RFC 6749, 2.3.1: both parts are encoded like a form
        request.authorization = "Basic " + crypto::base64::encode(core::percent_encode(client.id) + ':' +
                                                                  core::percent_encode(secret));
    return request;
}

std::optional<ProviderTokens> parse_provider_tokens(std::string_view text)
{
    auto const value = parse(text);
    auto const* const answer = value.if_object();
    if (answer == nullptr) return std::nullopt;
    ProviderTokens tokens{
        std::string(core::text_of(*answer, "access_token")), std::string(core::text_of(*answer, "id_token"))};
    auto const fits_header = [](std::string_view token) {
        return !token.empty() && token.size() <= max_token &&
               token.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
    };
    if (!fits_header(tokens.access_token) || tokens.id_token.size() > max_token) return std::nullopt;
    return tokens;
}

bool refuses_code(std::string_view text)
{
    auto const value = parse(text);
    auto const* const answer = value.if_object();
    if (answer == nullptr) return false;
    auto const error = core::text_of(*answer, "error");
    return error == "invalid_grant" || error == "bad_verification_code";
}

std::optional<std::string> email_in_userinfo(std::string_view text, std::string_view subject)
{
    auto const value = parse(text);
    auto const* const claims = value.if_object();
    // OpenID Connect Core 1.0, 5.3.2: an access token may have been replaced by one of another user.
    if (claims == nullptr || core::text_of(*claims, "sub") != subject) return std::nullopt;
    return verified_email_of(*claims);
}

std::optional<ExternalIdentity> github_identity(IdentityProvider const& provider, std::string_view user,
    std::string_view text_of_emails, std::string_view code, core::Time now)
{
    auto const value = parse(user);
    auto const* const account = value.if_object();
    auto const* const id = account == nullptr ? nullptr : account->if_contains("id");
    if (id == nullptr || !id->is_int64() || id->get_int64() <= 0) return std::nullopt;
    auto const hash = crypto::sha256(provider.key() + '\n' + std::string(code));
    return ExternalIdentity{.issuer = provider.issuer,
        .subject = std::to_string(id->get_int64()),
        .email = primary_email(parse(text_of_emails)),
        .provider = provider.key(),
        .issued_at = now,
        .token_hash = core::hex::encode(crypto::view(hash))};
}

} // namespace auth_mfa
