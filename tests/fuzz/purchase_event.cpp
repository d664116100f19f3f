// The input is a sequence of webhooks of the purchase provider, one payload on each line.
#include "core/id.hpp"
#include "domain/purchase_rules.hpp"
#include "events.hpp"

using billing::PurchaseEvent;
using fuzz::require;

namespace {

void check_event(PurchaseEvent const& event)
{
    require(!event.user_id.empty() && fuzz::is_id(event.user_id.text()));
    require(!event.product.empty() && fuzz::is_id(event.product) && fuzz::is_id(event.transaction_id));
    require(fuzz::is_time(event.purchased_at) && fuzz::is_time(event.expires_at) &&
            fuzz::is_time(event.grace_until));
    require(fuzz::is_time(event.order.at) && event.order.rank >= 0);
}

/// Applying the events one by one gives the same result as folding the whole sequence.
void check_decisions(std::vector<PurchaseEvent> const& events)
{
    std::vector<billing::Entitlement> held;
    auto const find = [&](core::Uuid const& id) -> std::optional<billing::Entitlement> {
        auto const it = std::ranges::find(held, id, &billing::Entitlement::id);
        return it == held.end() ? std::nullopt : std::optional(*it);
    };
    for (auto const& event : events) {
        auto const [subscription, consumable] = billing::affected_entitlement_ids(event, fuzz::scope_id);
        bool const names_one = consumable != subscription;
        auto const decision = billing::decide(event, fuzz::scope_id,
            {.subscription = find(subscription), .consumable = names_one ? find(consumable) : std::nullopt});
        if (decision.needs_history) return;
        if (!decision.write) continue;
        std::erase_if(held, [&](auto const& e) { return e.id == decision.write->id; });
        held.push_back(*decision.write);
    }
    std::ranges::sort(held, {}, &billing::Entitlement::id);
    require(held == billing::fold_purchases(fuzz::scope_id, events));
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
        purchases.push_back(*purchase);
        users.insert(purchase->user_id);
    }
    fuzz::check_history(events, users);
    check_decisions(purchases);
    return 0;
}
