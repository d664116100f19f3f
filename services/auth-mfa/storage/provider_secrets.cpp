#include "storage/provider_secrets.hpp"

#include "domain/identity_provider.hpp"
#include "tenancy/settings.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <stdexcept>

namespace auth_mfa::provider_secrets {

namespace {

namespace json = boost::json;

std::string aad(core::ScopeId scope_id, std::string_view provider_key)
{
    return "identityProviders.secret:" + core::to_string(scope_id) + ':' + std::string(provider_key);
}

/// The providers of a settings document; null if it has none.
json::array* providers_in(json::object& document)
{
    auto* const list = document.if_contains("identityProviders");
    return list == nullptr ? nullptr : list->if_array();
}

/// Seals the provider's secret again if another key has sealed it. False if it was not necessary.
bool reencrypt(json::object& stored, core::ScopeId scope_id, crypto::Keyring const& keyring)
{
    auto* const sealed = stored.if_contains(sealed_secret_member);
    if (sealed == nullptr || keyring.is_current(std::string_view(sealed->as_string()))) return false;
    auto const key = IdentityProvider::from_json(stored).key();
    *sealed =
        seal(keyring, scope_id, key, open(keyring, scope_id, key, std::string_view(sealed->as_string())));
    return true;
}

bool has_secrets(json::object document)
{
    auto const* const list = providers_in(document);
    return list != nullptr && std::ranges::any_of(*list, [](json::value const& provider) {
        return provider.as_object().contains(sealed_secret_member);
    });
}

} // namespace

std::string seal(crypto::Keyring const& keyring, core::ScopeId scope_id, std::string_view provider_key,
    core::Secret const& secret)
{
    return keyring.seal(secret.reveal(), aad(scope_id, provider_key));
}

core::Secret open(crypto::Keyring const& keyring, core::ScopeId scope_id, std::string_view provider_key,
    std::string_view sealed)
{
    auto secret = keyring.open(sealed, aad(scope_id, provider_key));
    if (!secret)
        throw std::runtime_error("the secret of an identity provider cannot be decrypted: ENCRYPTION_KEYS "
                                 "lacks the encryption key, or the stored value was changed");
    return core::Secret(*std::move(secret));
}

std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring)
{
    // Does not touch a scope without secrets, because read_for_update would create a missing row.
    if (!has_secrets(tenancy::settings::read(tx, scope).document)) return 0;
    auto before = tenancy::settings::read_for_update(tx, scope);
    auto* const list = providers_in(before.document);
    if (list == nullptr) return 0;
    auto const changed = std::ranges::count_if(
        *list, [&](json::value& provider) { return reencrypt(provider.as_object(), scope.id, keyring); });
    // The time of the last change stays, because no setting changed for the tenant.
    if (changed > 0)
        tenancy::settings::write(tx, scope, before.document, before.version, before.updated_at.value());
    return static_cast<std::size_t>(changed);
}

} // namespace auth_mfa::provider_secrets
