#pragma once

#include "deps.hpp"
#include "http/message.hpp"

namespace billing {

/// Whether the request for a list of events filters by type, result or the time of the event. Such a list
/// scans the archive in the order of receipt, because no index supports these filters.
bool scans_archive(http::Request const& req);

/// GET /v1/events: the events received from the providers, and those of this service.
asio::awaitable<http::Response> list_events(http::Request const& req, Deps& deps);
/// POST /v1/events/{eventId}/replay: applies an event again, with the current rules and settings.
asio::awaitable<http::Response> replay_event(http::Request const& req, Deps& deps);

} // namespace billing
