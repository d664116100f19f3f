#pragma once

#include "core/fields.hpp"
#include "deps.hpp"
#include "domain/template.hpp"
#include "http/message.hpp"

namespace notify {

/// POST /v1/templates
asio::awaitable<http::Response> create_template(http::Request const& req, Deps& deps);
/// GET /v1/templates
asio::awaitable<http::Response> list_templates(http::Request const& req, Deps& deps);
/// GET /v1/templates/{templateId}
asio::awaitable<http::Response> get_template(http::Request const& req, Deps& deps);
/// PATCH /v1/templates/{templateId}
asio::awaitable<http::Response> update_template(http::Request const& req, Deps& deps);
/// DELETE /v1/templates/{templateId}
asio::awaitable<http::Response> delete_template(http::Request const& req, Deps& deps);
/// POST /v1/templates/{templateId}/preview
asio::awaitable<http::Response> preview_template(http::Request const& req, Deps& deps);

/// Parses `variables` of a body: an object of at most `max_variables` strings. If `variables` is absent or
/// null, the result is empty.
Variables parse_variables(core::Fields& f);

} // namespace notify
