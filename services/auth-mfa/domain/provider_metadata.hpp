#pragma once

#include "domain/identity_provider.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

/// Where a provider is reached, and what it supports.
struct ProviderMetadata {
    std::string authorization_endpoint;
    std::string token_endpoint;
    std::string userinfo_endpoint; ///< empty: the provider has none, or it is not known
    std::string jwks_url;          ///< empty for GitHub
    /// Whether every authorization response of the provider has the parameter `iss` (RFC 9207).
    bool sends_issuer = false;
    ProviderAuthentication authentication = ProviderAuthentication::client_secret_basic;
};

/// The URL of the provider's metadata (OpenID Connect Discovery 1.0, 4).
std::string metadata_url(std::string_view issuer);

/// Whether the service and the browser may be sent to this URL.
using PermitsUrl = std::function<bool(std::string const& url)>;

/// Reads the metadata (OpenID Connect Discovery 1.0, 3 and 4.3). nullopt if the text is malformed, names
/// another issuer, lacks a required member, or has a URL that is not permitted.
std::optional<ProviderMetadata> parse_provider_metadata(
    std::string_view text, std::string_view issuer, PermitsUrl const& permits);

/// Whether the setting leaves out a URL that the metadata has to give.
bool needs_metadata(IdentityProvider const& provider) noexcept;

/// The metadata with the values of the setting in place of its own.
ProviderMetadata with_settings(ProviderMetadata metadata, IdentityProvider const& provider);

} // namespace auth_mfa
