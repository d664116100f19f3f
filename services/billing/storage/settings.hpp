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

/// The settings of a tenant, which its two environments share. They are the settings document of the
/// production scope, so that a Directory remembers them and hears of changes; its secrets are sealed.
namespace billing::settings {

/// The members of the document.
inline constexpr std::string_view purchases_secret_name = "purchasesSecret";        ///< text, sealed
inline constexpr std::string_view payments_secrets_name = "paymentsSigningSecrets"; ///< array of the same
inline constexpr std::string_view purchases_api_key_name = "purchasesApiKey";       ///< text, sealed
inline constexpr std::string_view past_due_is_active_name = "pastDueIsActive";      ///< boolean
inline constexpr std::string_view allowed_origins_name = "allowedOrigins";          ///< array of text

/// Both scopes of a tenant, production first.
pg::Scopes both_of(std::int64_t tenant_id);

/// The document as a Directory remembers it.
boost::json::object const& document_of(tenancy::Tenant const& tenant) noexcept;

// What the document says. A secret that no key of the ring opens is std::runtime_error, without any of it.

/// What the `Authorization` header of the purchase platform's webhooks has to be; empty: not configured.
core::Secret purchases_secret(
    boost::json::object const& document, std::int64_t tenant_id, crypto::Keyring const& keyring);

/// Any of them may sign the payment provider's webhooks; none: not configured.
std::vector<core::Secret> payments_secrets(
    boost::json::object const& document, std::int64_t tenant_id, crypto::Keyring const& keyring);

/// For the purchase platform's REST API; empty: not configured.
core::Secret purchases_api_key(
    boost::json::object const& document, std::int64_t tenant_id, crypto::Keyring const& keyring);

/// Whether there is one, without opening it.
bool has_purchases_api_key(boost::json::object const& document) noexcept;

/// Whether `past_due` subscriptions of the payment provider are active. False unless the tenant said so.
bool past_due_is_active(boost::json::object const& document) noexcept;

/// Web origins whose pages may call the API, normalised (tenancy/origins.hpp). None unless the tenant said
/// so.
boost::json::array allowed_origins(boost::json::object const& document);

/// A secret as the document holds it under the member `name`.
std::string seal(core::Secret const& secret, std::string_view name, std::int64_t tenant_id,
    crypto::Keyring const& keyring);

/// Seals the secrets of a tenant anew under the keyring's first key, in its production scope; yields how many
/// changed. For service::reencrypt_verb.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

} // namespace billing::settings
