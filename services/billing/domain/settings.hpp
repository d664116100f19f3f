#pragma once

#include "core/scope.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"
#include "domain/event.hpp"
#include "domain/subscription_entitlements.hpp"
#include "tenancy/tenant.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// The settings of a tenant, shared by its two environments. They are stored as the settings document of the
/// production scope, so that the Directory caches them and is notified of changes. The document's secrets are
/// sealed (encrypted).
namespace billing::settings {

/// The members of the document.
inline constexpr std::string_view purchases_secret_name = "purchasesSecret"; ///< text, sealed
/// Array of texts, sealed.
inline constexpr std::string_view payments_secrets_name = "paymentsSigningSecrets";
inline constexpr std::string_view purchases_api_key_name = "purchasesApiKey";  ///< text, sealed
inline constexpr std::string_view past_due_is_active_name = "pastDueIsActive"; ///< boolean
inline constexpr std::string_view allowed_origins_name = "allowedOrigins";     ///< array of text

/// The settings that the webhooks of one provider need.
struct ProviderSettings {
    /// The secrets that authenticate the provider; empty: not configured. For `purchases`: the expected
    /// `Authorization` header, at most one. For `payments`: the secrets that may sign a body.
    std::vector<core::Secret> webhook_secrets;
    PaymentSettings payment_settings;
};

// Functions that read the document. They throw std::runtime_error if no key of the keyring decrypts a secret.
// The exception contains no part of the secret.

/// Opens the secrets of `provider` only, so a damaged secret of the other provider has no effect.
ProviderSettings provider_settings(boost::json::object const& document, Provider provider,
    core::TenantId tenant_id, crypto::Keyring const& keyring);

/// As the other `provider_settings`, from the document in the Directory's cache.
ProviderSettings provider_settings(
    tenancy::Tenant const& tenant, Provider provider, crypto::Keyring const& keyring);

/// The key for the purchase provider's REST API. Empty: not configured.
core::Secret purchases_api_key(
    boost::json::object const& document, core::TenantId tenant_id, crypto::Keyring const& keyring);

/// Whether a key is configured; does not decrypt it.
bool has_purchases_api_key(boost::json::object const& document) noexcept;

/// `past_due_is_active` is false by default.
PaymentSettings payment_settings(boost::json::object const& document) noexcept;

/// Web origins whose pages may call the API, normalised (tenancy/origins.hpp). None by default.
boost::json::array allowed_origins(boost::json::object const& document);

/// Seals a secret for the member `name` of the document.
std::string seal(core::Secret const& secret, std::string_view name, core::TenantId tenant_id,
    crypto::Keyring const& keyring);

/// Whether the document holds a sealed secret.
bool has_secrets(boost::json::object const& document) noexcept;

/// Seals the document's secrets again under the keyring's first key. Returns how many secrets changed. Throws
/// as the functions that read the document.
std::size_t reencrypt_secrets(
    boost::json::object& document, core::TenantId tenant_id, crypto::Keyring const& keyring);

} // namespace billing::settings
