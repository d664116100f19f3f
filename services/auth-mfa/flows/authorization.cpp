#include "flows/authorization.hpp"

#include "batchers.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/random.hpp"
#include "domain/oauth_errors.hpp"
#include "domain/redirect_uri.hpp"
#include "flows/clients.hpp"
#include "flows/id_token_hints.hpp"
#include "redis/reply.hpp"
#include "state/authorization_requests.hpp"
#include "state/rate_limits.hpp"
#include "tokens/tokens.hpp"

namespace auth_mfa {

namespace {

constexpr std::size_t code_bytes = 32;

core::Error unknown_client()
{
    return {codes::unknown_client, "The parameter client_id is missing, or names no client of this "
                                   "environment. Register the client with "
                                   "POST /v1/clients."};
}

core::Error unregistered_uri()
{
    return {codes::redirect_uri_not_registered,
        "The parameter redirect_uri is missing, or is not exactly one of the client's redirectUris. Register "
        "the URI with PATCH /v1/clients/{clientId}."};
}

bool is_pushed(std::string_view request_uri)
{
    return request_uri.starts_with(pushed_request_prefix);
}

asio::awaitable<AuthorizationRequest> take_pushed(
    http::Request const& req, Deps& deps, Client const& client, std::string_view request_uri)
{
    request_uri.remove_prefix(pushed_request_prefix.size());
    auto pushed = co_await deps.authorization_requests.take_pushed(req.scope(), client.id, request_uri);
    if (!pushed)
        throw core::Error(codes::invalid_request_uri,
            "The request_uri is unknown, expired or already used. Push the request again.");
    if (!redirect_uri_matches(client, pushed->redirect_uri)) throw unregistered_uri();
    pushed->created_at = deps.clock.now();
    co_return *std::move(pushed);
}

} // namespace

asio::awaitable<AuthorizationTarget> find_authorization_target(
    http::Request const& req, Deps& deps, Parameters const& parameters)
{
    auto const client_id = single_value(parameters, "client_id");
    if (!client_id) throw unknown_client();
    auto client = co_await find_client(req, deps, *client_id);
    if (!client) throw unknown_client();
    auto uri = single_value(parameters, "redirect_uri");
    bool const is_registered = uri && redirect_uri_matches(*client, *uri);
    if (!is_registered) {
        // A pushed request has a redirect URI of its own.
        if (!is_pushed(single_value(parameters, "request_uri").value_or(""))) throw unregistered_uri();
        uri.reset();
    }
    co_return AuthorizationTarget{.client = *std::move(client),
        .redirect_uri = std::move(uri).value_or(""),
        .state = single_value(parameters, "state").value_or("")};
}

asio::awaitable<AuthorizationRequest> read_authorization(http::Request const& req, Deps& deps,
    Client const& client, std::string redirect_uri, Parameters const& parameters)
{
    auto request = read_authorization_request(parameters, client, std::move(redirect_uri), deps.clock.now());
    auto const token = single_value(parameters, "id_token_hint");
    if (!token) co_return request;
    auto const hint = co_await read_id_token_hint(req, deps, *token);
    if (hint && hint->client_id == client.id)
        request.hinted_user = hint->user_id.to_string();
    else
        request.bad_hint = true;
    co_return request;
}

asio::awaitable<AuthorizationRequest> take_authorization(
    http::Request const& req, Deps& deps, AuthorizationTarget const& target, Parameters const& parameters)
{
    auto const request_uri = single_value(parameters, "request_uri");
    if (!request_uri)
        co_return co_await read_authorization(req, deps, target.client, target.redirect_uri, parameters);
    if (!is_pushed(*request_uri))
        throw core::Error(codes::request_uri_not_supported,
            "The request_uri must be one that POST /oauth/par returned. Request objects are not supported.");
    co_return co_await take_pushed(req, deps, target.client, *request_uri);
}

asio::awaitable<std::string> push_authorization(
    http::Request const& req, Deps& deps, AuthorizationRequest const& request)
{
    auto const id = co_await deps.authorization_requests.push(req.scope(), request);
    co_return std::string(pushed_request_prefix) + id;
}

asio::awaitable<void> count_authorization(http::Request const& req, Deps& deps)
{
    co_await deps.rate_limits.require(
        {RateLimits::authorizations_from_network(req.scope(), req.remote_address)}, too_many_authorizations);
}

asio::awaitable<void> count_authorization(http::Request const& req, Deps& deps, UserId user_id)
{
    try {
        co_await deps.rate_limits.require(
            {RateLimits::authorizations_of_user(req.scope(), user_id)}, too_many_authorizations);
    } catch (redis::Unavailable const&) {
        co_return;
    }
}

asio::awaitable<void> count_authorization(http::Request const& req, Deps& deps, Client const& client)
{
    if (!client.is_confidential()) {
        co_await count_authorization(req, deps);
        co_return;
    }
    co_await deps.rate_limits.require(
        {RateLimits::pushed_requests_of_client(req.scope(), client.id)}, too_many_authorizations);
}

asio::awaitable<std::optional<Client>> find_client_of(
    http::Request const& req, Deps& deps, AuthorizationRequest const& request)
{
    auto client = co_await find_client(req, deps, request.client_id);
    if (!client || !redirect_uri_matches(*client, request.redirect_uri)) co_return std::nullopt;
    co_return client;
}

asio::awaitable<std::optional<std::string>> issue_code(http::Request const& req, Deps& deps,
    AuthorizationRequest const& request, sessions::TokenContents const& browser)
{
    auto code = crypto::base64url::encode(crypto::random_bytes(code_bytes));
    bool const stored = co_await deps.batchers.insert_code.run({.scope_id = req.scope().id,
        .hash = crypto::sha256(code),
        .session_id = core::Uuid::v7(),
        .parent_id = browser.session_id,
        .user_id = browser.user_id,
        .client_id = request.client_id,
        .redirect_uri = request.redirect_uri,
        .scope = request.scope,
        .nonce = request.nonce,
        .code_challenge = request.code_challenge,
        .now = deps.clock.now()});
    if (!stored) co_return std::nullopt;
    co_return code;
}

std::string success_uri(
    http::Request const& req, Deps const& deps, AuthorizationRequest const& request, std::string const& code)
{
    return with_parameters(request.redirect_uri,
        {{"code", code}, {"state", request.state}, {"iss", deps.tokens.issuer().of(req.scope())}});
}

std::string error_uri(http::Request const& req, Deps const& deps, std::string const& redirect_uri,
    std::string const& state, core::Error const& error)
{
    return with_parameters(redirect_uri,
        {{"error", std::string(oauth_code(error))}, {"error_description", oauth_description(error)},
            {"state", state}, {"iss", deps.tokens.issuer().of(req.scope())}});
}

} // namespace auth_mfa
