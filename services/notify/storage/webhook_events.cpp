#include "storage/webhook_events.hpp"

#include "domain/json.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"

namespace notify::webhook_events {

namespace {

/// The event name for a status; empty if the status has no event.
std::string_view name_of(Status status) noexcept
{
    // This list has the order of `all`, which begins with the events of these statuses. `queued` has no
    // event.
    switch (status) {
    case Status::queued:
        break;
    case Status::sent:
        return all[0];
    case Status::delivered:
        return all[1];
    case Status::opened:
        return all[2];
    case Status::failed:
        return all[3];
    }
    return {};
}

} // namespace

void publish(pg::Tx& tx, core::ScopeId scope_id, Notification const& n, core::Time now)
{
    std::string_view const name = name_of(n.status);
    if (name.empty()) return;
    outbound_webhooks::EventContext const origin{
        .scope_id = scope_id, .traceparent = n.traceparent.value_or("")};
    outbound_webhooks::publish(tx, origin,
        {.type = name,
            .data_json = to_json(n),
            .at = now,
            .user_id = n.to}); // a user whose id is the address of an email is its recipient, too
}

void publish(pg::Tx& tx, core::ScopeId scope_id, Broadcast const& b, core::Time now)
{
    outbound_webhooks::EventContext const origin{
        .scope_id = scope_id, .traceparent = b.traceparent.value_or("")};
    outbound_webhooks::publish(tx, origin, {.type = all[4], .data_json = to_json(b), .at = now});
}

} // namespace notify::webhook_events
