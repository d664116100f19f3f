#include "storage/webhook_events.hpp"

#include "domain/json.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"

#include <deque>
#include <string>
#include <vector>

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
    Changed const one{scope_id, n};
    publish(tx, {&one, 1}, now);
}

void publish(pg::Tx& tx, std::span<Changed const> changes, core::Time now)
{
    std::vector<core::ScopeId> scopes;
    scopes.reserve(changes.size());
    for (auto const& changed : changes)
        scopes.push_back(changed.scope_id);
    auto const listening = outbound_webhooks::listening(tx, scopes);
    if (listening.empty()) return;
    std::deque<std::string> texts; // the events refer to them
    std::vector<outbound_webhooks::OriginatedEvent> events;
    for (auto const& [scope_id, n] : changes) {
        std::string_view const name = name_of(n.status);
        if (name.empty() || !listening.contains(scope_id)) continue;
        events.push_back({.origin = {.scope_id = scope_id, .traceparent = n.traceparent.value_or("")},
            // A user whose id is the address of an email is its recipient, too.
            .event = {
                .type = name, .data_json = texts.emplace_back(to_json(n)), .at = now, .user_id = n.to}});
    }
    outbound_webhooks::publish_all(tx, events);
}

void publish(pg::Tx& tx, core::ScopeId scope_id, Broadcast const& b, core::Time now)
{
    outbound_webhooks::EventContext const origin{
        .scope_id = scope_id, .traceparent = b.traceparent.value_or("")};
    outbound_webhooks::publish(tx, origin, {.type = all[4], .data_json = to_json(b), .at = now});
}

void publish(
    pg::Tx& tx, core::ScopeId scope_id, EmailDomain const& domain, DnsRecords const& records, core::Time now)
{
    outbound_webhooks::EventContext const origin{.scope_id = scope_id, .traceparent = {}};
    outbound_webhooks::publish(
        tx, origin, {.type = all[5], .data_json = to_json(domain, records), .at = now});
}

} // namespace notify::webhook_events
