#include "pages/authorize.hpp"

#include "batchers.hpp"
#include "domain/oauth_errors.hpp"
#include "domain/parameters.hpp"
#include "flows/authorization.hpp"
#include "http/form.hpp"
#include "pages/headers.hpp"

namespace auth_mfa::pages {

extern std::string_view const oauth_select_html; // a file of pages/templates/

namespace {

constexpr std::string_view authorize_path = "/oauth/authorize";

core::Error expired()
{
    return {codes::authorization_expired,
        "The authorization request is unknown, expired or already answered, or another browser brought it. "
        "Start again in the app."};
}

Parameters parse_parameters(std::string_view text)
{
    auto parameters = http::parse_form(text);
    if (!parameters) throw invalid_request("The parameters are malformed, or more than 100.");
    return *std::move(parameters);
}

/// Where the browser goes with an error of a request. Throws errors that must not go to a client.
std::string uri_of_refused(
    http::Request const& req, Deps const& deps, AuthorizationTarget const& target, core::Error const& error)
{
    if (target.redirect_uri.empty() || is(error, codes::redirect_uri_not_registered)) throw error;
    return error_uri(req, deps, target.redirect_uri, target.state, error);
}

/// The error for a client whose request needs this step, which is not taken.
core::Error refusal(AuthorizationStep step, bool cancelled)
{
    auto const code = code_of_refused(step, cancelled);
    if (step == AuthorizationStep::enrol)
        return {code, "The user has no second factor, which the requested aal2 needs."};
    if (cancelled) return {code, "The user cancelled the sign-in."};
    if (step == AuthorizationStep::wrong_user)
        return {code, "The user signed in to another account than that of id_token_hint."};
    return {code, "The user must sign in, or authenticate again."};
}

http::Response leave(Page& page, AuthorizationRequest const& request, core::Error const& error)
{
    return page.redirect(error_uri(page.request(), page.deps(), request.redirect_uri, request.state, error));
}

asio::awaitable<http::Response> issue(Page& page, AuthorizationRequest const& request)
{
    auto const code = co_await issue_code(page.request(), page.deps(), request, *page.session());
    if (!code) co_return leave(page, request, refusal(AuthorizationStep::sign_in, false));
    co_return page.redirect(success_uri(page.request(), page.deps(), request, *code));
}

asio::awaitable<AuthorizationStep> step_of(Page const& page, AuthorizationRequest const& request, bool is_new)
{
    auto const now = page.deps().clock.now();
    auto const* const session = page.session();
    if (session == nullptr) co_return next_step(request, nullptr, is_new, now);
    BrowserSession browser{.user_id = session->user_id,
        .authenticated_at = session->assurance.authenticated_at,
        .aal2 = session->assurance.aal2};
    if (request.aal2 && !browser.aal2) {
        auto& users = page.deps().batchers.find_user;
        auto const user = co_await users.run({page.request().scope().id, session->user_id});
        browser.has_factor = user && user->has_factor();
    }
    co_return next_step(request, &browser, is_new, now);
}

/// The page of a step of the stored request.
std::string path_of(AuthorizationStep step, std::string const& next)
{
    switch (step) {
    case AuthorizationStep::sign_in:
        return with_next("/login", next);
    case AuthorizationStep::confirm:
        return with_next("/account/confirm", next);
    case AuthorizationStep::enrol:
        return with_next("/enroll", next);
    default:
        return next;
    }
}

/// The path with the languages that the client asked for. The page keeps them in a cookie.
std::string with_languages(std::string path, AuthorizationRequest const& request)
{
    return with_parameters(std::move(path), {{"ui_locales", request.ui_locales}});
}

/// Answers a new request, or stores it and leads the browser to the next step.
asio::awaitable<http::Response> begin(Page& page, AuthorizationRequest request, Client const& client)
{
    if (page.session() != nullptr)
        co_await count_authorization(page.request(), page.deps(), page.session()->user_id);
    auto const step = co_await step_of(page, request, true);
    if (step == AuthorizationStep::issue) co_return co_await issue(page, request);
    if (request.silent) co_return leave(page, request, refusal(step, false));
    if (page.session() == nullptr) co_await count_authorization(page.request(), page.deps());
    PendingAuthorization pending{std::move(request), client.name, page.authorization_secret()};
    auto const id = co_await page.deps().authorization_requests.create(page.request().scope(), pending);
    auto const next = std::string(continue_path) + id;
    co_return page.redirect(with_languages(path_of(step, next), pending.request));
}

/// The stored request of the page's path.
asio::awaitable<PendingAuthorization> require_pending(Page& page)
{
    auto pending = co_await page.find_authorization(page.request().param("request"));
    if (!pending) throw expired();
    if (!co_await find_client_of(page.request(), page.deps(), pending->request)) throw expired();
    page.set_authorization(*pending);
    co_return *std::move(pending);
}

asio::awaitable<void> remove(Page const& page)
{
    auto& requests = page.deps().authorization_requests;
    if (!co_await requests.remove(page.request().scope(), page.request().param("request"))) throw expired();
}

std::string own_path(Page const& page)
{
    return std::string(continue_path) + page.request().param("request");
}

http::Response show_choice(Page& page, AuthorizationStep step)
{
    Data data;
    data.set("self", own_path(page));
    data.set("cancel", own_path(page) + "?cancel=1");
    data.set(step == AuthorizationStep::choose ? "any" : "hinted", "true");
    return page.show(view_of<oauth_select_html>(), "oauth_select.title", std::move(data));
}

} // namespace

asio::awaitable<http::Response> get_authorize(Page& page)
{
    auto const& req = page.request();
    auto const parameters = parse_parameters(req.query);
    auto const target = co_await find_authorization_target(req, page.deps(), parameters);
    auto const result = co_await attempt(take_authorization(req, page.deps(), target, parameters));
    if (auto const* const failure = std::get_if<Failure>(&result))
        co_return page.redirect(uri_of_refused(req, page.deps(), target, *failure));
    co_return co_await begin(page, std::get<AuthorizationRequest>(result), target.client);
}

asio::awaitable<http::Response> post_authorize(http::Request const& req, Deps& deps)
{
    auto const parameters = parse_parameters(req.body);
    auto const target = co_await find_authorization_target(req, deps, parameters);
    auto request_uri = single_value(parameters, "request_uri").value_or("");
    if (request_uri.empty()) {
        auto const result =
            co_await attempt(read_authorization(req, deps, target.client, target.redirect_uri, parameters));
        if (auto const* const failure = std::get_if<Failure>(&result))
            co_return redirect_to(uri_of_refused(req, deps, target, *failure));
        co_await count_authorization(req, deps);
        request_uri = co_await push_authorization(req, deps, std::get<AuthorizationRequest>(result));
    }
    co_return redirect_to(with_parameters(
        std::string(authorize_path), {{"client_id", target.client.id}, {"request_uri", request_uri},
                                         {"redirect_uri", target.redirect_uri}, {"state", target.state}}));
}

asio::awaitable<http::Response> get_continue(Page& page)
{
    auto const pending = co_await require_pending(page);
    auto const& request = pending.request;
    auto const step = co_await step_of(page, request, false);
    bool const cancelled = page.query("cancel") == "1";
    if (cancelled || step == AuthorizationStep::wrong_user) {
        co_await remove(page);
        co_return leave(page, request, refusal(step, cancelled));
    }
    if (step == AuthorizationStep::issue) {
        co_await remove(page);
        co_return co_await issue(page, request);
    }
    if (step == AuthorizationStep::choose || step == AuthorizationStep::other_user)
        co_return show_choice(page, step);
    co_return page.redirect(path_of(step, own_path(page)));
}

asio::awaitable<http::Response> post_continue(Page& page)
{
    auto pending = co_await require_pending(page);
    bool const other = page.field("choice") == "other";
    if (!other && co_await step_of(page, pending.request, false) != AuthorizationStep::choose)
        co_return page.redirect(own_path(page));
    pending.request.selects = false;
    auto& requests = page.deps().authorization_requests;
    co_await requests.replace(page.request().scope(), page.request().param("request"), pending);
    if (!other) co_return page.redirect(own_path(page));
    co_await page.sign_out();
    co_return page.redirect(with_next("/login", own_path(page)));
}

} // namespace auth_mfa::pages
