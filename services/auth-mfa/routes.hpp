#pragma once

#include "api/accounts.hpp"
#include "api/audit.hpp"
#include "api/challenges.hpp"
#include "api/enroll_page.hpp"
#include "api/external_sign_in.hpp"
#include "api/factors.hpp"
#include "api/members.hpp"
#include "api/owners.hpp"
#include "api/password_sign_in.hpp"
#include "api/recovery_codes.hpp"
#include "api/sessions.hpp"
#include "api/settings.hpp"
#include "api/sms_factor.hpp"
#include "api/sms_opt_outs.hpp"
#include "api/totp_factor.hpp"
#include "api/trusted_devices.hpp"
#include "api/well_known.hpp"
#include "docs/routes.hpp"
#include "service/routes.hpp"

namespace auth_mfa {

/// Twilio's form contains a text message of up to 1,600 characters (up to 15,000 bytes) and other fields.
inline constexpr http::RouteOptions twilio_options{.tenantless = true, .body_limit = 64 << 10};

/// The service's own routes: method, path, allowed callers, handler.
inline constexpr auto own_routes = [] {
    using core::Access;
    using enum http::Method;
    using http::tenantless;
    constexpr auto anyone = Access::anonymous;
    constexpr auto any_user = Access::any_user;
    constexpr auto owners = Access::owner | Access::master;
    return std::to_array<http::Route<Deps>>({
        {post, "/v1/auth/register", anyone, register_user},
        {post, "/v1/auth/login", anyone, login},
        {post, "/v1/auth/external", anyone, sign_in_externally},
        {post, "/v1/auth/refresh", anyone, refresh},
        {post, "/v1/auth/logout", anyone, logout},
        {get, "/v1/auth/me", any_user, get_me},
        {post, "/v1/auth/password", any_user, change_password},
        {get, "/v1/auth/sessions", any_user, list_sessions},
        {del, "/v1/auth/sessions/{sessionId}", any_user, end_session},

        // factors
        {post, "/v1/auth/mfa/challenge", anyone, send_challenge},
        {post, "/v1/auth/mfa/verify", anyone, verify_challenge},
        {get, "/v1/auth/mfa", any_user, get_factors},
        {post, "/v1/auth/mfa/sms/setup", any_user, set_up_sms},
        {post, "/v1/auth/mfa/sms/confirm", any_user, confirm_sms},
        {del, "/v1/auth/mfa/sms", any_user, disable_sms},
        {post, "/v1/auth/mfa/totp/setup", any_user, set_up_totp},
        {post, "/v1/auth/mfa/totp/confirm", any_user, confirm_totp},
        {del, "/v1/auth/mfa/totp", any_user, disable_totp},
        {post, "/v1/auth/mfa/recovery-codes", any_user, replace_recovery_codes},
        {get, "/v1/auth/mfa/devices", any_user, list_devices},
        {del, "/v1/auth/mfa/devices", any_user, forget_devices},
        {del, "/v1/auth/mfa/devices/{deviceId}", any_user, forget_device},
        {post, "/webhooks/sms/twilio", anyone, receive_twilio, twilio_options},
        {del, "/v1/admin/sms/opt-outs/{phone}", Access::master, clear_opt_out, tenantless},

        // hosted page
        {get, "/enroll", anyone, get_enroll_page},
        {get, "/enroll.css", anyone, get_enroll_style, tenantless},
        {get, "/enroll.js", anyone, get_enroll_script, tenantless},

        {get, "/v1/members", Access::managers, list_members},
        {patch, "/v1/members/{userId}", owners, update_member},
        {del, "/v1/members/{userId}/mfa", Access::managers, reset_member},
        {get, "/v1/settings", owners, get_settings},
        {patch, "/v1/settings", owners, update_settings},
        {get, "/v1/audit", Access::managers, list_audit},

        {get, "/.well-known/jwks.json", anyone, get_jwks, tenantless},
        {get, "/.well-known/openid-configuration", anyone, get_discovery, tenantless},

        {post, "/v1/admin/tenants/{slug}/owners", Access::master, create_owner,
            {.idempotent = true, .tenantless = true}},
    });
}();

/// The API reference, generated from the contract at build time.
docs::Reference const& reference();

/// All routes of the service: its own routes, and the routes that all services share.
inline constexpr auto routes =
    core::joined(own_routes, service::tenant_routes<Deps>, docs::routes<Deps, reference>);

} // namespace auth_mfa
