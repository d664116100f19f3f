// The input is a sequence of webhooks of the purchase provider, one payload on each line.
#include "core/id.hpp"
#include "domain/own_event.hpp"
#include "domain/purchase_rules.hpp"
#include "events.hpp"

using billing::PurchaseEvent;
using fuzz::require;

namespace {

void check_event(PurchaseEvent const& event)
{
    require(!event.user_id.empty() && fuzz::is_id(event.user_id.text()));
    require(!event.product.empty() && fuzz::is_id(event.product) && fuzz::is_id(event.store));
    require(fuzz::is_id(event.purchase_id) && fuzz::is_fact(event.fact));
    require(event.aliases.size() <= billing::max_aliases);
    for (auto const& alias : event.aliases)
        require(alias != event.user_id && !alias.empty() && fuzz::is_id(alias.text()));
}

/// A grant with the values of the event stays the same when it is archived and read again.
void check_own_event(PurchaseEvent const& purchase)
{
    billing::Event event{.provider = billing::Provider::internal,
        .id = "0190a5d2-0000-7000-8000-0000000000ff",
        .type = std::string(billing::grant_type)};
    event.environment = core::Environment::sandbox;
    event.user_id = purchase.user_id;
    event.at = purchase.fact.order.at;
    event.data = purchase;
    auto const document = billing::parse_document(billing::own_payload(event));
    require(document.has_value());
    auto const parsed = billing::parse_own_event(*document);
    require(parsed.faults.empty() && parsed.event.user_id == event.user_id && parsed.event.at == event.at);
    auto const& again = std::get<PurchaseEvent>(parsed.event.data);
    require(again.source == purchase.source && again.user_id == purchase.user_id);
    require(again.product == purchase.product && again.store == purchase.store);
    require(again.purchase_id == purchase.purchase_id && again.fact == purchase.fact);
    auto const erased =
        billing::erase_from_event(billing::Provider::internal, event.user_id, billing::own_payload(event),
            std::span(&purchase.user_id, 1), core::UserId("deleted:0190a5d2-0000-7000-8000-0000000000ff"));
    require(erased.is_erased && erased.payload == billing::removed_payload);
}

using Rows = std::vector<billing::Entitlement>;

/// The rows for which `condition` is true, by id.
Rows those(Rows const& rows, auto const& condition)
{
    Rows found;
    std::ranges::copy_if(rows, std::back_inserter(found), condition);
    std::ranges::sort(found, {}, &billing::Entitlement::id);
    return found;
}

Rows with_ids(Rows const& rows, std::vector<core::Uuid> const& ids)
{
    return those(
        rows, [&](billing::Entitlement const& e) { return std::ranges::find(ids, e.id) != ids.end(); });
}

/// The rows after the events, applied one by one; nullopt if one of them needs the history.
std::optional<Rows> applied(std::vector<PurchaseEvent> const& events)
{
    Rows rows;
    std::set<core::UserId> named; // by earlier events of other users
    for (auto const& event : events) {
        auto const stored = with_ids(rows, billing::affected_entitlement_ids(event, fuzz::scope_id));
        auto const decision = billing::decide(event, fuzz::scope_id, stored, named.contains(event.user_id));
        if (decision.needs_history) return std::nullopt;
        for (auto const& write : decision.writes) {
            std::erase_if(rows, [&](auto const& e) { return e.id == write.to.id; });
            rows.push_back(write.to);
        }
        named.insert(event.aliases.begin(), event.aliases.end());
    }
    return rows;
}

/// Applying the events one by one gives the same result as folding the user's history, which has the events
/// that name the user.
void check_decisions(std::vector<PurchaseEvent> const& events, std::set<core::UserId> const& users)
{
    auto const rows = applied(events);
    if (!rows) return;
    for (auto const& user : users) {
        std::vector<PurchaseEvent> history;
        std::ranges::copy_if(events, std::back_inserter(history), [&](PurchaseEvent const& event) {
            return event.user_id == user || std::ranges::find(event.aliases, user) != event.aliases.end();
        });
        auto const ids = billing::purchase_ids(fuzz::scope_id, user, history);
        billing::mark_purchases(fuzz::scope_id, user, history, with_ids(*rows, ids));
        auto const of_user = those(*rows, [&](billing::Entitlement const& e) { return e.user_id == user; });
        require(of_user == billing::fold_purchases(fuzz::scope_id, user, history));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    auto const events = fuzz::read_events({data, size}, billing::Provider::purchases);
    std::vector<PurchaseEvent> purchases;
    std::set<core::UserId> users;
    for (auto const& event : events) {
        auto const* purchase = std::get_if<PurchaseEvent>(&event.data);
        if (purchase == nullptr) continue;
        check_event(*purchase);
        check_own_event(*purchase);
        purchases.push_back(*purchase);
        users.insert(purchase->user_id);
    }
    fuzz::check_history(events, users);
    check_decisions(purchases, users);
    return 0;
}
