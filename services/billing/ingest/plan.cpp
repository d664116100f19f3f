#include "ingest/plan.hpp"

#include "auth/erased_user_rows.hpp"
#include "domain/named_users.hpp"
#include "domain/purchase_rules.hpp"
#include "domain/subscription_entitlements.hpp"
#include "ingest/sync_requests.hpp"
#include "storage/event_claims.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace billing::ingest {

namespace {

using event_batch::EventWrite;

std::optional<Subscription> find(
    std::span<Subscription const> subscriptions, std::optional<std::string> const& id)
{
    auto const it =
        std::ranges::find_if(subscriptions, [&](Subscription const& s) { return id && s.id == *id; });
    return it == subscriptions.end() ? std::nullopt : std::optional(*it);
}

/// Whether the event is about a subscription of the payments provider.
bool is_about_subscription(IncomingEvent const& incoming)
{
    auto const& data = incoming.event.data;
    bool const names_one =
        std::holds_alternative<SubscriptionEvent>(data) || std::holds_alternative<InvoiceEvent>(data);
    return names_one && !incoming.rejected;
}

/// The user whose entitlements an event about a subscription may change; empty if unknown.
core::UserId user_of(Event const& event, std::span<Subscription const> subscriptions)
{
    if (event.user_id) return *event.user_id;
    auto const stored = find(subscriptions, event.subscription_id);
    return stored ? stored->user_id : core::UserId();
}

/// Whether the event depends on more rows than a batch may handle.
bool exceeds_limits(std::span<Subscription const> subscriptions)
{
    std::size_t items = 0;
    for (auto const& subscription : subscriptions) {
        items += subscription.items.size() + subscription.removed.size();
        for (auto const& paid : subscription.paid)
            items += paid.lines.size();
    }
    return subscriptions.size() > max_subscriptions || items > max_items;
}

std::vector<core::Uuid> distinct(std::vector<core::Uuid> ids)
{
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return ids;
}

/// The ids of the entitlements that the event may change, without repetition.
std::vector<core::Uuid> affected_ids(
    IncomingEvent const& incoming, std::span<Subscription const> subscriptions)
{
    if (incoming.rejected || exceeds_limits(subscriptions)) return {};
    auto const& data = incoming.event.data;
    if (auto const* purchase = std::get_if<PurchaseEvent>(&data))
        return affected_entitlement_ids(*purchase, incoming.scope_id);
    std::vector<core::Uuid> ids;
    core::UserId const user = user_of(incoming.event, subscriptions);
    auto const add = [&](std::string const& product) {
        ids.push_back(entitlement_id(incoming.scope_id, Source::payments, user, product));
    };
    for (auto const& subscription : subscriptions) {
        for (auto const& item : subscription.items)
            add(item.product);
        for (auto const& removed : subscription.removed)
            add(removed.item.product);
    }
    if (auto const* subscription = std::get_if<SubscriptionEvent>(&data))
        for (auto const& item : subscription->items)
            add(item.product);
    return distinct(std::move(ids));
}

/// Decides an event and fills in the rows to write. Returns false if the event needs a transaction of its
/// own.
class Planner {
public:
    Planner(IncomingEvent const& incoming, Snapshot const& snapshot, EventWrite& write)
        : incoming_(incoming), snapshot_(snapshot), write_(write)
    {
    }

    bool operator()(Skipped const& skipped) const
    {
        if (may_request_syncs(incoming_.event)) return false;
        write_.row.outcome = {EventResult::skipped, std::string(skipped.reason)};
        return true;
    }

    bool operator()(PurchaseEvent const& event) const
    {
        auto decision =
            decide(event, incoming_.scope_id, snapshot_.state.entitlements, snapshot_.state.is_named);
        if (decision.needs_history) return false;
        write_.row.outcome = outcome_of(decision);
        if (depends_on_mentions(event) && !snapshot_.state.is_named) write_.unnamed_user = event.user_id;
        for (auto& change : decision.writes)
            add(std::move(change.to));
        return true;
    }

    bool operator()(SubscriptionEvent const& event) const
    {
        auto const before = find(snapshot_.subscriptions, event.subscription_id);
        if (event.items_incomplete) return false;
        write_.is_first = !before;
        return plan(before, decide(before, event, snapshot_.state.has_history));
    }

    bool operator()(InvoiceEvent const& event) const
    {
        auto const before = find(snapshot_.subscriptions, event.subscription_id);
        if (before) write_.row.user_id = before->user_id;
        write_.node = node_of(incoming_.event);
        return plan(before, decide(before, event));
    }

    /// These events are rare, or depend on more rows than a batch reads.
    bool operator()(CheckoutEvent const&) const { return false; }

    bool operator()(ReversalEvent const&) const { return false; }

    bool operator()(SyncEvent const&) const { return false; }

    bool operator()(SettingsEvent const&) const { return false; }

private:
    bool plan(std::optional<Subscription> const& before, PaymentDecision const& decision) const
    {
        if (decision.kind == PaymentDecision::Kind::needs_history) return false;
        write_.row.outcome = outcome_of(decision.kind);
        if (!decision.after) return true;
        auto const& after = *decision.after;
        bool const affects_others = std::ranges::any_of(after.removed,
            [&](Subscription::Removed const& removed) { return removed.user_id != after.user_id; });
        if (affects_others) return false;
        if (!before || !same_state(*before, after)) write_.subscription = after;
        auto subscriptions = snapshot_.subscriptions;
        std::erase_if(subscriptions, [&](Subscription const& s) { return s.id == after.id; });
        subscriptions.push_back(after);
        auto const wanted = entitlements_of(incoming_.scope_id, after.user_id, subscriptions);
        for (auto& changed : changes_to(snapshot_.state.entitlements, wanted))
            add(std::move(changed));
        return true;
    }

    void add(Entitlement entitlement) const
    {
        write_.is_open.push_back(is_active(entitlement.access, incoming_.access_settings, incoming_.now));
        write_.entitlements.push_back(std::move(entitlement));
    }

    IncomingEvent const& incoming_;
    Snapshot const& snapshot_;
    EventWrite& write_;
};

/// Hashes of the users that the event names, and of the user of its stored subscription. Empty if the event
/// names too many users for a batch.
std::vector<crypto::Digest> users_of(
    IncomingEvent const& incoming, std::span<Subscription const> subscriptions)
{
    auto const& named = incoming.event.named_users;
    std::vector<crypto::Digest> hashes;
    if (named.size() > max_named_users) return hashes;
    for (auto const& user : named)
        hashes.push_back(auth::erased_user_rows::hash_of(incoming.scope_id, user.text()));
    if (auto const stored = find(subscriptions, incoming.event.subscription_id))
        hashes.push_back(auth::erased_user_rows::hash_of(incoming.scope_id, stored->user_id.text()));
    return hashes;
}

/// Whether the subscription belongs to the user or has belonged to the user.
bool is_about(Subscription const& s, core::UserId const& user_id)
{
    return s.user_id == user_id ||
           std::ranges::find(s.removed, user_id, &Subscription::Removed::user_id) != s.removed.end();
}

/// Adds the revisions of all rows that the decision depends on.
void add_revisions(IncomingEvent const& incoming, Snapshot const& snapshot, EventWrite& write)
{
    auto const& [subscriptions, state] = snapshot;
    for (auto const& id : affected_ids(incoming, subscriptions)) {
        auto const it = std::ranges::find(state.entitlements, id, &Entitlement::id);
        write.entitlement_revisions.emplace_back(id, it == state.entitlements.end() ? 0 : it->revision);
    }
    for (auto const& subscription : subscriptions)
        write.subscription_revisions.emplace_back(subscription.id, subscription.revision);
    auto const& own_id = write.row.subscription_id;
    if (own_id && !find(subscriptions, own_id)) write.subscription_revisions.emplace_back(*own_id, 0);
    if (!is_about_subscription(incoming)) return;
    write.user_id = user_of(incoming.event, subscriptions);
    write.subscription_count = static_cast<std::size_t>(std::ranges::count_if(
        subscriptions, [&](Subscription const& s) { return is_about(s, write.user_id); }));
}

} // namespace

std::optional<event_batch::SubscriptionQuery> subscription_query_of(IncomingEvent const& incoming)
{
    if (!is_about_subscription(incoming)) return std::nullopt;
    return event_batch::SubscriptionQuery{
        incoming.scope_id, incoming.event.subscription_id, incoming.event.user_id};
}

event_batch::StateQuery state_query_of(
    IncomingEvent const& incoming, std::span<Subscription const> subscriptions)
{
    auto const& event = incoming.event;
    event_batch::StateQuery query{.scope_id = incoming.scope_id,
        .claim = claim_of(incoming),
        .waiting_claim = {},
        .entitlement_ids = affected_ids(incoming, subscriptions),
        .erased_claim = {},
        .users = users_of(incoming, subscriptions),
        .mentioned_user = {},
        .references = event.references};
    auto const* purchase = std::get_if<PurchaseEvent>(&event.data);
    if (purchase != nullptr && depends_on_mentions(*purchase)) query.mentioned_user = event.user_id;
    // Events can wait for a subscription only while it has no stored state.
    bool const is_subscription = !incoming.rejected && std::holds_alternative<SubscriptionEvent>(event.data);
    if (is_subscription && !find(subscriptions, event.subscription_id))
        query.waiting_claim = event_claims::claim_of_waiting(*event.subscription_id);
    if (event.subscription_id && !event.user_id && !find(subscriptions, event.subscription_id))
        query.erased_claim = event_claims::claim_of_erased(*event.subscription_id);
    return query;
}

std::optional<EventWrite> plan_write(IncomingEvent const& incoming, Snapshot const& snapshot)
{
    auto const& state = snapshot.state;
    bool const needs_transaction = incoming.is_deferred || state.has_webhook || state.has_erased ||
                                   state.has_references || exceeds_limits(snapshot.subscriptions);
    if (needs_transaction) return std::nullopt;
    if (incoming.event.named_users.size() > max_named_users) return std::nullopt;
    EventWrite write{.scope_id = incoming.scope_id, .row = archive_row_of(incoming)};
    if (incoming.rejected) return write;
    bool const is_link =
        !incoming.event.references.empty() && !std::holds_alternative<InvoiceEvent>(incoming.event.data);
    if (is_link || !std::visit(Planner(incoming, snapshot, write), incoming.event.data)) return std::nullopt;
    add_revisions(incoming, snapshot, write);
    return write;
}

} // namespace billing::ingest
