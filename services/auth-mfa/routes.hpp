#pragma once

#include "api/account_export.hpp"
#include "api/accounts.hpp"
#include "api/activity.hpp"
#include "api/audit.hpp"
#include "api/challenges.hpp"
#include "api/clients.hpp"
#include "api/deletion.hpp"
#include "api/email_change.hpp"
#include "api/email_verification.hpp"
#include "api/erasures.hpp"
#include "api/external_sign_in.hpp"
#include "api/factors.hpp"
#include "api/identities.hpp"
#include "api/invitations.hpp"
#include "api/logo.hpp"
#include "api/members.hpp"
#include "api/owners.hpp"
#include "api/passkeys.hpp"
#include "api/password_reset.hpp"
#include "api/password_sign_in.hpp"
#include "api/reauthentication.hpp"
#include "api/recovery_codes.hpp"
#include "api/sessions.hpp"
#include "api/settings.hpp"
#include "api/sms_factor.hpp"
#include "api/sms_opt_outs.hpp"
#include "api/totp_factor.hpp"
#include "api/trusted_devices.hpp"
#include "api/well_known.hpp"
#include "docs/routes.hpp"
#include "flows/signed_in_user.hpp"
#include "oauth/routes.hpp"
#include "pages/routes.hpp"
#include "service/routes.hpp"

namespace auth_mfa {

/// Twilio's form contains a text message of up to 1,600 characters (up to 15,000 bytes) and other fields.
inline constexpr http::RouteOptions twilio_options{.tenantless = true, .body_limit = 64 << 10};

inline constexpr http::RouteOptions expensive{.is_expensive = [](http::Request const&) { return true; }};

inline constexpr http::RouteOptions logo_options{
    .body_limit = max_logo_bytes, .is_expensive = [](http::Request const&) { return true; }};

/// The service's own routes: method, path, allowed callers, handler.
inline constexpr auto own_routes = [] {
    using core::Access;
    using enum http::Method;
    using http::tenantless;
    constexpr auto anyone = Access::anonymous;
    constexpr auto any_user = Access::any_user;
    constexpr auto owners = Access::owner | Access::master;
    constexpr auto owners_and_keys = owners | Access::key;
    /// A user, also one who must enrol a factor before the first session.
    constexpr auto enrolling = any_user | Access::enrolment;
    return std::to_array<http::Route<Deps>>({
        {post, "/v1/auth/register", anyone, register_user},
        {post, "/v1/auth/login", anyone, login},
        {post, "/v1/auth/login/passkey", anyone, login_with_passkey},
        {post, "/v1/auth/external", anyone, sign_in_externally},
        {post, "/v1/auth/refresh", anyone, refresh},
        {post, "/v1/auth/logout", anyone, logout},
        {get, "/v1/auth/me", any_user, get_me},
        {del, "/v1/auth/me", any_user, delete_me},
        {get, "/v1/auth/me/export", any_user, export_me, expensive},
        {get, "/v1/auth/activity", any_user, list_activity},
        {post, "/v1/auth/reauthenticate", any_user, reauthenticate},
        {post, "/v1/auth/reauthenticate/challenge", any_user, send_reauthentication_code},
        {post, "/v1/auth/password", any_user, change_password},
        {post, "/v1/auth/password/forgot", anyone, request_password_reset},
        {post, "/v1/auth/password/reset", anyone, reset_password},
        {post, "/v1/auth/email", any_user, change_email},
        {post, "/v1/auth/email/confirm", anyone, confirm_email},
        {post, "/v1/auth/email/revert", anyone, revert_email},
        {post, "/v1/auth/email/verification", anyone | any_user, request_verification},
        {post, "/v1/auth/email/verify", anyone, verify_email},
        {post, "/v1/auth/invitations/accept", anyone, accept_invitation},
        {post, "/v1/auth/identities", any_user, link_identity},
        {get, "/v1/auth/identities", any_user, list_identities},
        {del, "/v1/auth/identities/{identityId}", any_user, unlink_identity},
        {get, "/v1/auth/sessions", any_user, list_sessions},
        {del, "/v1/auth/sessions", any_user, end_other_sessions},
        {del, "/v1/auth/sessions/{sessionId}", any_user, end_session},

        // factors
        {post, "/v1/auth/mfa/challenge", anyone, send_challenge},
        {post, "/v1/auth/mfa/verify", anyone, verify_challenge},
        {get, "/v1/auth/mfa", any_user, get_factors},
        {post, "/v1/auth/mfa/sms/setup", enrolling, set_up_sms},
        {post, "/v1/auth/mfa/sms/confirm", enrolling, confirm_sms},
        {del, "/v1/auth/mfa/sms", any_user, disable_sms},
        {post, "/v1/auth/mfa/totp/setup", enrolling, set_up_totp},
        {post, "/v1/auth/mfa/totp/confirm", enrolling, confirm_totp},
        {del, "/v1/auth/mfa/totp", any_user, disable_totp},
        {post, "/v1/auth/mfa/recovery-codes", any_user, replace_recovery_codes},
        {get, "/v1/auth/mfa/devices", any_user, list_devices},
        {del, "/v1/auth/mfa/devices", any_user, forget_devices},
        {del, "/v1/auth/mfa/devices/{deviceId}", any_user, forget_device},
        {post, "/v1/auth/passkeys/options", enrolling, create_passkey_options},
        {post, "/v1/auth/passkeys", enrolling, register_passkey},
        {get, "/v1/auth/passkeys", any_user, list_passkeys},
        {del, "/v1/auth/passkeys/{passkeyId}", any_user, remove_passkey},
        {post, "/v1/auth/passkeys/challenge", anyone | any_user, create_passkey_challenge},
        {post, "/webhooks/sms/twilio", anyone, receive_twilio, twilio_options},
        {del, "/v1/admin/sms/opt-outs/{phone}", Access::master, clear_opt_out, tenantless},

        {get, "/logo", anyone, get_logo},

        {get, "/v1/members", Access::staff, list_members, {.is_expensive = searches_members}},
        {post, "/v1/members", owners_and_keys, create_member, http::idempotent},
        {get, "/v1/members/{userId}", Access::staff, get_member},
        {patch, "/v1/members/{userId}", owners_and_keys, update_member},
        {del, "/v1/members/{userId}", Access::staff, delete_member},
        {get, "/v1/members/{userId}/export", Access::staff, export_member, expensive},
        {del, "/v1/members/{userId}/sessions", owners_and_keys, end_member_sessions},
        {del, "/v1/members/{userId}/mfa", Access::staff, reset_member},
        {get, "/v1/members/{userId}/activity", Access::staff, list_member_activity},
        {get, "/v1/erasures", Access::staff, list_erasures},
        {get, "/v1/erasures/{erasureId}", Access::staff, get_erasure},
        {post, "/v1/clients", owners, create_client, http::idempotent},
        {get, "/v1/clients", owners, list_clients},
        {get, "/v1/clients/{clientId}", owners, get_client},
        {patch, "/v1/clients/{clientId}", owners, update_client},
        {del, "/v1/clients/{clientId}", owners, delete_client},
        {post, "/v1/clients/{clientId}/secret", owners, rotate_client_secret, http::idempotent},
        {get, "/v1/settings", owners, get_settings},
        {patch, "/v1/settings", owners, update_settings},
        {put, "/v1/settings/logo", owners, put_logo, logo_options},
        {del, "/v1/settings/logo", owners, delete_logo},
        {get, "/v1/audit", Access::managers, list_audit},

        {get, "/.well-known/jwks.json", anyone, get_jwks, tenantless},
        {get, "/.well-known/openid-configuration", anyone, get_discovery, tenantless},
        {get, "/.well-known/oauth-authorization-server", anyone, get_discovery, tenantless},
        {get, "/.well-known/webauthn", anyone, get_passkey_origins},

        {post, "/v1/admin/tenants/{slug}/owners", Access::master, create_owner,
            {.idempotent = true, .tenantless = true}},
    });
}();

/// The API reference, generated from the contract at build time.
docs::Reference const& reference();

/// The routes that the contract describes: the service's own routes and the shared routes of all services.
inline constexpr auto api_routes = core::joined(own_routes, oauth::routes, pages::entry_routes,
    service::key_routes<Deps, require_owner>(core::Access::owner | core::Access::master),
    service::webhook_routes<Deps, require_staff>, service::tenant_routes<Deps>,
    docs::routes<Deps, reference>);

/// All routes of the service.
inline constexpr auto routes = core::joined(api_routes, pages::inner_routes);

} // namespace auth_mfa
