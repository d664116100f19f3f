#pragma once

#include "core/enum_names.hpp"

#include <boost/json/object.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

using core::to_string;

/// The protocol of an identity provider.
enum class ProviderType : std::uint8_t {
    oidc,   ///< OpenID Connect Core 1.0
    apple,  ///< Sign in with Apple: OpenID Connect, with a signed JWT as client secret
    github, ///< GitHub's OAuth 2.0: no id token, the identity comes from the API
};

constexpr auto enum_names(ProviderType)
{
    return std::to_array<std::string_view>({"oidc", "apple", "github"});
}

/// How the hosted pages authenticate at the token endpoint of a provider (OpenID Connect Core 1.0, 9).
enum class ProviderAuthentication : std::uint8_t { client_secret_basic, client_secret_post };

constexpr auto enum_names(ProviderAuthentication)
{
    return std::to_array<std::string_view>({"client_secret_basic", "client_secret_post"});
}

/// The tenant's client at a provider. With it, users sign in on the hosted pages.
struct ProviderClient {
    ProviderType type = ProviderType::oidc;
    std::string name;         ///< in the path /oauth/external/{name}; unique within the setting
    std::string display_name; ///< on the buttons
    std::string id;           ///< `client_id`

    // Empty endpoints come from the provider's metadata.
    std::string authorization_endpoint;
    std::string token_endpoint;
    std::string userinfo_endpoint; ///< GitHub: the API of the signed-in user

    std::optional<ProviderAuthentication> authentication; ///< nullopt: the provider's metadata decides
    /// The client secret, for Apple the private key in PEM. Sealed by `provider_secret`. Empty: a public
    /// client.
    std::string sealed_secret;
    std::string team_id, key_id; ///< Apple only
};

/// A provider whose users may sign in: an element of the setting `identityProviders`.
struct IdentityProvider {
    static constexpr std::size_t max_issuer = 512; ///< bytes; limited because it is part of an index key

    std::string issuer;                        ///< must equal `iss` exactly
    std::string audience;                      ///< `aud`: the client id of the tenant's app
    std::string jwks_url;                      ///< empty: from the provider's metadata
    std::optional<ProviderClient> client = {}; ///< nullopt: the provider is only for id tokens of clients

    /// Identifies the provider in sessions: issuer and audience, separated by a space.
    std::string key() const { return issuer + ' ' + audience; }

    bool issues_id_tokens() const noexcept { return !client || client->type != ProviderType::github; }

    /// Reads an element of the stored settings document.
    static IdentityProvider from_json(boost::json::object const& stored);
};

/// Whether `name` may be the name of a provider: 1 to 40 of `A-Z a-z 0-9 . _ -`, beginning with a letter or
/// digit, and not `callback`, which is another path.
bool is_provider_name(std::string_view name) noexcept;

/// The name that buttons show for a provider without a display name: `Google` for `google`, and `name` itself
/// for names that are not known.
std::string default_display_name(std::string_view name);

// GitHub has no metadata. These are the values of github.com for members that the setting leaves out.
inline constexpr std::string_view google_issuer = "https://accounts.google.com";
inline constexpr std::string_view apple_issuer = "https://appleid.apple.com";
inline constexpr std::string_view github_issuer = "https://github.com/login/oauth";
inline constexpr std::string_view github_user_api = "https://api.github.com/user";

/// The member of a stored element that holds the sealed secret. Responses and audit entries leave it out.
inline constexpr std::string_view sealed_secret_member = "sealedSecret";

} // namespace auth_mfa
