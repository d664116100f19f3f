#pragma once

#include "deps.hpp"
#include "domain/authorization_request.hpp"
#include "http/message.hpp"
#include "storage/sessions.hpp"

#include <optional>
#include <string>
#include <string_view>

/// The steps of an authorization request that the authorization endpoint, the endpoint for pushed requests
/// and the pages share.
namespace auth_mfa {

/// The client of an authorization request, and where the response goes.
struct AuthorizationTarget {
    Client client;
    std::string redirect_uri; ///< registered; empty if the request is a pushed one, which contains it
    std::string state;        ///< empty: none
};

/// Reads the client and its redirect URI. Throws UNKNOWN_CLIENT or REDIRECT_URI_NOT_REGISTERED: such a
/// request must not be answered with a redirect.
asio::awaitable<AuthorizationTarget> find_authorization_target(
    http::Request const& req, Deps& deps, Parameters const& parameters);

/// Reads the parameters of a request of this client. Throws as `read_authorization_request`, and as
/// `read_id_token_hint`.
asio::awaitable<AuthorizationRequest> read_authorization(http::Request const& req, Deps& deps,
    Client const& client, std::string redirect_uri, Parameters const& parameters);

/// As `read_authorization`, or the pushed request that `request_uri` names, which is used up. Throws
/// `invalid_request_uri` if the pushed request is unknown, expired, used or of another client, and
/// `request_uri_not_supported` for another URI.
asio::awaitable<AuthorizationRequest> take_authorization(
    http::Request const& req, Deps& deps, AuthorizationTarget const& target, Parameters const& parameters);

/// Stores a request that the client pushed, or that a form of its pages sent. Returns its `request_uri`.
asio::awaitable<std::string> push_authorization(
    http::Request const& req, Deps& deps, AuthorizationRequest const& request);

/// Counts a request for its network, whose browser or client is not authenticated. Throws RATE_LIMITED if
/// there were too many.
asio::awaitable<void> count_authorization(http::Request const& req, Deps& deps);

/// As the other overload, for the signed-in user. If Redis cannot be used, the request is served uncounted:
/// it needs nothing else from Redis.
asio::awaitable<void> count_authorization(http::Request const& req, Deps& deps, UserId user_id);

/// As the first overload, for the client that pushes the request.
asio::awaitable<void> count_authorization(http::Request const& req, Deps& deps, Client const& client);

/// The client of a stored request, if it still exists and has the redirect URI; else nullopt.
asio::awaitable<std::optional<Client>> find_client_of(
    http::Request const& req, Deps& deps, AuthorizationRequest const& request);

/// A new code for the client, which it redeems for a session of the browser's user. nullopt if the browser's
/// session has ended.
asio::awaitable<std::optional<std::string>> issue_code(http::Request const& req, Deps& deps,
    AuthorizationRequest const& request, sessions::TokenContents const& browser);

/// The URI that takes the browser back to the client with a code: `code`, `state` and `iss` (RFC 9207).
std::string success_uri(
    http::Request const& req, Deps const& deps, AuthorizationRequest const& request, std::string const& code);

/// As `success_uri`, with an error: `error`, `error_description`, `state` and `iss`.
std::string error_uri(http::Request const& req, Deps const& deps, std::string const& redirect_uri,
    std::string const& state, core::Error const& error);

} // namespace auth_mfa
