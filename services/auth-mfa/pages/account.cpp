#include "pages/account.hpp"

#include "api/account_export.hpp"
#include "api/email_verification.hpp"
#include "api/identities.hpp"
#include "api/sessions.hpp"
#include "api/trusted_devices.hpp"
#include "pages/account_data.hpp"
#include "pages/signed_in_page.hpp"

namespace auth_mfa::pages {

extern std::string_view const account_html, account_activity_html; // files of pages/templates/

namespace {

constexpr std::string_view title = "account.title";

/// Calls the API, and returns to the account's page with the text `notice.NOTICE`, or shows the error there.
asio::awaitable<http::Response> change(Page& page, ApiHandler handler, std::string_view notice)
{
    auto const result = co_await call_api(page, handler);
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return page.show_failure(view_of<account_html>(), title, co_await account_data(page), *failure);
    co_return page.redirect("/account?notice=" + std::string(notice));
}

} // namespace

asio::awaitable<http::Response> get_account(Page& page)
{
    co_return page.show(view_of<account_html>(), title, co_await account_data(page));
}

asio::awaitable<http::Response> get_account_activity(Page& page)
{
    co_return page.show(view_of<account_activity_html>(), "account_activity.title",
        co_await activity_data(page, page.request().query));
}

asio::awaitable<http::Response> get_account_export(Page& page)
{
    auto const request = co_await page.api_request({});
    co_return co_await export_me(request, page.deps());
}

asio::awaitable<http::Response> post_account_verification(Page& page)
{
    return change(page, request_verification, "verification_sent");
}

asio::awaitable<http::Response> post_end_other_sessions(Page& page)
{
    return change(page, end_other_sessions, "sessions_ended");
}

asio::awaitable<http::Response> post_end_session(Page& page)
{
    return change(page, end_session, "session_ended");
}

asio::awaitable<http::Response> post_forget_devices(Page& page)
{
    return change(page, forget_devices, "devices_forgotten");
}

asio::awaitable<http::Response> post_forget_device(Page& page)
{
    return change(page, forget_device, "device_forgotten");
}

asio::awaitable<http::Response> post_unlink_identity(Page& page)
{
    return change(page, unlink_identity, "identity_unlinked");
}

} // namespace auth_mfa::pages
