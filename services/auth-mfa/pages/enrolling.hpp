#pragma once

#include "domain/user.hpp"
#include "flows/enrolment.hpp"
#include "pages/signed_in_page.hpp"

#include <string_view>

/// The pieces of the pages that add a second factor.
namespace auth_mfa::pages {

/// Whether the page knows its user: from a session, or from a sign-in that requires a factor.
bool knows_user(Page const& page);

/// Calls the handler if the page knows its user. Ends the page like `run_signed_in`.
asio::awaitable<http::Response> run_enrolling(Page& page, Handler handler);

/// The handler of a page that knows its user.
template <Handler handler> asio::awaitable<http::Response> enrolling(Page& page)
{
    return run_enrolling(page, handler);
}

/// The user who adds the factor. Throws UNAUTHORIZED if the session or the sign-in has ended.
asio::awaitable<User> enrolling_user(Page const& page);

/// Calls the API for this user. Throws the errors that end the page.
template <class T>
asio::awaitable<std::variant<T, Failure>> call(Page const& page,
    asio::awaitable<T> (*handler)(http::Request const&, Deps&), boost::json::object const& body)
{
    auto const request = co_await page.api_request(body);
    co_return co_await attempt_or_end(handler(request, page.deps()));
}

/// The values that all these pages have. Pages with a session name its account by themselves.
Data enrolling_data(Page const& page, User const& user);

/// After a new factor: the recovery codes if they are new, else the page that the user wanted.
http::Response complete(Page& page, User const& user, Enrolled const& enrolled, std::string_view notice);

} // namespace auth_mfa::pages
