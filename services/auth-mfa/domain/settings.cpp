#include "domain/settings.hpp"

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
    for (auto const& item : value->as_array()) {
        auto const& one = item.as_object();
        IdentityProvider provider{text_of(one, "issuer"), text_of(one, "audience"), text_of(one, "jwksUrl")};
        providers.push_back(std::move(provider));
    }
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
    auto const* const value = find(tenant, environment, setting);
    return value == nullptr ? std::nullopt : std::optional(json::value_to<std::string>(*value));
}

std::string brand_of(tenancy::Tenant const& tenant, core::Environment environment)
{
    auto const* const value = find(tenant, environment, "brand");
    return value == nullptr ? tenant.display_name : json::value_to<std::string>(*value);
}

std::vector<std::string> sms_countries_of(tenancy::Tenant const& tenant, core::Environment environment)
{
    auto const* const value = find(tenant, environment, "smsCountries");
    return value == nullptr ? std::vector<std::string>() : json::value_to<std::vector<std::string>>(*value);
}

} // namespace auth_mfa
