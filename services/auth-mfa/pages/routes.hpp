#pragma once

#include "http/router.hpp"
#include "pages/account.hpp"
#include "pages/account_changes.hpp"
#include "pages/account_confirm.hpp"
#include "pages/assets.hpp"
#include "pages/authorize.hpp"
#include "pages/console.hpp"
#include "pages/enroll.hpp"
#include "pages/enrolling.hpp"
#include "pages/external.hpp"
#include "pages/links.hpp"
#include "pages/login.hpp"
#include "pages/oauth_logout.hpp"
#include "pages/passkeys.hpp"
#include "pages/register.hpp"
#include "pages/signed_in_page.hpp"

#include <array>
#include <string_view>

namespace auth_mfa::pages {

/// A route of a page. Anyone may open it; the handler checks the session's cookie. Errors are pages, too.
template <Handler handler> constexpr http::Route<Deps> page_route(http::Method method, std::string_view path)
{
    return {method, path, core::Access::anonymous, page<handler>, {.error_page = error_page}};
}

/// A route of a page that needs a session.
template <Handler handler>
constexpr http::Route<Deps> signed_in_route(http::Method method, std::string_view path)
{
    return page_route<signed_in<handler>>(method, path);
}

/// A page that is the same for everyone who opens it.
inline constexpr http::RouteOptions public_page{.limits_networks = true, .error_page = error_page};

/// The pages that need no session, to which other sites, apps and mails link. The contract describes them.
inline constexpr auto entry_routes = [] {
    using enum http::Method;
    return std::to_array<http::Route<Deps>>({
        page_route<get_login>(get, "/login"),
        page_route<get_register>(get, "/register"),
        page_route<get_reset>(get, "/reset"),
        page_route<get_verify_email>(get, "/verify-email"),
        page_route<get_invite>(get, "/invite"),
        page_route<get_confirm_email>(get, "/confirm-email"),
        page_route<get_revert_email>(get, "/revert-email"),
        page_route<get_enroll>(get, "/enroll"),
        page_route<get_authorize>(get, "/oauth/authorize"),
        {post, "/oauth/authorize", core::Access::anonymous, post_authorize, {.error_page = error_page}},
        page_route<get_external>(get, "/oauth/external/{name}"),
        page_route<get_external_callback>(get, "/oauth/external/callback"),
        {post, "/oauth/external/callback", core::Access::anonymous, post_external_callback,
            {.error_page = error_page}},
        page_route<get_oauth_logout>(get, "/oauth/logout"),
        {post, "/oauth/logout", core::Access::anonymous, post_oauth_logout, {.error_page = error_page}},
        {get, "/console", core::Access::anonymous, get_console, public_page},
        {get, "/console/config.json", core::Access::anonymous, get_console_config, {.limits_networks = true}},
        {get, "/console/assets/{file}", core::Access::anonymous, get_console_asset, http::tenantless},
        {get, "/pages.css", core::Access::anonymous, get_style, http::tenantless},
        {get, "/pages.js", core::Access::anonymous, get_script, http::tenantless},
    });
}();

/// The forms of the pages, and the pages that only other pages link to or that need a session. They are not
/// part of the contract.
inline constexpr auto inner_routes = [] {
    using enum http::Method;
    return std::to_array<http::Route<Deps>>({
        {get, "/console/", core::Access::anonymous, get_console, public_page},
        {get, "/console/{page}", core::Access::anonymous, get_console, public_page},
        {get, "/console/{page}/{item}", core::Access::anonymous, get_console, public_page},
        {get, "/console/{page}/{item}/{part}", core::Access::anonymous, get_console, public_page},
        {get, "/console/{page}/{item}/{part}/{detail}", core::Access::anonymous, get_console, public_page},

        page_route<post_login>(post, "/login"),
        page_route<post_login_passkey>(post, "/login/passkey"),
        page_route<get_login_verify>(get, "/login/verify"),
        page_route<post_login_verify>(post, "/login/verify"),
        page_route<post_login_send>(post, "/login/send"),
        page_route<post_logout>(post, "/logout"),
        page_route<get_continue>(get, "/oauth/continue/{request}"),
        page_route<post_continue>(post, "/oauth/continue/{request}"),
        page_route<post_passkey_options>(post, "/passkey/options"),
        page_route<post_oauth_logout_confirm>(post, "/oauth/logout/confirm"),

        page_route<post_register>(post, "/register"),
        page_route<post_reset>(post, "/reset"),
        page_route<post_verify_email>(post, "/verify-email"),
        page_route<get_verify_email_send>(get, "/verify-email/send"),
        page_route<post_verify_email_send>(post, "/verify-email/send"),
        page_route<post_invite>(post, "/invite"),
        page_route<post_confirm_email>(post, "/confirm-email"),
        page_route<post_revert_email>(post, "/revert-email"),

        page_route<enrolling<get_enroll_sms>>(get, "/enroll/sms"),
        page_route<enrolling<post_enroll_sms>>(post, "/enroll/sms"),
        page_route<enrolling<get_enroll_sms_code>>(get, "/enroll/sms/code"),
        page_route<enrolling<post_enroll_sms_code>>(post, "/enroll/sms/code"),
        page_route<enrolling<post_enroll_sms_resend>>(post, "/enroll/sms/resend"),
        page_route<enrolling<get_enroll_totp>>(get, "/enroll/totp"),
        page_route<enrolling<post_enroll_totp>>(post, "/enroll/totp"),
        page_route<enrolling<post_enroll_totp_code>>(post, "/enroll/totp/code"),
        page_route<enrolling<get_enroll_passkey>>(get, "/enroll/passkey"),
        page_route<enrolling<post_enroll_passkey>>(post, "/enroll/passkey"),

        signed_in_route<get_account>(get, "/account"),
        signed_in_route<get_account_activity>(get, "/account/activity"),
        {get, "/account/export", core::Access::anonymous, page<signed_in<get_account_export>>,
            {.is_expensive = [](http::Request const&) { return true; }, .error_page = error_page}},
        signed_in_route<post_account_verification>(post, "/account/verification"),
        signed_in_route<post_end_other_sessions>(post, "/account/sessions/end"),
        signed_in_route<post_end_session>(post, "/account/sessions/{sessionId}/end"),
        signed_in_route<post_forget_devices>(post, "/account/devices/forget"),
        signed_in_route<post_forget_device>(post, "/account/devices/{deviceId}/forget"),
        signed_in_route<post_unlink_identity>(post, "/account/identities/{identityId}/unlink"),
        signed_in_route<get_account_password>(get, "/account/password"),
        signed_in_route<post_account_password>(post, "/account/password"),
        signed_in_route<get_account_email>(get, "/account/email"),
        signed_in_route<post_account_email>(post, "/account/email"),
        signed_in_route<get_remove_factor>(get, "/account/factor/{factor}/remove"),
        signed_in_route<post_remove_factor>(post, "/account/factor/{factor}/remove"),
        signed_in_route<get_remove_passkey>(get, "/account/passkeys/{passkeyId}/remove"),
        signed_in_route<post_remove_passkey>(post, "/account/passkeys/{passkeyId}/remove"),
        signed_in_route<get_account_codes>(get, "/account/codes"),
        signed_in_route<post_account_codes>(post, "/account/codes"),
        signed_in_route<get_account_delete>(get, "/account/delete"),
        signed_in_route<post_account_delete>(post, "/account/delete"),
        signed_in_route<get_account_confirm>(get, "/account/confirm"),
        signed_in_route<post_account_confirm>(post, "/account/confirm"),
        signed_in_route<post_account_confirm_send>(post, "/account/confirm/send"),
    });
}();

} // namespace auth_mfa::pages
