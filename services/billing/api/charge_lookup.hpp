#pragma once

#include "deps.hpp"
#include "domain/event_outcome.hpp"
#include "http/message.hpp"
#include "ingest/incoming_event.hpp"
#include "tenancy/tenant.hpp"

#include <boost/asio/awaitable.hpp>

namespace billing {

/// Asks the payments provider for the invoice of a refund or lost dispute whose purchase is unknown, and
/// returns the event's outcome afterwards. Returns `outcome` if the tenant has no `paymentsApiKey`, the event
/// has another outcome, the tenant has too many requests in progress, or the request fails. A job asks
/// again later, if the tenant has the API key (ingest/unknown_charges.hpp).
asio::awaitable<EventOutcome> look_up_charge(http::Request const& req, Deps& deps,
    tenancy::Tenant const& tenant, ingest::IncomingEvent const& incoming, EventOutcome outcome);

} // namespace billing
