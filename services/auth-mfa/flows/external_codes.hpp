#pragma once

#include "deps.hpp"
#include "domain/external_request.hpp"
#include "domain/id_token.hpp"
#include "domain/identity_provider.hpp"
#include "http/message.hpp"
#include "tenancy/tenant.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The authorization code flow with identity providers, in which the hosted pages are the client.
namespace auth_mfa {

/// The providers at which the tenant has a client, in the order of the setting `identityProviders`.
std::vector<IdentityProvider> providers_with_client(
    tenancy::Tenant const& tenant, core::Environment environment);

/// The provider whose client has this name. Throws NOT_FOUND.
asio::awaitable<IdentityProvider> provider_named(http::Request const& req, Deps& deps, std::string_view name);

/// The URL at the provider to which the browser is sent. Throws UNAVAILABLE if the provider's metadata is
/// needed and cannot be fetched.
asio::awaitable<std::string> url_at_provider(
    http::Request const& req, Deps& deps, IdentityProvider const& provider, ExternalSignIn const& sign_in);

/// The parameters of an authorization response (RFC 6749, 4.1.2; RFC 9207) whose `state` is right.
struct ExternalResponse {
    std::string code;
    std::string iss; ///< empty: the response has none
};

/// The identity that the provider proves for the code. Throws INVALID_CREDENTIALS if the response or the code
/// is refused, or if the provider has been removed or changed since the sign-in began. Throws UNAVAILABLE if
/// the provider does not answer as expected. Each attempt counts against the sign-in limit of the client's
/// network. An attempt that is not refused is given back.
asio::awaitable<ExternalIdentity> identity_from_provider(
    http::Request const& req, Deps& deps, ExternalSignIn const& sign_in, ExternalResponse const& response);

} // namespace auth_mfa
