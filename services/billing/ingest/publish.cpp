#include "ingest/publish.hpp"

#include "core/json_writer.hpp"
#include "domain/entitlement_view.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "outbound_webhooks/webhook_rows.hpp"
#include "storage/entitlements.hpp"

#include <utility>

namespace billing::ingest {

namespace {

void publish(pg::Tx& tx, outbound_webhooks::EventContext const& origin, EntitlementChange const& change,
    core::Time now)
{
    auto const& [from, to] = change;
    core::Scope const scope{.id = origin.scope_id, .slug = {}};
    core::JsonWriter w(512);
    w.begin_object().key("from");
    if (from)
        w.value(to_string(from->status));
    else
        w.null();
    w.member("to", to_string(to.status)).key("entitlement");
    for (auto const& view : entitlements::join_catalog(tx, scope, {to}))
        write_entitlement(w, view, scope.environment(), now);
    w.end_object();
    outbound_webhooks::publish(tx, origin,
        {.type = entitlement_changed,
            .data_json = std::move(w).str(),
            .at = now,
            .user_id = to.user_id.text()});
}

} // namespace

void publish_changes(pg::Tx& tx, core::ScopeId scope_id, std::string const& traceparent,
    std::span<EntitlementChange const> changes, core::Time now)
{
    // Builds no payloads if no webhook is enabled, because a sync may have many changes.
    if (changes.empty() || !outbound_webhooks::store::any_enabled(tx, scope_id)) return;
    outbound_webhooks::EventContext const origin{.scope_id = scope_id, .traceparent = traceparent};
    for (auto const& change : changes)
        if (!change.from || differs(*change.from, change.to)) publish(tx, origin, change, now);
}

} // namespace billing::ingest
