#include "domain/settings.hpp"

#include "auth/token_claims.hpp"
#include "core/text.hpp"
#include "domain/brand.hpp"

#include <boost/json/value_to.hpp>

namespace auth_mfa {

namespace {

namespace json = boost::json;

/// The setting `name`; nullptr when it is not set or was cleared.
json::value const* find(tenancy::Tenant const& tenant, core::Environment environment, std::string_view name)
{
    auto const* const value = tenant.settings(environment).document.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

/// The text of the setting `name`; nullopt when it is not set or was cleared.
std::optional<std::string> optional_text(
    tenancy::Tenant const& tenant, core::Environment environment, std::string_view name)
{
    auto const* const value = find(tenant, environment, name);
    return value == nullptr ? std::nullopt : std::optional(json::value_to<std::string>(*value));
}

std::string text_of(json::object const& object, std::string_view name)
{
    return json::value_to<std::string>(object.at(name));
}

} // namespace

bool trusts(
    tenancy::Tenant const& tenant, core::Environment environment, std::optional<std::string> const& provider)
{
    return !provider || std::ranges::any_of(identity_providers_of(tenant, environment),
                            [&](IdentityProvider const& trusted) { return trusted.key() == *provider; });
}

std::vector<IdentityProvider> identity_providers_of(
    tenancy::Tenant const& tenant, core::Environment environment)
{
    std::vector<IdentityProvider> providers;
    auto const* const value = find(tenant, environment, "identityProviders");
    if (value == nullptr) return providers;
    for (auto const& item : value->as_array())
        providers.push_back(IdentityProvider::from_json(item.as_object()));
    return providers;
}

AccountRules account_rules_of(tenancy::Tenant const& tenant, core::Environment environment)
{
    AccountRules rules;
    auto const is = [&](std::string_view name, json::value const& wanted) {
        auto const* const value = find(tenant, environment, name);
        return value != nullptr && *value == wanted;
    };
    rules.verified_only = is("emailVerification", "required");
    rules.sign_up_open = !is("signUp", "closed");
    rules.security_emails = !is("securityEmails", false);
    if (auto const* const policy = find(tenant, environment, "mfaPolicy"))
        rules.mfa_policy = core::stored_enum<MfaPolicy>(std::string_view(policy->as_string()));
    return rules;
}

std::optional<std::string> link_page_of(
    tenancy::Tenant const& tenant, core::Environment environment, std::string_view setting)
{
    return optional_text(tenant, environment, setting);
}

std::string brand_of(tenancy::Tenant const& tenant, core::Environment environment)
{
    auto const* const value = find(tenant, environment, "brand");
    if (value == nullptr) return tenant.display_name;
    auto brand = json::value_to<std::string>(*value);
    auto const* const by_operator = find(tenant, environment, brand_by_operator);
    bool const permitted =
        (by_operator != nullptr && *by_operator == json::value(true)) || !brand_fault(brand);
    return permitted ? brand : tenant.display_name;
}

std::optional<std::string> accent_color_of(tenancy::Tenant const& tenant, core::Environment environment)
{
    return optional_text(tenant, environment, "accentColor");
}

std::optional<Logo> logo_of(tenancy::Tenant const& tenant, core::Environment environment)
{
    auto const* const value = find(tenant, environment, "logo");
    if (value == nullptr) return std::nullopt;
    auto const& logo = value->as_object();
    return Logo{logo.at("width").to_number<std::int64_t>(), logo.at("height").to_number<std::int64_t>(),
        text_of(logo, "sha256")};
}

std::string passkey_rp_id_of(
    tenancy::Tenant const& tenant, core::Environment environment, std::string_view base_host)
{
    if (auto set = optional_text(tenant, environment, "passkeyRpId")) return *std::move(set);
    std::string_view const without_port = base_host.substr(0, base_host.find(':'));
    return core::lower(auth::token::authority(without_port, tenant.slug, environment));
}

std::vector<std::string> sms_countries_of(tenancy::Tenant const& tenant, core::Environment environment)
{
    auto const* const value = find(tenant, environment, "smsCountries");
    return value == nullptr ? std::vector<std::string>() : json::value_to<std::vector<std::string>>(*value);
}

std::optional<std::string> test_code_of(
    tenancy::Tenant const& tenant, core::Environment environment, sms::PhoneNumber const& phone)
{
    auto const* const value = find(tenant, environment, "testPhones");
    if (value == nullptr || environment != core::Environment::sandbox) return std::nullopt;
    for (auto const& item : value->as_array()) {
        auto const& one = item.as_object();
        if (text_of(one, "phone") == phone.text()) return text_of(one, "code");
    }
    return std::nullopt;
}

} // namespace auth_mfa
