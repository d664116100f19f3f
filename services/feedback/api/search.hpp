#pragma once

#include "deps.hpp"
#include "domain/filter.hpp"
#include "http/message.hpp"
#include "http/query.hpp"

namespace feedback {

/// Answers a list with a search query (`filter.text`), in any order. Its items have the member `highlights`.
/// Reads the page from `query` and checks it.
asio::awaitable<http::Response> list_found(
    http::Request const& req, Deps& deps, Filter const& filter, http::Query& query);

} // namespace feedback
