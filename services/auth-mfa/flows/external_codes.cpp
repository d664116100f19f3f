#include "flows/external_codes.hpp"

#include "domain/errors.hpp"
#include "domain/settings.hpp"
#include "providers/id_token_verifier.hpp"
#include "providers/identity_provider_client.hpp"
#include "state/rate_limits.hpp"
#include "storage/provider_secrets.hpp"
#include "tenancy/directory.hpp"
#include "tokens/tokens.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace auth_mfa {

namespace {

/// Where providers send the browser back.
std::string redirect_uri(http::Request const& req, Deps const& deps)
{
    return deps.tokens.issuer().of(req.scope()) + "/oauth/external/callback";
}

core::Error refused()
{
    return {codes::invalid_credentials,
        "The sign-in with the identity provider was refused. Start again, and continue in the same browser."};
}

asio::awaitable<std::vector<IdentityProvider>> providers_of(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    co_return providers_with_client(*tenant, req.scope().environment());
}

/// The client secret for the token endpoint; empty for a public client.
core::Secret secret_of(http::Request const& req, Deps const& deps, IdentityProvider const& provider)
{
    auto const& client = provider.client.value();
    if (client.sealed_secret.empty()) return {};
    auto secret = provider_secrets::open(deps.keyring, req.scope().id, provider.key(), client.sealed_secret);
    if (client.type != ProviderType::apple) return secret;
    return apple_client_secret(provider, secret, deps.clock.now());
}

/// The identity in the id token. Some providers state the email only at the userinfo endpoint.
asio::awaitable<std::optional<ExternalIdentity>> identity_in_tokens(http::Request const& req, Deps& deps,
    IdentityProvider const& provider, ProviderMetadata const& metadata, ProviderTokens const& tokens,
    std::string const& nonce)
{
    auto const scope_id = req.scope().id;
    auto identity =
        co_await deps.id_token_verifier.verify(scope_id, tokens.id_token, std::span(&provider, 1), nonce);
    if (!identity || identity->email || metadata.userinfo_endpoint.empty()) co_return identity;
    auto const userinfo = co_await deps.identity_providers.get(
        scope_id, provider, metadata.userinfo_endpoint, tokens.access_token);
    if (userinfo) identity->email = email_in_userinfo(*userinfo, identity->subject);
    co_return identity;
}

asio::awaitable<std::optional<ExternalIdentity>> identity_at_github(http::Request const& req, Deps& deps,
    IdentityProvider const& provider, ProviderMetadata const& metadata, ProviderTokens const& tokens,
    std::string const& code)
{
    auto const read = [&](std::string const& url) {
        return deps.identity_providers.get(req.scope().id, provider, url, tokens.access_token);
    };
    auto const user = co_await read(metadata.userinfo_endpoint);
    if (!user) co_return std::nullopt;
    auto const emails = co_await read(metadata.userinfo_endpoint + "/emails");
    co_return github_identity(provider, *user, emails.value_or(""), code, deps.clock.now());
}

/// nullopt if the response is refused.
asio::awaitable<std::optional<ExternalIdentity>> redeem(http::Request const& req, Deps& deps,
    IdentityProvider const& provider, ExternalSignIn const& sign_in, ExternalResponse const& response)
{
    auto const scope_id = req.scope().id;
    auto const metadata = co_await deps.identity_providers.metadata(scope_id, provider);
    // A code of another provider must not reach this one's token endpoint (RFC 9207, 1: mix-up attacks).
    if (response.code.empty() || !is_from_provider(provider, metadata, response.iss)) co_return std::nullopt;
    auto const own_uri = redirect_uri(req, deps);
    CodeExchange const exchange{.code = response.code,
        .verifier = sign_in.verifier,
        .redirect_uri = own_uri,
        .secret = secret_of(req, deps, provider)};
    auto const tokens = co_await deps.identity_providers.exchange(scope_id, provider, metadata, exchange);
    if (!tokens) co_return std::nullopt;
    if (provider.issues_id_tokens())
        co_return co_await identity_in_tokens(req, deps, provider, metadata, *tokens, sign_in.nonce);
    co_return co_await identity_at_github(req, deps, provider, metadata, *tokens, response.code);
}

} // namespace

std::vector<IdentityProvider> providers_with_client(
    tenancy::Tenant const& tenant, core::Environment environment)
{
    auto providers = identity_providers_of(tenant, environment);
    std::erase_if(providers, [](IdentityProvider const& provider) { return !provider.client; });
    return providers;
}

asio::awaitable<IdentityProvider> provider_named(http::Request const& req, Deps& deps, std::string_view name)
{
    for (auto& provider : co_await providers_of(req, deps))
        if (provider.client->name == name) co_return std::move(provider);
    throw core::Error(core::codes::not_found, "No identity provider with a client has this name. Check the "
                                              "setting `identityProviders`.");
}

asio::awaitable<std::string> url_at_provider(
    http::Request const& req, Deps& deps, IdentityProvider const& provider, ExternalSignIn const& sign_in)
{
    auto const metadata = co_await deps.identity_providers.metadata(req.scope().id, provider);
    co_return authorization_url(provider, metadata, sign_in, redirect_uri(req, deps));
}

asio::awaitable<ExternalIdentity> identity_from_provider(
    http::Request const& req, Deps& deps, ExternalSignIn const& sign_in, ExternalResponse const& response)
{
    auto const providers = co_await providers_of(req, deps);
    auto const provider = std::ranges::find_if(providers, [&](IdentityProvider const& candidate) {
        return candidate.client->name == sign_in.name && candidate.key() == sign_in.provider;
    });
    if (provider == providers.end()) throw refused();
    auto& limits = deps.rate_limits;
    auto const reserved = co_await limits.require(
        {RateLimits::wrong_sign_ins_from_network(req.scope(), req.remote_address)}, too_many_attempts);
    auto identity = co_await limits.or_give_back(reserved, redeem(req, deps, *provider, sign_in, response));
    if (!identity) throw with_rate_limit(refused(), reserved);
    co_await limits.give_back(reserved);
    co_return *std::move(identity);
}

} // namespace auth_mfa
