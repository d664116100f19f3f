#include "domain/settings.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace billing::settings {

namespace {

namespace json = boost::json;

/// Additional data of a sealed secret. It binds the secret to its member and tenant.
std::string aad_of(std::string_view name, core::TenantId tenant_id)
{
    return "billing.settings." + std::string(name) + '/' + core::to_string(tenant_id);
}

core::Secret open(json::value const& sealed, std::string_view name, core::TenantId tenant_id,
    crypto::Keyring const& keyring)
{
    auto opened = keyring.open(std::string_view(sealed.as_string()), aad_of(name, tenant_id));
    if (!opened)
        throw std::runtime_error("a secret of the settings cannot be decrypted: ENCRYPTION_KEYS lacks its "
                                 "key, or the stored value was changed");
    return core::Secret(*std::move(opened));
}

/// The member; null if it is absent or JSON null.
json::value const* find(json::object const& document, std::string_view name) noexcept
{
    auto const* value = document.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

/// Calls `visit` with each sealed value of the document and the name of its member.
template <class Document, class Visit> void for_each_secret(Document& document, Visit const& visit)
{
    for (auto const name : {purchases_secret_name, payments_secrets_name, purchases_api_key_name}) {
        auto* value = document.if_contains(name);
        if (value == nullptr) continue;
        if (value->is_string()) visit(name, *value);
        if (value->is_array())
            for (auto& item : value->as_array())
                visit(name, item);
    }
}

} // namespace

ProviderSettings provider_settings(
    json::object const& document, Provider provider, core::TenantId tenant_id, crypto::Keyring const& keyring)
{
    ProviderSettings settings{.webhook_secrets = {}, .payment_settings = payment_settings(document)};
    auto const name = provider == Provider::purchases ? purchases_secret_name : payments_secrets_name;
    auto const add = [&](json::value const& sealed) {
        settings.webhook_secrets.push_back(open(sealed, name, tenant_id, keyring));
    };
    auto const* value = find(document, name);
    if (value == nullptr) return settings;
    if (provider == Provider::purchases)
        add(*value);
    else
        std::ranges::for_each(value->as_array(), add);
    return settings;
}

ProviderSettings provider_settings(
    tenancy::Tenant const& tenant, Provider provider, crypto::Keyring const& keyring)
{
    auto const& document = tenant.settings(core::Environment::production).document;
    return provider_settings(document, provider, tenant.id, keyring);
}

core::Secret purchases_api_key(
    json::object const& document, core::TenantId tenant_id, crypto::Keyring const& keyring)
{
    auto const* sealed = find(document, purchases_api_key_name);
    return sealed == nullptr ? core::Secret() : open(*sealed, purchases_api_key_name, tenant_id, keyring);
}

bool has_purchases_api_key(json::object const& document) noexcept
{
    return find(document, purchases_api_key_name) != nullptr;
}

PaymentSettings payment_settings(json::object const& document) noexcept
{
    auto const* value = document.if_contains(past_due_is_active_name);
    return {.past_due_is_active = value != nullptr && *value == true};
}

json::array allowed_origins(json::object const& document)
{
    auto const* value = find(document, allowed_origins_name);
    return value == nullptr ? json::array() : value->as_array();
}

std::string seal(core::Secret const& secret, std::string_view name, core::TenantId tenant_id,
    crypto::Keyring const& keyring)
{
    return keyring.seal(secret.reveal(), aad_of(name, tenant_id));
}

bool has_secrets(json::object const& document) noexcept
{
    bool found = false;
    for_each_secret(document, [&](std::string_view, json::value const&) { found = true; });
    return found;
}

std::size_t reencrypt_secrets(
    json::object& document, core::TenantId tenant_id, crypto::Keyring const& keyring)
{
    std::size_t changed = 0;
    for_each_secret(document, [&](std::string_view name, json::value& sealed) {
        if (keyring.is_current(std::string_view(sealed.as_string()))) return;
        sealed = seal(open(sealed, name, tenant_id, keyring), name, tenant_id, keyring);
        ++changed;
    });
    return changed;
}

} // namespace billing::settings
