#pragma once

#include "core/identity.hpp"
#include "core/secret.hpp"
#include "crypto/keyring.hpp"
#include "pg/database.hpp"
#include "tenancy/tenant.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
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

/// Both scopes of a tenant, production first.
pg::Scopes both_of(std::int64_t tenant_id);

/// The document in the Directory's cache.
boost::json::object const& document_of(tenancy::Tenant const& tenant) noexcept;

// Functions that read the document. They throw std::runtime_error if no key of the keyring decrypts a secret.
// The exception contains no part of the secret.

/// The expected `Authorization` header of the purchase platform's webhooks. Empty: not configured.
core::Secret purchases_secret(
    boost::json::object const& document, std::int64_t tenant_id, crypto::Keyring const& keyring);

/// The secrets that may sign the payment provider's webhooks. Empty: not configured.
std::vector<core::Secret> payments_secrets(
    boost::json::object const& document, std::int64_t tenant_id, crypto::Keyring const& keyring);

/// The key for the purchase platform's REST API. Empty: not configured.
core::Secret purchases_api_key(
    boost::json::object const& document, std::int64_t tenant_id, crypto::Keyring const& keyring);

/// Whether a key is configured; does not decrypt it.
bool has_purchases_api_key(boost::json::object const& document) noexcept;

/// Whether `past_due` subscriptions of the payment provider are active. False by default.
bool past_due_is_active(boost::json::object const& document) noexcept;

/// Web origins whose pages may call the API, normalised (tenancy/origins.hpp). None by default.
boost::json::array allowed_origins(boost::json::object const& document);

/// Seals a secret for the member `name` of the document.
std::string seal(core::Secret const& secret, std::string_view name, std::int64_t tenant_id,
    crypto::Keyring const& keyring);

/// Seals the secrets of a tenant again under the keyring's first key. `scope` is any scope; only a production
/// scope has secrets. Returns how many secrets changed. For service::reencrypt_verb.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace billing::settings
