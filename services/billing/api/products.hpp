#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// POST /v1/products
asio::awaitable<http::Response> create_product(http::Request const& req, Deps& deps);
/// GET /v1/products
asio::awaitable<http::Response> list_products(http::Request const& req, Deps& deps);
/// GET /v1/products/{productId}
asio::awaitable<http::Response> get_product(http::Request const& req, Deps& deps);
/// PATCH /v1/products/{productId}
asio::awaitable<http::Response> update_product(http::Request const& req, Deps& deps);
/// DELETE /v1/products/{productId}
asio::awaitable<http::Response> delete_product(http::Request const& req, Deps& deps);

} // namespace billing
