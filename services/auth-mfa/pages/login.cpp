#include "pages/login.hpp"

#include "api/challenges.hpp"
#include "api/passkeys.hpp"
#include "api/password_sign_in.hpp"
#include "domain/errors.hpp"
#include "domain/mfa_method.hpp"
#include "domain/settings.hpp"
#include "pages/external.hpp"
#include "pages/methods.hpp"
#include "pages/passkey_field.hpp"
#include "state/challenges.hpp"
#include "tenancy/directory.hpp"

namespace auth_mfa::pages {

extern std::string_view const login_html, login_verify_html; // files of pages/templates/

namespace {

/// The values of the page with the first step.
asio::awaitable<Data> login_data(Page& page, std::string const& email)
{
    auto const& scope = page.request().scope();
    auto const tenant = co_await page.deps().directory.get(scope.slug);
    Data data;
    set(data, "email", email);
    if (account_rules_of(*tenant, scope.environment()).sign_up_open) data.set("sign_up", "true");
    co_await add_providers(page, data);
    co_return data;
}

/// The answer to a first step: the session, the next step, or the first step again with the error.
asio::awaitable<http::Response> after_first_step(
    Page& page, std::variant<SignedIn, Failure> result, std::string email)
{
    if (auto const* const signed_in = std::get_if<SignedIn>(&result))
        co_return co_await page.enter(*signed_in, page.next());
    auto const& failure = std::get<Failure>(result);
    if (auto next_step = page.continue_sign_in(failure, email, page.next())) co_return *std::move(next_step);
    co_return page.show_failure(
        view_of<login_html>(), "login.title", co_await login_data(page, email), failure);
}

Data verify_data(Page const& page, SignInState const& state, std::string const& method, bool sent)
{
    Data data;
    set(data, "email", state.email);
    set(data, "next", state.next); // for the link that begins again
    add_methods(data, page.language(), state.methods, method, sent);
    return data;
}

http::Response begin_again(Page& page)
{
    auto const next = page.pending_next();
    page.clear_sign_in();
    return page.redirect(with_next("/login?notice=expired", next));
}

/// The body of POST /v1/auth/mfa/verify.
boost::json::object verification(Page const& page, SignInState const& state)
{
    auto const method = choose_method(state.methods, page.field("method"));
    boost::json::object body{
        {"mfa_token", state.token}, {"method", method}, {"trustDevice", page.field("trust") == "yes"}};
    if (method == to_string(MfaMethod::passkey))
        body["credential"] = passkey_field(page);
    else
        body["code"] = code_field(page);
    return body;
}

} // namespace

asio::awaitable<http::Response> get_login(Page& page)
{
    if (page.session() != nullptr) co_return page.redirect(page.next().empty() ? "/account" : page.next());
    page.clear_sign_in();
    auto const* const pending = page.authorization();
    auto const email = pending == nullptr ? std::string() : pending->request.login_hint;
    co_return page.show(view_of<login_html>(), "login.title", co_await login_data(page, email));
}

asio::awaitable<http::Response> post_login(Page& page)
{
    auto const email = page.field("email");
    auto const request = page.anonymous_request({{"email", email}, {"password", page.field("password")}});
    co_return co_await after_first_step(
        page, co_await attempt(sign_in_with_password(request, page.deps())), email);
}

asio::awaitable<http::Response> post_login_passkey(Page& page)
{
    auto const request = page.anonymous_request({{"credential", passkey_field(page)}});
    auto result = co_await attempt(sign_in_with_passkey(request, page.deps()));
    if (auto const* const signed_in = std::get_if<SignedIn>(&result))
        co_return co_await page.enter(*signed_in, page.next());
    co_return show_passkey_failure(
        page, view_of<login_html>(), "login.title", co_await login_data(page, ""), std::get<Failure>(result));
}

asio::awaitable<http::Response> get_login_verify(Page& page)
{
    auto const* const state = page.sign_in();
    if (state == nullptr || state->enrols) co_return page.redirect("/login");
    auto const method = choose_method(state->methods, page.query("method"));
    // If SMS is the only factor, the first step has tried to send a code.
    bool sent = was_code_sent(page);
    if (method == to_string(MfaMethod::sms) && !sent) {
        auto& challenges = page.deps().challenges;
        auto const found = co_await attempt(challenges.find(page.request().scope(), state->token));
        if (std::holds_alternative<Failure>(found)) co_return begin_again(page);
        sent = std::get<Challenge>(found).has_code;
    }
    co_return page.show(
        view_of<login_verify_html>(), "verify.title", verify_data(page, *state, method, sent));
}

asio::awaitable<http::Response> post_login_verify(Page& page)
{
    auto const* const state = page.sign_in();
    if (state == nullptr || state->enrols) co_return begin_again(page);
    auto const request = page.anonymous_request(verification(page, *state));
    auto const result = co_await attempt(verify_second_factor(request, page.deps()));
    if (auto const* const signed_in = std::get_if<SignedIn>(&result))
        co_return co_await page.enter(*signed_in, state->next);
    auto const& failure = std::get<Failure>(result);
    if (is(failure, codes::mfa_challenge_expired)) co_return begin_again(page);
    auto const method = choose_method(state->methods, page.field("method"));
    auto data = verify_data(page, *state, method, was_code_sent(page));
    if (method == to_string(MfaMethod::passkey))
        co_return show_passkey_failure(
            page, view_of<login_verify_html>(), "verify.title", std::move(data), failure);
    co_return page.show_failure(view_of<login_verify_html>(), "verify.title", std::move(data), failure,
        {{codes::mfa_invalid_code.name, "code"}});
}

asio::awaitable<http::Response> post_login_send(Page& page)
{
    auto const* const state = page.sign_in();
    if (state == nullptr || state->enrols) co_return begin_again(page);
    auto const request = page.anonymous_request(
        {{"mfa_token", state->token}, {"challenge_type", "oob"}, {"oob_channel", "sms"}});
    auto const result = co_await attempt(send_challenge(request, page.deps()));
    if (std::holds_alternative<http::Response>(result))
        co_return page.redirect("/login/verify?method=sms&sent=1");
    auto const& failure = std::get<Failure>(result);
    if (is(failure, codes::mfa_challenge_expired)) co_return begin_again(page);
    co_return page.show_failure(view_of<login_verify_html>(), "verify.title",
        verify_data(page, *state, "sms", was_code_sent(page)), failure);
}

asio::awaitable<http::Response> post_logout(Page& page)
{
    co_await page.sign_out();
    co_return page.redirect(with_next("/login?notice=signed_out", authorization_path(page.next())));
}

} // namespace auth_mfa::pages
