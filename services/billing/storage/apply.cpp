#include "storage/apply.hpp"

#include "core/json_writer.hpp"
#include "pg/row.hpp"
#include "storage/subscriptions.hpp"
#include "storage/take_in.hpp"
#include "webhooks/store.hpp"
#include "webhooks/webhooks.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace billing::apply {

namespace {

/// The result of applying an event. Everything is written except the archive row.
struct Settled {
    Outcome outcome;
    std::vector<Change> changes;
    std::optional<std::string> user_id; ///< the event's user, if only stored rows name the user
    bool again = false;                 ///< the same event decided the stored state
};

/// Applies one event to the rows of its scope. The caller holds the scope's lock.
class Settling {
public:
    Settling(pg::Tx& tx, std::int64_t scope_id, PaymentRules const& rules)
        : tx_(tx), scope_id_(scope_id), rules_(rules)
    {
    }

    Settled operator()(Skipped const& skipped) const
    {
        return {.outcome = {Result::skipped, std::string(skipped.reason)}};
    }

    Settled operator()(PurchaseEvent const& event)
    {
        auto const ids = entitlements_concerned(event, scope_id_);
        HeldPurchases held;
        for (auto& entitlement : entitlements::by_ids(tx_, scope_id_, ids))
            (entitlement.id == ids[0] ? held.subscription : held.consumable) = std::move(entitlement);
        auto decision = decide(event, scope_id_, held);
        if (decision.needs_history) return settle_history(event, *held.subscription);
        Settled settled{.outcome = outcome_of(decision), .again = decision.again};
        auto& before = held.consumable ? held.consumable : held.subscription;
        if (decision.write) settled.changes.push_back(write(std::move(before), *std::move(decision.write)));
        return settled;
    }

    Settled operator()(SubscriptionEvent const& event)
    {
        auto const before = subscriptions::find(tx_, scope_id_, event.subscription_id);
        if (before && decide(before, event, false).kind == PaymentDecision::Kind::applies)
            return {.outcome = {Result::applied, {}}, .changes = keep(before, after_event(before, event))};
        auto const history = archive::history_of_subject(tx_, scope_id_, event.subscription_id);
        auto folded = fold(history, event.subscription_id, &event);
        archive::mark_applied(tx_, scope_id_, event.subscription_id, event.user_id);
        Settled settled{.changes = keep(before, joined(before, *std::move(folded)))};
        bool const is_news = !before || !settled.changes.empty();
        settled.outcome.result = is_news ? Result::applied : Result::stale;
        settled.again = before && before->order == event.order;
        return settled;
    }

    Settled operator()(InvoiceEvent const& event)
    {
        auto const before = subscriptions::find(tx_, scope_id_, event.subscription_id);
        if (!before) return settle_unknown(event);
        auto decision = decide(before, event);
        return {.outcome = outcome_of(decision.kind),
            .changes = keep(before, std::move(decision.after).value_or(*before)),
            .user_id = before->user_id,
            .again = before->paid && before->paid->order == event.order};
    }

private:
    Change write(std::optional<Entitlement> from, Entitlement to)
    {
        entitlements::put(tx_, scope_id_, to);
        return {std::move(from), std::move(to)};
    }

    /// Handles an event which shows that the product is a consumable, although earlier events were applied as
    /// events of a subscription.
    Settled settle_history(PurchaseEvent const& event, Entitlement const& subscription)
    {
        std::vector<PurchaseEvent> events{event};
        for (auto& known : archive::history_of_user(tx_, scope_id_, event.user_id))
            if (auto* purchase = std::get_if<PurchaseEvent>(&known.fact);
                purchase != nullptr && purchase->product == event.product)
                events.push_back(std::move(*purchase));
        auto const folded = fold_purchases(scope_id_, events);
        // The event that decided the subscription may now belong to the consumable.
        bool const moved = std::ranges::any_of(folded, [&](Entitlement const& e) {
            return !e.transaction_id.empty() && e.transaction_id == subscription.last_transaction_id;
        });
        if (moved && std::ranges::find(folded, subscription.id, &Entitlement::id) == folded.end())
            entitlements::remove(tx_, scope_id_, subscription.id);
        Settled settled;
        for (auto const& wanted : folded)
            if (auto change = replace(wanted, moved)) settled.changes.push_back(*std::move(change));
        bool const decides = std::ranges::any_of(
            settled.changes, [&](Change const& change) { return change.to.last == event.order; });
        settled.outcome.result = decides ? Result::applied : Result::stale;
        return settled;
    }

    /// Writes an entitlement that fold_purchases() returned, unless a later event decided the stored row.
    /// `moved`: the event that decided the stored subscription belongs to a consumable, so the subscription's
    /// row is replaced in any case.
    std::optional<Change> replace(Entitlement wanted, bool moved)
    {
        auto const ids = std::array{wanted.id};
        auto rows = entitlements::by_ids(tx_, scope_id_, ids);
        if (rows.empty()) return write(std::nullopt, std::move(wanted));
        auto& held = rows.front();
        bool const is_mistaken = moved && wanted.transaction_id.empty();
        bool const is_same = held.last == wanted.last && held.created_at == wanted.created_at;
        if ((is_same || held.last > wanted.last) && !is_mistaken) return std::nullopt;
        return write(std::move(held), std::move(wanted));
    }

    static std::optional<Subscription> fold(
        std::span<Event const> history, std::string const& id, SubscriptionEvent const* event)
    {
        std::vector<SubscriptionEvent> carried;
        std::vector<InvoiceEvent> invoices;
        if (event != nullptr) carried.push_back(*event);
        for (auto const& known : history) {
            if (auto const* one = std::get_if<SubscriptionEvent>(&known.fact);
                one != nullptr && one->subscription_id == id)
                carried.push_back(*one);
            if (auto const* one = std::get_if<InvoiceEvent>(&known.fact);
                one != nullptr && one->subscription_id == id)
                invoices.push_back(*one);
        }
        return fold_subscription(carried, invoices);
    }

    /// Applies an invoice whose subscription has no stored state. The archive may have events of the
    /// subscription.
    Settled settle_unknown(InvoiceEvent const& event)
    {
        auto const history = archive::history_of_subject(tx_, scope_id_, event.subscription_id);
        auto folded = fold(history, event.subscription_id, nullptr);
        if (!folded) return {.outcome = outcome_of(PaymentDecision::Kind::awaits)};
        pay(*folded, event);
        Settled settled{.outcome = outcome_of(PaymentDecision::Kind::applies), .user_id = folded->user_id};
        settled.changes = keep(std::nullopt, *std::move(folded));
        return settled;
    }

    /// Stores a subscription, and writes the entitlements of all its present and former users.
    std::vector<Change> keep(std::optional<Subscription> const& before, Subscription after)
    {
        if (!before || !same_state(*before, after)) subscriptions::put(tx_, scope_id_, after);
        std::set<std::string> users{after.user_id};
        if (before) users.insert(before->user_id);
        for (auto const& removed : after.removed)
            users.insert(removed.user_id);
        std::vector<Change> changes;
        for (auto const& user : users)
            write_user(user, after, changes);
        return changes;
    }

    void write_user(std::string const& user, Subscription const& after, std::vector<Change>& changes)
    {
        auto known = subscriptions::of_user(tx_, scope_id_, user);
        std::erase_if(known, [&](Subscription const& s) { return s.id == after.id; });
        known.push_back(after);
        auto const held = entitlements::of_source(tx_, scope_id_, user, Source::payments);
        for (auto& wanted : changes_to(held, entitlements_of(scope_id_, user, known, rules_))) {
            auto const it = std::ranges::find(held, wanted.id, &Entitlement::id);
            changes.push_back(write(it == held.end() ? std::nullopt : std::optional(*it), std::move(wanted)));
        }
    }

    pg::Tx& tx_;
    std::int64_t scope_id_;
    PaymentRules rules_;
};

core::Time now_of(pg::Tx& tx)
{
    auto const result = tx.run("SELECT clock_timestamp()");
    return pg::read_first(result, &pg::RowReader::time).value();
}

void announce_one(
    pg::Tx& tx, std::int64_t scope_id, std::string const& traceparent, Change const& change, core::Time now)
{
    auto const& [from, to] = change;
    core::Scope const scope{.id = scope_id, .slug = {}};
    core::JsonWriter w(512);
    w.begin_object().key("from");
    if (from)
        w.value(to_string(from->status));
    else
        w.null();
    w.member("to", to_string(to.status)).key("entitlement");
    for (auto const& shown : entitlements::join_catalog(tx, scope, {to}))
        write(w, shown, scope.environment(), now);
    w.end_object();
    webhooks::Origin const origin{.scope_id = scope_id, .traceparent = traceparent};
    webhooks::publish(tx, origin, entitlement_changed, std::move(w).str(), now);
}

} // namespace

core::Uuid claim_of(Incoming const& incoming)
{
    return incoming.rejected ? incoming.archive_id
                             : archive::claim_of(incoming.event.provider, incoming.event.id);
}

archive::Row row_of(Incoming const& incoming)
{
    auto const& event = incoming.event;
    return {.archive_id = incoming.archive_id,
        .claim = claim_of(incoming),
        .received_at = on_arrival,
        .provider = event.provider,
        .event_id = incoming.rejected ? incoming.archive_id.to_string() : event.id,
        .type = event.type,
        .outcome = {Result::rejected, {}},
        .user_id = event.user_id,
        .subject = incoming.rejected ? std::nullopt : event.subject,
        .event_at = event.at,
        .payload = archive::payload_of(incoming.body)};
}

Outcome outcome_of(PaymentDecision::Kind kind)
{
    switch (kind) {
    case PaymentDecision::Kind::applies:
        return {Result::applied, {}};
    case PaymentDecision::Kind::stale:
        return {Result::stale, {}};
    case PaymentDecision::Kind::ended:
        return {Result::skipped, "subscription_ended"};
    case PaymentDecision::Kind::awaits:
        return {Result::skipped, std::string(archive::awaiting_subscription)};
    case PaymentDecision::Kind::needs_history:
        break;
    }
    throw std::logic_error("an event without a decision has no outcome");
}

Outcome outcome_of(PurchaseDecision const& decision)
{
    return {decision.applies ? Result::applied : Result::stale, {}};
}

Outcome take_in(pg::Tx& tx, Incoming const& incoming)
{
    pg::serialise(tx, incoming.scope_id);
    auto row = row_of(incoming);
    if (archive::is_claimed(tx, incoming.scope_id, row.claim)) return {Result::duplicate, {}};
    row.received_at = now_of(tx);
    Settled settled{.outcome = row.outcome};
    if (!incoming.rejected) {
        Event event = incoming.event;
        event.received(row.received_at);
        settled = std::visit(Settling(tx, incoming.scope_id, incoming.rules), event.fact);
    }
    row.outcome = settled.outcome;
    if (settled.user_id) row.user_id = settled.user_id;
    archive::insert(tx, incoming.scope_id, row);
    announce(tx, incoming.scope_id, incoming.traceparent, settled.changes, row.received_at);
    return settled.outcome;
}

Outcome replay(pg::Tx& tx, std::int64_t scope_id, archive::Archived const& archived,
    PaymentRules const& rules, std::string const& traceparent)
{
    pg::serialise(tx, scope_id);
    if (archived.result == Result::rejected) return {Result::rejected, {}};
    auto event = archive::event_of(archived);
    if (!event) return {Result::rejected, {}};
    Settled const settled = std::visit(Settling(tx, scope_id, rules), event->fact);
    announce(tx, scope_id, traceparent, settled.changes, now_of(tx));
    if (settled.again && settled.changes.empty()) return {Result::duplicate, {}};
    bool const says_more = settled.outcome.result == Result::applied && archived.result != Result::applied;
    if (says_more)
        archive::set_outcome(
            tx, scope_id, archived, settled.outcome, settled.user_id ? settled.user_id : event->user_id);
    return settled.outcome;
}

void announce(pg::Tx& tx, std::int64_t scope_id, std::string const& traceparent,
    std::span<Change const> changes, core::Time now)
{
    // Builds no payloads if no webhook is enabled, because a sync may have many changes.
    if (changes.empty() || !webhooks::store::any_enabled(tx, scope_id)) return;
    for (auto const& change : changes)
        if (!change.from || differs(*change.from, change.to))
            announce_one(tx, scope_id, traceparent, change, now);
}

} // namespace billing::apply
