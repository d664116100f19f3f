#pragma once

#include "deps.hpp"
#include "http/message.hpp"

/// The custom email domain of a scope. A scope has at most one custom domain. After the domain is verified in
/// DNS, email of the scope is sent from an address in the domain.
namespace notify {

/// POST /v1/domains/verify
asio::awaitable<http::Response> verify_domain(http::Request const& req, Deps& deps);
/// GET /v1/domains/status
asio::awaitable<http::Response> get_domain_status(http::Request const& req, Deps& deps);
/// DELETE /v1/domains
asio::awaitable<http::Response> delete_domain(http::Request const& req, Deps& deps);

} // namespace notify
