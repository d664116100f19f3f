#include "pages/signed_in_page.hpp"

#include "domain/errors.hpp"
#include "flows/fresh_authentication.hpp"
#include "flows/signed_in_user.hpp"

#include <boost/json/parse.hpp>

namespace auth_mfa::pages {

asio::awaitable<http::Response> run_for_user(Page& page, bool knows_user, Handler handler, std::string back)
{
    if (knows_user) {
        try {
            co_return co_await handler(page);
        } catch (core::Error const& error) {
            if (auto confirmation = page.confirm_identity(error, back)) co_return *std::move(confirmation);
            if (!is(error, core::codes::unauthorized)) throw;
        }
    }
    page.clear_session();
    page.clear_sign_in();
    co_return page.redirect(with_next("/login", back));
}

asio::awaitable<http::Response> run_signed_in(Page& page, Handler handler)
{
    std::string const path(page.request().path);
    return run_for_user(page, page.session() != nullptr, handler, may_return_to(path) ? path : "/account");
}

bool ends_page(Failure const& failure)
{
    return is(failure, core::codes::unauthorized) || is(failure, core::codes::not_found) ||
           is(failure, codes::reauthentication_required);
}

asio::awaitable<std::variant<http::Response, Failure>> call_api(
    Page const& page, ApiHandler handler, boost::json::object const& body)
{
    auto const request = co_await page.api_request(body);
    co_return co_await attempt_or_end(handler(request, page.deps()));
}

asio::awaitable<boost::json::object> read_api(Page const& page, ApiHandler handler, std::string_view query)
{
    auto request = co_await page.api_request({});
    request.query = query;
    auto const response = co_await handler(request, page.deps());
    co_return boost::json::parse(response.body).as_object();
}

asio::awaitable<void> require_recent(Page const& page)
{
    auto const request = co_await page.api_request({});
    co_await require_fresh(request, page.deps(), co_await signed_in_user(request, page.deps()));
}

} // namespace auth_mfa::pages
