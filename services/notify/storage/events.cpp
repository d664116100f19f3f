#include "storage/events.hpp"

#include "domain/json.hpp"
#include "storage/broadcasts.hpp"
#include "webhooks/webhooks.hpp"

namespace notify::events {

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

void moved(pg::Tx& tx, std::int64_t scope_id, Notification const& n, core::Time now)
{
    std::string_view const name = name_of(n.status);
    if (name.empty()) return;
    webhooks::Origin const origin{.scope_id = scope_id, .traceparent = n.traceparent.value_or("")};
    webhooks::publish(tx, origin, name, to_json(n), now);
}

void broadcast_moved(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id, core::Time now)
{
    auto const completed = broadcasts::complete(tx, scope_id, id, now);
    if (!completed) return;
    webhooks::Origin const origin{.scope_id = scope_id, .traceparent = completed->traceparent.value_or("")};
    webhooks::publish(tx, origin, all[4], to_json(*completed), now);
}

} // namespace notify::events
