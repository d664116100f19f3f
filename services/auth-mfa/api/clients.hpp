#pragma once

#include "deps.hpp"
#include "http/message.hpp"

/// The OAuth clients of an environment, for its owners.
namespace auth_mfa {

/// POST /v1/clients
asio::awaitable<http::Response> create_client(http::Request const& req, Deps& deps);
/// GET /v1/clients
asio::awaitable<http::Response> list_clients(http::Request const& req, Deps& deps);
/// GET /v1/clients/{clientId}
asio::awaitable<http::Response> get_client(http::Request const& req, Deps& deps);
/// PATCH /v1/clients/{clientId}
asio::awaitable<http::Response> update_client(http::Request const& req, Deps& deps);
/// DELETE /v1/clients/{clientId}
asio::awaitable<http::Response> delete_client(http::Request const& req, Deps& deps);
/// POST /v1/clients/{clientId}/secret
asio::awaitable<http::Response> rotate_client_secret(http::Request const& req, Deps& deps);

} // namespace auth_mfa
