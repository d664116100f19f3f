// The input is a sequence of webhooks of the card payment provider, one payload on each line.
#include "events.hpp"

using billing::SubscriptionEvent, billing::InvoiceEvent;
using fuzz::require;

namespace {

constexpr std::size_t max_items = 100;

void check_fact(SubscriptionEvent const& fact)
{
    require(!fact.subscription_id.empty() && fuzz::is_id(fact.subscription_id));
    require(!fact.user_id.empty() && fuzz::is_id(fact.user_id));
    require(fuzz::is_time(fact.ended_at) && fuzz::is_time(fact.order.at));
    require(fact.items.size() <= max_items);
    require(std::ranges::is_sorted(fact.items, std::ranges::less(), &billing::SubscriptionItem::product));
    for (auto const& item : fact.items) {
        require(!item.product.empty() && fuzz::is_id(item.product) && fuzz::is_id(item.alternative));
        require(fuzz::is_time(item.since) && fuzz::is_time(item.ends));
    }
}

void check_fact(InvoiceEvent const& fact)
{
    require(!fact.subscription_id.empty() && fuzz::is_id(fact.subscription_id));
    require(fact.lines.size() <= max_items && fuzz::is_time(fact.order.at));
    for (auto const& line : fact.lines)
        require(fuzz::is_id(line.product) && fuzz::is_time(line.ends));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    auto const events = fuzz::read_events({data, size}, billing::Provider::payments);
    std::set<std::string> users;
    for (auto const& event : events) {
        if (auto const* carried = std::get_if<SubscriptionEvent>(&event.fact)) {
            check_fact(*carried);
            users.insert(carried->user_id);
        } else if (auto const* invoice = std::get_if<InvoiceEvent>(&event.fact)) {
            check_fact(*invoice);
        }
    }
    fuzz::check_history(events, users);
    return 0;
}
