#include "pages/enrolling.hpp"

#include "flows/signed_in_user.hpp"
#include "pages/next.hpp"
#include "pages/show_codes.hpp"

#include <array>

namespace auth_mfa::pages {

namespace {

/// The page to return to after an authentication: the first one of the request's factor.
std::string_view first_page(Page const& page)
{
    for (std::string_view const path : {"/enroll/sms", "/enroll/totp", "/enroll/passkey"})
        if (page.request().path.starts_with(path)) return path;
    return "/enroll";
}

} // namespace

bool knows_user(Page const& page)
{
    return page.session() != nullptr || (page.sign_in() != nullptr && page.sign_in()->enrols);
}

asio::awaitable<http::Response> run_enrolling(Page& page, Handler handler)
{
    auto const back = with_next(first_page(page), authorization_path(page.next()));
    return run_for_user(page, knows_user(page), handler, back);
}

asio::awaitable<User> enrolling_user(Page const& page)
{
    auto const request = co_await page.api_request({});
    co_return co_await signed_in_user(request, page.deps());
}

Data enrolling_data(Page const& page, User const& user)
{
    Data data;
    if (page.session() == nullptr) data.set("email", user.email);
    return data;
}

http::Response complete(Page& page, User const& user, Enrolled const& enrolled, std::string_view notice)
{
    std::string next = authorization_path(page.next());
    if (next.empty()) next = "/account";
    if (enrolled.signed_in) {
        if (page.sign_in() != nullptr && !page.sign_in()->next.empty()) next = page.sign_in()->next;
        page.set_session(*enrolled.signed_in);
    }
    if (!enrolled.recovery_codes.empty())
        return show_codes(page, enrolled.recovery_codes, user.email, next,
            page.language().text("notice." + std::string(notice)));
    return page.redirect(next == "/account" ? next + "?notice=" + std::string(notice) : next);
}

} // namespace auth_mfa::pages
