#include "ingest/publish.hpp"

#include "core/json_writer.hpp"
#include "domain/entitlement_view.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "outbound_webhooks/webhook_rows.hpp"
#include "storage/entitlements.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace billing::ingest {

namespace {

/// What the payloads of all changes have in common.
struct Publication {
    core::Scope scope;
    AccessSettings settings;
    core::Time now;
    std::optional<std::string_view> reason;
};

std::string payload_of(
    Publication const& publication, EntitlementChange const& change, EntitlementView const& view)
{
    auto const status_of = [&](Entitlement const& e) {
        return to_string(shown_status(e.status, publication.settings));
    };
    core::JsonWriter w(1024);
    w.begin_object()
        .member("from", change.from ? std::optional(status_of(*change.from)) : std::nullopt)
        .member("to", status_of(change.to))
        .member("reason", publication.reason)
        .key("entitlement");
    write_entitlement(w, view, publication.scope.environment(), publication.settings, publication.now);
    w.end_object();
    return std::move(w).str();
}

} // namespace

void publish_changes(pg::Tx& tx, core::ScopeId scope_id, AccessSettings const& settings,
    std::string const& traceparent, std::span<EntitlementChange const> changes, core::Time now,
    std::optional<std::string_view> reason)
{
    // Builds no payloads if no webhook is enabled, because a sync may have many changes.
    if (changes.empty() || !outbound_webhooks::store::any_enabled(tx, scope_id)) return;
    std::vector<EntitlementChange const*> published;
    std::vector<Entitlement> entitlements;
    for (auto const& change : changes) {
        if (!reason && change.from && !differs(*change.from, change.to)) continue;
        published.push_back(&change);
        entitlements.push_back(change.to);
    }
    if (published.empty()) return;
    Publication const publication{{.id = scope_id, .slug = {}}, settings, now, reason};
    auto const views = entitlements::join_catalog(tx, publication.scope, std::move(entitlements));
    for (std::size_t i = 0; i < views.size(); ++i)
        outbound_webhooks::publish(tx,
            outbound_webhooks::EventContext{.scope_id = scope_id, .traceparent = traceparent},
            {.type = entitlement_changed,
                .data_json = payload_of(publication, *published[i], views[i]),
                .at = now,
                .user_id = published[i]->to.user_id.text()});
}

} // namespace billing::ingest
