#include "pages/oauth_logout.hpp"

#include "domain/oauth_errors.hpp"
#include "domain/parameters.hpp"
#include "domain/redirect_uri.hpp"
#include "flows/clients.hpp"
#include "flows/id_token_hints.hpp"
#include "http/form.hpp"
#include "http/query.hpp"
#include "pages/headers.hpp"
#include "pg/database.hpp"
#include "storage/sessions.hpp"

#include <algorithm>
#include <array>

namespace auth_mfa::pages {

extern std::string_view const link_result_html, oauth_logout_html; // files of pages/templates/

namespace {

constexpr std::size_t max_state = 2'000, max_other = 2'000, max_query = 12'000;

/// The parameters that post_oauth_logout passes on.
constexpr auto parameters = std::to_array<std::string_view>(
    {"id_token_hint", "logout_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales"});

/// Where the browser goes after the logout.
struct Return {
    std::string client_id; ///< empty: no client is known
    std::string client_name;
    std::string uri; ///< a registered post-logout redirect URI of the client; empty: none
    std::string state;

    /// The URI with the state.
    std::string location() const { return with_parameters(uri, {{"state", state}}); }
};

struct LogoutRequest {
    std::string id_token_hint, client_id, uri, state;
};

LogoutRequest read(Page const& page)
{
    http::Query query(page.request());
    LogoutRequest request{.id_token_hint = query.text("id_token_hint", 0, max_id_token_hint).value_or(""),
        .client_id = query.text("client_id", 0, max_other).value_or(""),
        .uri = query.text("post_logout_redirect_uri", 0, max_redirect_uri).value_or(""),
        .state = query.text("state", 0, max_state).value_or("")};
    query.check();
    return request;
}

/// Throws invalid_request if there is no such client, or it has not registered the URI. Without a client, no
/// URI can be checked, so the browser stays here.
asio::awaitable<Return> require_return(Page& page, LogoutRequest request)
{
    if (request.client_id.empty()) co_return Return();
    auto const client = co_await find_client(page.request(), page.deps(), request.client_id);
    if (!client) throw invalid_request("client_id names no client of this environment.");
    if (!request.uri.empty() && !post_logout_redirect_uri_matches(*client, request.uri))
        throw invalid_request("post_logout_redirect_uri is not registered for the client. Add it to "
                              "postLogoutRedirectUris with PATCH /v1/clients/{clientId}.");
    co_return Return{.client_id = std::move(request.client_id),
        .client_name = client->name,
        .uri = std::move(request.uri),
        .state = std::move(request.state)};
}

/// Whether the client of the hint got it in the session of this browser.
asio::awaitable<bool> is_of_browser(Page& page, IdTokenHint const& hint)
{
    auto const& scope = page.request().scope();
    auto const parent = co_await page.deps().db.read(
        scope, [&](pg::Tx& tx) { return sessions::parent_of(tx, scope, hint.client_id, hint.session_id); });
    co_return parent && *parent == page.session()->session_id;
}

/// Clients that got sessions in the browser's session are told (storage/logout_notices.hpp). Throws if it has
/// not ended: the client must not take the user for signed out.
asio::awaitable<void> require_signed_out(Page& page)
{
    if (auto const failure = co_await page.sign_out()) throw *failure;
}

http::Response leave(Page& page, Return const& after)
{
    if (!after.uri.empty()) return page.redirect(after.location());
    Data data;
    data.set("text", page.language().text("oauth_logout.done_text", {{"brand", page.brand()}}));
    data.set("target", "/login");
    data.set("label", page.language().text("login.submit"));
    return page.show(view_of<link_result_html>(), "oauth_logout.done", std::move(data));
}

/// Browsers apply `form-action` also to the redirect after the form.
void allow_return(http::Response& response, std::string_view uri)
{
    constexpr std::string_view self = "form-action 'self'";
    auto const policy = std::ranges::find(
        response.headers, "Content-Security-Policy", &std::pair<std::string, std::string>::first);
    auto const source = form_source_of(uri);
    if (policy == response.headers.end() || source.empty()) return;
    policy->second.insert(policy->second.find(self) + self.size(), ' ' + source);
}

http::Response ask(Page& page, Return const& after)
{
    Data data;
    set(data, "client", after.client_name);
    set(data, "client_id", after.client_id);
    set(data, "uri", after.uri);
    set(data, "state", after.state);
    // The links to other languages keep the parameters.
    set(data, "kept",
        encode_parameters({{"client_id", after.client_id}, {"post_logout_redirect_uri", after.uri},
            {"state", after.state}}));
    auto response = page.show(view_of<oauth_logout_html>(), "oauth_logout.title", std::move(data));
    if (!after.uri.empty()) allow_return(response, after.uri);
    return response;
}

} // namespace

asio::awaitable<http::Response> get_oauth_logout(Page& page)
{
    auto request = read(page);
    // A token that cannot be verified, because its key is not published any more, counts as absent.
    auto const hint = co_await read_id_token_hint(page.request(), page.deps(), request.id_token_hint);
    if (hint && !request.client_id.empty() && request.client_id != hint->client_id)
        throw invalid_request("id_token_hint was issued to another client than client_id.");
    if (hint) request.client_id = hint->client_id;
    auto const after = co_await require_return(page, std::move(request));
    bool const asks = page.session() != nullptr && !(hint && co_await is_of_browser(page, *hint));
    if (asks) co_return ask(page, after);
    co_await require_signed_out(page);
    co_return leave(page, after);
}

asio::awaitable<http::Response> post_oauth_logout(http::Request const& req, Deps&)
{
    auto const form = http::parse_form(req.body);
    if (!form) throw invalid_request("The body must be a form: application/x-www-form-urlencoded.");
    std::string query;
    for (auto const& [name, value] : *form) {
        if (std::ranges::find(parameters, name) == parameters.end()) continue;
        query = with_parameters(std::move(query), {{name, value}});
    }
    if (query.size() > max_query)
        throw invalid_request(
            "The parameters are too long: at most " + std::to_string(max_query) + " bytes.");
    co_return redirect_to("/oauth/logout" + query);
}

asio::awaitable<http::Response> post_oauth_logout_confirm(Page& page)
{
    auto const after = co_await require_return(page, {.id_token_hint = {},
                                                         .client_id = page.field("client_id"),
                                                         .uri = page.field("post_logout_redirect_uri"),
                                                         .state = page.field("state")});
    co_await require_signed_out(page);
    co_return leave(page, after);
}

} // namespace auth_mfa::pages
