#include "pages/passkeys.hpp"

#include "api/passkeys.hpp"
#include "domain/errors.hpp"
#include "pages/next.hpp"

#include <boost/json/serialize.hpp>

namespace auth_mfa::pages {

namespace {

core::Error no_user()
{
    return {core::codes::unauthorized, "This needs a session. Sign in first."};
}

/// Throws UNAUTHORIZED if the purpose needs a user, and there is none.
asio::awaitable<http::Response> options_for(Page& page, std::string_view purpose)
{
    auto const* const state = page.sign_in();
    auto& deps = page.deps();
    if (purpose == "sign-in") {
        auto const request = page.anonymous_request({});
        co_return co_await create_passkey_challenge(request, deps);
    }
    if (purpose == "verify") {
        if (state == nullptr || state->enrols) throw no_user();
        auto const request = page.anonymous_request({{"mfa_token", state->token}});
        co_return co_await create_passkey_challenge(request, deps);
    }
    bool const enrols = state != nullptr && state->enrols;
    if (page.session() == nullptr && !(enrols && purpose == "register")) throw no_user();
    auto const request = co_await page.api_request({});
    if (purpose == "register") co_return co_await create_passkey_options(request, deps);
    if (purpose == "confirm") co_return co_await create_passkey_challenge(request, deps);
    throw core::Error(
        core::codes::bad_request, "The field for must be sign-in, verify, confirm or register.");
}

/// The page that the user needs first; empty if the error is to be shown.
std::string page_first(Page const& page, Failure const& failure, std::string_view purpose)
{
    auto const enrolment = with_next("/enroll/passkey", authorization_path(page.next()));
    if (is(failure, codes::reauthentication_required))
        return with_next("/account/confirm", purpose == "confirm" ? page.next() : enrolment);
    if (is(failure, codes::mfa_challenge_expired)) return "/login?notice=expired";
    if (!is(failure, core::codes::unauthorized)) return {};
    return purpose == "register" ? with_next("/login", enrolment) : "/login?notice=expired";
}

} // namespace

asio::awaitable<http::Response> post_passkey_options(Page& page)
{
    auto const purpose = page.field("for");
    auto result = co_await attempt(options_for(page, purpose));
    if (auto* const response = std::get_if<http::Response>(&result)) co_return std::move(*response);
    auto const& failure = std::get<Failure>(result);
    boost::json::object body;
    if (auto location = page_first(page, failure, purpose); !location.empty())
        body["location"] = location;
    else
        body["message"] = page.message(failure, "passkey");
    co_return http::Response{.status = failure.code().status, .body = boost::json::serialize(body)}.header(
        "Cache-Control", "no-store");
}

} // namespace auth_mfa::pages
