#pragma once

#include "core/enum_names.hpp"
#include "core/scope.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"
#include "domain/access.hpp"
#include "domain/event.hpp"
#include "tenancy/tenant.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The settings of a tenant, shared by its two environments. They are stored as the settings document of the
/// production scope, so that the Directory caches them and is notified of changes. The document's secrets are
/// sealed (encrypted).
namespace billing::settings {

using core::to_string;

/// The members of the document. Secrets and API keys are sealed texts.
inline constexpr std::string_view purchases_secret_name = "purchasesSecret";
inline constexpr std::string_view purchases_previous_secret_name = "purchasesSecretPrevious";
inline constexpr std::string_view purchases_sandbox_secret_name = "purchasesSecretSandbox";
/// Array of items: the sealed text of a secret of any environment, or an object `{secret, environment}` with
/// the sealed text and `production` or `sandbox`.
inline constexpr std::string_view payments_secrets_name = "paymentsSigningSecrets";
inline constexpr std::string_view purchases_api_key_name = "purchasesApiKey";
inline constexpr std::string_view payments_api_key_name = "paymentsApiKey";
inline constexpr std::string_view past_due_is_active_name = "pastDueIsActive";  ///< boolean
inline constexpr std::string_view renewal_leeway_name = "renewalLeewaySeconds"; ///< integer; null: default
inline constexpr std::string_view allowed_origins_name = "allowedOrigins";      ///< array of text

/// The environment whose events a webhook secret authenticates.
enum class SecretEnvironment : std::uint8_t { production, sandbox, any };

constexpr auto enum_names(SecretEnvironment)
{
    return std::to_array<std::string_view>({"production", "sandbox", "any"});
}

/// Whether a secret of this environment authenticates events of `environment`.
constexpr bool covers(SecretEnvironment secret, core::Environment environment) noexcept
{
    if (secret == SecretEnvironment::any) return true;
    return (secret == SecretEnvironment::production) == (environment == core::Environment::production);
}

/// A secret that authenticates the webhooks of a provider.
struct WebhookSecret {
    core::Secret value;
    SecretEnvironment environment = SecretEnvironment::any;
};

/// The settings that the webhooks of one provider need.
struct ProviderSettings {
    /// The secrets that authenticate the provider; empty: not configured. For `purchases`: the expected
    /// `Authorization` headers. If `purchasesSecretSandbox` is set, it is the only secret of the sandbox. For
    /// `payments`: the secrets that may sign a body.
    std::vector<WebhookSecret> webhook_secrets;
    AccessSettings access_settings;
};

// Functions that read the document. They throw std::runtime_error if no key of the keyring decrypts a secret.
// The exception contains no part of the secret.

/// Opens the webhook secrets of `provider` only, so a damaged secret of the other provider has no effect.
ProviderSettings provider_settings(boost::json::object const& document, Provider provider,
    core::TenantId tenant_id, crypto::Keyring const& keyring);

/// As the other `provider_settings`, from the document in the Directory's cache.
ProviderSettings provider_settings(
    tenancy::Tenant const& tenant, Provider provider, crypto::Keyring const& keyring);

/// The key for the purchase provider's REST API. Empty: not configured.
core::Secret purchases_api_key(
    boost::json::object const& document, core::TenantId tenant_id, crypto::Keyring const& keyring);

/// The key for the payments provider's REST API. Empty: not configured.
core::Secret payments_api_key(
    boost::json::object const& document, core::TenantId tenant_id, crypto::Keyring const& keyring);

/// Whether a key is configured; these functions do not decrypt it.
bool has_purchases_api_key(boost::json::object const& document) noexcept;
bool has_payments_api_key(boost::json::object const& document) noexcept;

/// The settings that decide access; those of `AccessSettings` by default.
AccessSettings access_settings(boost::json::object const& document) noexcept;

/// Web origins whose pages may call the API, normalised (tenancy/origins.hpp). None by default.
boost::json::array allowed_origins(boost::json::object const& document);

/// Seals a secret for the member `name` of the document.
std::string seal(core::Secret const& secret, std::string_view name, core::TenantId tenant_id,
    crypto::Keyring const& keyring);

/// The value of the member `paymentsSigningSecrets`, with sealed secrets.
boost::json::array seal_signing_secrets(
    std::span<WebhookSecret const> secrets, core::TenantId tenant_id, crypto::Keyring const& keyring);

/// Whether the document holds a sealed secret.
bool has_secrets(boost::json::object const& document);

/// Seals the document's secrets again under the keyring's first key. Returns how many secrets changed. Throws
/// as the functions that read the document.
std::size_t reencrypt_secrets(
    boost::json::object& document, core::TenantId tenant_id, crypto::Keyring const& keyring);

} // namespace billing::settings
