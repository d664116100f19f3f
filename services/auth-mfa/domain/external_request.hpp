#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/secret.hpp"
#include "domain/id_token.hpp"
#include "domain/provider_metadata.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The requests and responses of a sign-in with another provider, without I/O.
namespace auth_mfa {

/// How long the user may take at the provider.
inline constexpr std::chrono::minutes external_sign_in_lifetime{15};

/// How far the clock of a provider may be behind when it states the time of an authentication.
inline constexpr std::chrono::seconds external_clock_skew{60};

/// What the user does with an account at a provider.
enum class ExternalPurpose : std::uint8_t {
    sign_in,
    link,    ///< link it to the account of the session
    confirm, ///< authenticate again in the session
};

constexpr auto enum_names(ExternalPurpose)
{
    return std::to_array<std::string_view>({"sign_in", "link", "confirm"});
}

/// A sign-in that has been sent to a provider and has not come back.
struct ExternalSignIn {
    std::string provider; ///< IdentityProvider::key
    std::string name;     ///< of its client
    std::string state;    ///< 256 random bits in base64url
    std::string nonce;    ///< the same
    std::string verifier; ///< of PKCE, the same
    std::string next;     ///< the page to show afterwards; may be empty
    ExternalPurpose purpose = ExternalPurpose::sign_in;
    std::string session; ///< the id of the session that began it; empty for ExternalPurpose::sign_in
    bool fresh = false;  ///< whether the provider must authenticate the user again
    core::Time begun_at;

    core::Time expires_at() const noexcept { return begun_at + external_sign_in_lifetime; }

    /// A sign-in with new random values.
    static ExternalSignIn begin(IdentityProvider const& provider, core::Time now);
};

/// The URL to which the browser is sent (OpenID Connect Core 1.0, 3.1.2.1; RFC 7636). If the user must be
/// authenticated again, it asks for that as far as the provider can be asked: Google only lets the user
/// choose the account, Apple and GitHub have no parameter for it.
std::string authorization_url(IdentityProvider const& provider, ProviderMetadata const& metadata,
    ExternalSignIn const& sign_in, std::string_view redirect_uri);

/// Whether the parameter `iss` of an authorization response is the provider's issuer (RFC 9207, 2.4). An
/// empty `iss` is accepted only from a provider that does not promise the parameter.
bool is_from_provider(
    IdentityProvider const& provider, ProviderMetadata const& metadata, std::string_view iss) noexcept;

/// Whether the identity is fresh enough for the sign-in. If the provider had to authenticate the user again
/// and states when it did, that must be after the sign-in began. A provider that does not state it is
/// trusted.
bool is_fresh(ExternalSignIn const& sign_in, ExternalIdentity const& identity) noexcept;

/// The client secret for Apple: a JWT of 5 minutes, signed with the tenant's key. Throws
/// std::invalid_argument if `private_key` is not the PEM of a P-256 key.
core::Secret apple_client_secret(
    IdentityProvider const& provider, core::Secret const& private_key, core::Time now);

/// What the token endpoint needs.
struct CodeExchange {
    std::string_view code;
    std::string_view verifier;
    std::string_view redirect_uri;
    core::Secret secret; ///< empty for a public client
};

/// A request of the token endpoint (RFC 6749, 4.1.3).
struct TokenRequest {
    std::string body;          ///< a form
    std::string authorization; ///< the header `Authorization`; empty: there is none
};

TokenRequest token_request(
    ProviderClient const& client, ProviderMetadata const& metadata, CodeExchange const& exchange);

/// The response of a token endpoint.
struct ProviderTokens {
    std::string access_token;
    std::string id_token; ///< empty: there is none
};

/// Reads the response of a token endpoint. nullopt if it has no access token.
std::optional<ProviderTokens> parse_provider_tokens(std::string_view text);

/// Whether the response of a token endpoint says that the code is wrong, used or expired: `invalid_grant`
/// (RFC 6749, 5.2), or GitHub's `bad_verification_code`.
bool refuses_code(std::string_view text);

/// The verified email in a response of the userinfo endpoint (OpenID Connect Core 1.0, 5.3.2). nullopt if it
/// has none, or if the response is about another subject.
std::optional<std::string> email_in_userinfo(std::string_view text, std::string_view subject);

/// The identity in GitHub's responses for the signed-in user and that user's emails. The email is the primary
/// one if it is verified. `text_of_emails` may be empty. nullopt if `user` has no id. `code` is that of the
/// authorization response; it stands for the id token, which is accepted once.
std::optional<ExternalIdentity> github_identity(IdentityProvider const& provider, std::string_view user,
    std::string_view text_of_emails, std::string_view code, core::Time now);

} // namespace auth_mfa
