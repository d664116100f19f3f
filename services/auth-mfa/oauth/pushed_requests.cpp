#include "oauth/pushed_requests.hpp"

#include "core/json_writer.hpp"
#include "domain/oauth_errors.hpp"
#include "domain/redirect_uri.hpp"
#include "flows/authorization.hpp"
#include "flows/client_authentication.hpp"
#include "oauth/form.hpp"

namespace auth_mfa::oauth {

namespace {

void require_pushable(http::Form const& form, Client const& client)
{
    if (!http::find(form, "request_uri").empty())
        throw invalid_request("The parameter request_uri must not be pushed (RFC 9126, 2.1).");
    auto const client_id = http::find(form, "client_id");
    if (!client_id.empty() && client_id != client.id)
        throw invalid_request("The parameter client_id must name the authenticated client.");
    if (!redirect_uri_matches(client, http::find(form, "redirect_uri")))
        throw invalid_request("The parameter redirect_uri must be exactly one of the client's redirectUris.");
}

} // namespace

asio::awaitable<http::Response> post_pushed_request(http::Request const& req, Deps& deps)
{
    auto const form = read_form(req);
    auto const client = co_await require_client(req, deps, form);
    require_pushable(form, client);
    auto const request =
        co_await read_authorization(req, deps, client, std::string(http::find(form, "redirect_uri")), form);
    co_await count_authorization(req, deps, client);
    auto const request_uri = co_await push_authorization(req, deps, request);
    core::JsonWriter w(256);
    w.begin_object()
        .member("request_uri", request_uri)
        .member("expires_in", pushed_request_lifetime.count())
        .end_object();
    co_return http::Response::created(std::move(w).str()).header("Cache-Control", "no-store");
}

} // namespace auth_mfa::oauth
