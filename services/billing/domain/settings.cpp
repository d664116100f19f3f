#include "domain/settings.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace billing::settings {

namespace {

namespace json = boost::json;

/// The members of an item of `paymentsSigningSecrets` that is an object.
constexpr std::string_view secret_name = "secret";
constexpr std::string_view environment_name = "environment";

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

/// The secret of a member whose value is a text. Empty: not configured.
core::Secret open_member(json::object const& document, std::string_view name, core::TenantId tenant_id,
    crypto::Keyring const& keyring)
{
    auto const* sealed = find(document, name);
    return sealed == nullptr ? core::Secret() : open(*sealed, name, tenant_id, keyring);
}

/// The sealed text in an item of `paymentsSigningSecrets`.
template <class Value> Value& sealed_of(Value& item)
{
    auto* members = item.if_object();
    return members == nullptr ? item : members->at(secret_name);
}

SecretEnvironment environment_of(json::value const& item)
{
    auto const* members = item.if_object();
    if (members == nullptr) return SecretEnvironment::any;
    return core::stored_enum<SecretEnvironment>(std::string_view(members->at(environment_name).as_string()));
}

std::vector<WebhookSecret> purchases_secrets(
    json::object const& document, core::TenantId tenant_id, crypto::Keyring const& keyring)
{
    std::vector<WebhookSecret> secrets;
    auto const add = [&](std::string_view name, SecretEnvironment environment) {
        auto secret = open_member(document, name, tenant_id, keyring);
        if (!secret.empty()) secrets.push_back({std::move(secret), environment});
    };
    bool const sandbox_is_separate = find(document, purchases_sandbox_secret_name) != nullptr;
    auto const shared = sandbox_is_separate ? SecretEnvironment::production : SecretEnvironment::any;
    add(purchases_secret_name, shared);
    add(purchases_previous_secret_name, shared);
    add(purchases_sandbox_secret_name, SecretEnvironment::sandbox);
    return secrets;
}

std::vector<WebhookSecret> payments_secrets(
    json::object const& document, core::TenantId tenant_id, crypto::Keyring const& keyring)
{
    std::vector<WebhookSecret> secrets;
    auto const* list = find(document, payments_secrets_name);
    if (list == nullptr) return secrets;
    for (auto const& item : list->as_array())
        secrets.push_back(
            {open(sealed_of(item), payments_secrets_name, tenant_id, keyring), environment_of(item)});
    return secrets;
}

/// Calls `visit` with each sealed value of the document and the name of its member.
template <class Document, class Visit> void for_each_secret(Document& document, Visit const& visit)
{
    for (auto const name :
        {purchases_secret_name, purchases_previous_secret_name, purchases_sandbox_secret_name,
            payments_secrets_name, purchases_api_key_name, payments_api_key_name}) {
        auto* value = document.if_contains(name);
        if (value == nullptr) continue;
        if (value->is_string()) visit(name, *value);
        if (value->is_array())
            for (auto& item : value->as_array())
                visit(name, sealed_of(item));
    }
}

} // namespace

ProviderSettings provider_settings(
    json::object const& document, Provider provider, core::TenantId tenant_id, crypto::Keyring const& keyring)
{
    auto const read_secrets = provider == Provider::purchases ? purchases_secrets : payments_secrets;
    return {.webhook_secrets = read_secrets(document, tenant_id, keyring),
        .access_settings = access_settings(document)};
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
    return open_member(document, purchases_api_key_name, tenant_id, keyring);
}

core::Secret payments_api_key(
    json::object const& document, core::TenantId tenant_id, crypto::Keyring const& keyring)
{
    return open_member(document, payments_api_key_name, tenant_id, keyring);
}

bool has_purchases_api_key(json::object const& document) noexcept
{
    return find(document, purchases_api_key_name) != nullptr;
}

bool has_payments_api_key(json::object const& document) noexcept
{
    return find(document, payments_api_key_name) != nullptr;
}

AccessSettings access_settings(json::object const& document) noexcept
{
    AccessSettings settings;
    if (auto const* value = find(document, past_due_is_active_name))
        settings.past_due_is_active = *value == true;
    auto const* leeway = find(document, renewal_leeway_name);
    auto const* seconds = leeway == nullptr ? nullptr : leeway->if_int64();
    if (seconds != nullptr) settings.renewal_leeway = std::chrono::seconds(*seconds);
    return settings;
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

json::array seal_signing_secrets(
    std::span<WebhookSecret const> secrets, core::TenantId tenant_id, crypto::Keyring const& keyring)
{
    json::array items;
    for (auto const& secret : secrets) {
        json::value sealed(seal(secret.value, payments_secrets_name, tenant_id, keyring));
        // Replicas of older versions read only items that are texts.
        if (secret.environment == SecretEnvironment::any)
            items.push_back(std::move(sealed));
        else
            items.push_back(json::object{
                {secret_name, std::move(sealed)}, {environment_name, to_string(secret.environment)}});
    }
    return items;
}

bool has_secrets(json::object const& document)
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
