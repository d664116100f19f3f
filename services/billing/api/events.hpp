#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// Whether the list is of events of one type or result: it walks the archive along its time.
bool walks_archive(http::Request const& req);

/// GET /v1/events: what the providers sent.
asio::awaitable<http::Response> list_events(http::Request const& req, Deps& deps);
/// POST /v1/events/{eventId}/replay: applies one again, by the rules and the settings of now.
asio::awaitable<http::Response> replay_event(http::Request const& req, Deps& deps);

} // namespace billing
