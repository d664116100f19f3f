#pragma once

#include "core/error.hpp"
#include "pages/page.hpp"

/// The pieces of the pages that need a session.
namespace auth_mfa::pages {

/// Calls the handler if `knows_user`. If not, or if the handler throws UNAUTHORIZED because the session or
/// the sign-in has ended: 303 to the sign-in page. If the handler throws REAUTHENTICATION_REQUIRED: 303 to
/// the page that asks for an authentication. Both pages return to `back`.
asio::awaitable<http::Response> run_for_user(Page& page, bool knows_user, Handler handler, std::string back);

/// As `run_for_user`, for a page that needs a session. The other pages return to this page if a sign-in may
/// return to it, else to the account's page.
asio::awaitable<http::Response> run_signed_in(Page& page, Handler handler);

/// The handler of a page that needs a session.
template <Handler handler> asio::awaitable<http::Response> signed_in(Page& page)
{
    return run_signed_in(page, handler);
}

/// Whether no page shows this error beside its form: it ends the request (see run_signed_in), or the address
/// names something that the account does not have.
bool ends_page(Failure const& failure);

/// As `attempt`, but throws the errors that end the page.
template <class T> asio::awaitable<std::variant<T, Failure>> attempt_or_end(asio::awaitable<T> call)
{
    auto result = co_await attempt(std::move(call));
    if (auto const* const failure = std::get_if<Failure>(&result); failure && ends_page(*failure))
        throw *failure;
    co_return result;
}

/// The handler of a route of the API.
using ApiHandler = asio::awaitable<http::Response> (*)(http::Request const&, Deps&);

/// Calls the API as the signed-in user. The parameters of the page's path are those of the API's path. Throws
/// the errors that end the page.
asio::awaitable<std::variant<http::Response, Failure>> call_api(
    Page const& page, ApiHandler handler, boost::json::object const& body = {});

/// Reads from the API as the signed-in user. `query` is that of the API's request. Throws all errors.
asio::awaitable<boost::json::object> read_api(Page const& page, ApiHandler handler, std::string_view query);

/// Throws REAUTHENTICATION_REQUIRED unless the user authenticated recently. For pages whose form needs that:
/// the user confirms the identity before filling in the form.
asio::awaitable<void> require_recent(Page const& page);

} // namespace auth_mfa::pages
