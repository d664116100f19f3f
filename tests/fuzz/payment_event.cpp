// The input is a sequence of webhooks of the payments provider, one payload on each line. The subscriptions
// in them are also read as those that the provider's API returns.
#include "domain/own_event.hpp"
#include "domain/payment_links.hpp"
#include "events.hpp"

using billing::SubscriptionEvent, billing::InvoiceEvent, billing::CheckoutEvent, billing::ReversalEvent;
using fuzz::require;

namespace {

constexpr std::size_t max_items = 100;

void check_items(std::vector<billing::SubscriptionItem> const& items)
{
    require(items.size() <= max_items);
    require(std::ranges::is_sorted(items, std::ranges::less(), &billing::SubscriptionItem::product));
    for (auto const& item : items) {
        require(!item.product.empty() && fuzz::is_id(item.product) && fuzz::is_id(item.alternative));
        require(fuzz::is_time(item.since) && fuzz::is_time(item.starts) && fuzz::is_time(item.ends));
        require(item.quantity >= 0 && fuzz::is_price(item.price));
        require(!item.monthly_amount || item.price);
    }
}

/// Checks the guarantees of each kind of event, and collects the users and the products of checkouts.
struct Check {
    std::set<core::UserId> users{};
    billing::Known known{};

    void operator()(SubscriptionEvent const& event)
    {
        require(!event.subscription_id.empty() && fuzz::is_id(event.subscription_id));
        require(!event.user_id.empty() && fuzz::is_id(event.user_id.text()));
        auto const& terms = event.terms;
        require(fuzz::is_time(event.order.at) && fuzz::is_time(terms.cancel_at));
        require(fuzz::is_time(terms.ended_at) && fuzz::is_time(terms.trial_ends_at));
        require(fuzz::is_id(terms.latest_invoice) && fuzz::is_id(terms.cancel_reason));
        check_items(event.items);
        users.insert(event.user_id);
    }

    void operator()(InvoiceEvent const& event) const
    {
        require(!event.subscription_id.empty() && fuzz::is_id(event.subscription_id));
        require(fuzz::is_id(event.invoice_id));
        require(event.lines.size() <= max_items && fuzz::is_time(event.order.at));
        for (auto const& line : event.lines)
            require(fuzz::is_id(line.product) && fuzz::is_time(line.starts) && fuzz::is_time(line.ends));
    }

    void operator()(CheckoutEvent const& event)
    {
        require(!event.user_id.empty() && fuzz::is_id(event.user_id.text()));
        require(!event.product.empty() && fuzz::is_id(event.product));
        require(!event.purchase_id.empty() && fuzz::is_id(event.purchase_id) && fuzz::is_fact(event.fact));
        users.insert(event.user_id);
        known.checkout_products.emplace(event.product, event.product);
    }

    void operator()(ReversalEvent const& event) const
    {
        require(fuzz::is_id(event.payment_intent_id) && fuzz::is_time(event.order.at));
    }

    void operator()(auto const&) const {}
};

/// What an event states about a payment names each id once. Only reversals and paid invoices lead to a
/// payment.
void check_node(billing::Event const& event)
{
    auto const node = billing::node_of(event);
    for (auto const& id : node.ids) {
        require(!id.empty() && fuzz::is_id(id));
        require(std::ranges::count(node.ids, id) == 1);
    }
    require(node.reversal.has_value() == std::holds_alternative<ReversalEvent>(event.data));
    require(node.subscription_id.has_value() == std::holds_alternative<InvoiceEvent>(event.data));
    require(fuzz::is_time(node.covers_until));
}

/// A subscription that the provider's API returned stays the same when it is archived and read again.
void check_fetched(boost::json::value const& document)
{
    auto const* data = document.is_object() ? document.get_object().if_contains("data") : nullptr;
    auto const* members = data == nullptr ? nullptr : data->if_object();
    auto const* object = members == nullptr ? nullptr : members->if_contains("object");
    if (object == nullptr) return;
    billing::EventOrder const order{.at = core::Time(std::chrono::seconds(1'767'225'600)),
        .rank = 9,
        .event_id = "0190a5d2-0000-7000-8000-0000000000ff"};
    auto const parsed = billing::parse_fetched_subscription(*object, order);
    auto const* fetched = std::get_if<SubscriptionEvent>(&parsed.event.data);
    if (!parsed.faults.empty() || fetched == nullptr) return;
    Check()(*fetched);
    auto const archived = billing::parse_document(billing::own_payload(parsed.event, *object));
    require(archived.has_value());
    auto const again = billing::parse_own_event(*archived);
    require(again.faults.empty() && again.event.environment == parsed.event.environment);
    auto const& event = std::get<SubscriptionEvent>(again.event.data);
    require(event.order == fetched->order && event.type == fetched->type);
    require(event.subscription_id == fetched->subscription_id && event.user_id == fetched->user_id);
    require(
        event.status == fetched->status && event.terms == fetched->terms && event.items == fetched->items);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    auto const events = fuzz::read_events({data, size}, billing::Provider::payments, check_fetched);
    Check check;
    for (auto const& event : events) {
        std::visit(check, event.data);
        check_node(event);
    }
    fuzz::check_history(events, check.users, check.known);
    return 0;
}
