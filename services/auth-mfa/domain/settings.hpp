#pragma once

#include "core/enum_names.hpp"
#include "domain/identity_provider.hpp"
#include "domain/user.hpp"
#include "sms/phone.hpp"
#include "tenancy/tenant.hpp"

#include <boost/json/object.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// Which users must have a second factor: the setting `mfaPolicy`.
enum class MfaPolicy : std::uint8_t { optional, required_for_staff, required };

constexpr auto enum_names(MfaPolicy)
{
    return std::to_array<std::string_view>({"optional", "required_for_staff", "required"});
}

/// The rules for accounts of one environment.
struct AccountRules {
    bool verified_only = false; ///< `emailVerification` is `required`
    bool sign_up_open = true;   ///< `signUp` is `open`
    MfaPolicy mfa_policy = MfaPolicy::optional;
    bool security_emails = true; ///< `securityEmails`: whether users get notices about their account

    /// Whether `user` has to enrol a second factor before the next session. Users without a password are
    /// exempt, because they cannot enrol one: their identity provider decides.
    bool requires_enrolment(User const& user) const noexcept
    {
        if (user.has_factor() || !user.has_password()) return false;
        return mfa_policy == MfaPolicy::required ||
               (mfa_policy == MfaPolicy::required_for_staff && user.role != Role::user);
    }
};

AccountRules account_rules_of(tenancy::Tenant const& tenant, core::Environment environment);

/// The page of the tenant to which links in emails lead: the setting `resetUrl`, `verifyUrl` or `inviteUrl`.
/// nullopt if it is not set: the hosted page is used.
std::optional<std::string> link_page_of(
    tenancy::Tenant const& tenant, core::Environment environment, std::string_view setting);

/// The setting `identityProviders` of one environment; empty when the setting is not set.
std::vector<IdentityProvider> identity_providers_of(
    tenancy::Tenant const& tenant, core::Environment environment);
/// Whether the tenant still has the provider with this key (IdentityProvider::key). Removing a provider ends
/// its sessions; a sign-in at the same moment may still open one. True for nullopt: no provider was used.
bool trusts(
    tenancy::Tenant const& tenant, core::Environment environment, std::optional<std::string> const& provider);
/// The member of the settings document that is true if the operator set `brand`. Responses do not show it.
inline constexpr std::string_view brand_by_operator = "brandByOperator";
/// The brand that messages and the hosted pages name: the setting `brand`, or the tenant's display name if
/// that setting is not set. A brand that the operator has not set, and that has a fault (brand_fault), counts
/// as not set: it may have been stored before there was this rule.
std::string brand_of(tenancy::Tenant const& tenant, core::Environment environment);
/// The setting `accentColor`, such as `#1d4ed8`; nullopt if it is not set.
std::optional<std::string> accent_color_of(tenancy::Tenant const& tenant, core::Environment environment);

/// What pages need to know of the logo, which `GET /logo` returns.
struct Logo {
    std::int64_t width = 0, height = 0; ///< pixels
    std::string sha256;                 ///< of the image: 64 hexadecimal digits
};

/// The logo of the environment; nullopt if there is none.
std::optional<Logo> logo_of(tenancy::Tenant const& tenant, core::Environment environment);
/// The RP id of new passkeys: the setting `passkeyRpId`, or the tenant's auth host below `base_host` if that
/// setting is not set. A host name in lower case, without a port. A port of `base_host` is ignored.
std::string passkey_rp_id_of(
    tenancy::Tenant const& tenant, core::Environment environment, std::string_view base_host);
/// The countries (ISO 3166-1 alpha-2) that messages may be sent to. An empty list allows all countries.
std::vector<std::string> sms_countries_of(tenancy::Tenant const& tenant, core::Environment environment);

/// The code of a test phone: the setting `testPhones` of a sandbox. A test phone gets no messages, and its
/// code is always the same. Returns nullopt for all other phones, and in production.
std::optional<std::string> test_code_of(
    tenancy::Tenant const& tenant, core::Environment environment, sms::PhoneNumber const& phone);

} // namespace auth_mfa
