// The input is a sequence of webhooks of the payments provider, one payload on each line.
#include "events.hpp"

using billing::SubscriptionEvent, billing::InvoiceEvent;
using fuzz::require;

namespace {

constexpr std::size_t max_items = 100;

void check_event(SubscriptionEvent const& event)
{
    require(!event.subscription_id.empty() && fuzz::is_id(event.subscription_id));
    require(!event.user_id.empty() && fuzz::is_id(event.user_id.text()));
    require(fuzz::is_time(event.ended_at) && fuzz::is_time(event.order.at));
    require(event.items.size() <= max_items);
    require(std::ranges::is_sorted(event.items, std::ranges::less(), &billing::SubscriptionItem::product));
    for (auto const& item : event.items) {
        require(!item.product.empty() && fuzz::is_id(item.product) && fuzz::is_id(item.alternative));
        require(fuzz::is_time(item.since) && fuzz::is_time(item.ends));
    }
}

void check_event(InvoiceEvent const& event)
{
    require(!event.subscription_id.empty() && fuzz::is_id(event.subscription_id));
    require(event.lines.size() <= max_items && fuzz::is_time(event.order.at));
    for (auto const& line : event.lines)
        require(fuzz::is_id(line.product) && fuzz::is_time(line.ends));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    auto const events = fuzz::read_events({data, size}, billing::Provider::payments);
    std::set<core::UserId> users;
    for (auto const& event : events) {
        if (auto const* subscription = std::get_if<SubscriptionEvent>(&event.data)) {
            check_event(*subscription);
            users.insert(subscription->user_id);
        } else if (auto const* invoice = std::get_if<InvoiceEvent>(&event.data)) {
            check_event(*invoice);
        }
    }
    fuzz::check_history(events, users);
    return 0;
}
