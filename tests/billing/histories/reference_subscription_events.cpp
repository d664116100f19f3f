#include "histories/reference_subscription_events.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

namespace histories::model {

namespace {

constexpr std::string_view created = "customer.subscription.created",
                           updated = "customer.subscription.updated",
                           deleted = "customer.subscription.deleted", invoice_paid = "invoice.paid";

/// The statuses, by how much access a status leaves: 0 most.
std::map<std::string, int> const statuses{{"active", 0}, {"trialing", 1}, {"past_due", 2}, {"paused", 3},
    {"unpaid", 4}, {"incomplete", 5}, {"canceled", 6}, {"incomplete_expired", 6}};

/// The members whose values before an update decide the order of updates within a second, besides the user.
constexpr std::array<char const*, 12> compared_members{"status", "cancel_at_period_end", "cancel_at",
    "canceled_at", "ended_at", "quantity", "start_date", "trial_start", "trial_end", "current_period_start",
    "current_period_end", "latest_invoice"};

constexpr int invoice_rank = 2, final_rank = 3;

int rank_of(SubscriptionEvent const& event)
{
    if (is_final(event.status)) return final_rank;
    return event.type == created || event.status == "incomplete" ? 0 : 1;
}

/// The id of the price of an item or a line: old API versions have an object, new ones an id.
std::string price_of(json::value const& holder)
{
    if (auto const* price = find(&holder, {"price"})) return text(*price, "id");
    auto const* details = find(&holder, {"pricing", "price_details"});
    return details == nullptr ? std::string() : text(*details, "price");
}

/// Of items with one price, the one whose period ends last.
void add_item(std::vector<SubscriptionItem>& items, SubscriptionItem item)
{
    auto const it = std::ranges::find(items, item.price, &SubscriptionItem::price);
    if (it == items.end())
        items.push_back(std::move(item));
    else if (item.ends > it->ends)
        *it = std::move(item);
}

Time last_end(std::vector<SubscriptionItem> const& items)
{
    return items.empty() ? never : std::ranges::max_element(items, {}, &SubscriptionItem::ends)->ends;
}

void read_items(SubscriptionEvent& read, json::value const& object)
{
    for (auto const& item : object.at("items").at("data").as_array()) {
        auto const own = time(item, "current_period_end", second);
        auto const& holder = own ? item : object; // in old API versions the subscription has the period
        add_item(read.items, {.price = price_of(item),
                                 .begins = time(holder, "current_period_start", second),
                                 .ends = time(holder, "current_period_end", second).value_or(never)});
    }
    auto const* has_more = find(&object, {"items", "has_more"});
    read.has_more_items = has_more != nullptr && has_more->as_bool();
}

/// nullopt: the event changes nothing, because it names no user or an unknown status.
std::optional<SubscriptionEvent> read_subscription(json::object const& event)
{
    auto const& object = event.at("data").at("object");
    SubscriptionEvent read{.type = text(event, "type"), .status = text(object, "status")};
    if (auto const* metadata = find(&object, {"metadata"})) read.user = text(*metadata, "userId");
    if (read.type == deleted) read.status = "canceled";
    if (read.user.empty() || !statuses.contains(read.status)) return std::nullopt;
    auto const* cancels = find(&object, {"cancel_at_period_end"});
    read.cancels_at_period_end = cancels != nullptr && cancels->as_bool();
    read.cancel_at = time(object, "cancel_at", second);
    read.ended_at = time(object, "ended_at", second);
    read.latest_invoice = text(object, "latest_invoice");
    read.object = &object;
    if (auto const it = event.at("data").as_object().find("previous_attributes");
        it != event.at("data").as_object().end())
        read.previous = &it->value();
    read_items(read, object);
    read.order = {
        time(event, "created", second).value(), rank_of(read), last_end(read.items), text(event, "id")};
    return read;
}

std::string subscription_of(json::value const& invoice)
{
    auto const old = text(invoice, "subscription");
    auto const* details = find(&invoice, {"parent", "subscription_details"});
    return !old.empty() || details == nullptr ? old : text(*details, "subscription");
}

InvoiceEvent read_invoice(json::object const& event)
{
    auto const& object = event.at("data").at("object");
    InvoiceEvent read{.id = text(object, "id")};
    for (auto const& line : object.at("lines").at("data").as_array()) {
        auto const* amount = find(&line, {"amount"});
        bool const is_credit = amount != nullptr && amount->as_int64() < 0;
        auto const* period = find(&line, {"period"});
        if (is_credit || period == nullptr) continue;
        add_item(read.lines, {.price = price_of(line),
                                 .begins = time(*period, "start", second),
                                 .ends = time(*period, "end", second).value_or(never)});
    }
    read.order = {
        time(event, "created", second).value(), invoice_rank, last_end(read.lines), text(event, "id")};
    return read;
}

/// Whether a member of `earlier` has the value that `before` states. nullopt: `before` does not state one.
std::optional<bool> agrees(json::value const* before, json::value const* earlier)
{
    if (before == nullptr || before->is_structured()) return std::nullopt;
    return *before == (earlier == nullptr ? json::value() : *earlier);
}

/// Whether `later` says that it changed members which had the values of `earlier`. An update that names none
/// of the compared members says nothing.
bool follows(SubscriptionEvent const& later, SubscriptionEvent const& earlier)
{
    auto const* previous = later.previous == nullptr ? nullptr : later.previous->if_object();
    if (previous == nullptr) return false;
    std::vector<std::optional<bool>> agreements;
    agreements.reserve(compared_members.size() + 1);
    for (auto const* const name : compared_members)
        agreements.push_back(agrees(previous->if_contains(name), find(earlier.object, {name})));
    agreements.push_back(
        agrees(find(later.previous, {"metadata", "userId"}), find(earlier.object, {"metadata", "userId"})));
    bool const agrees_somewhere = std::ranges::count(agreements, std::optional(true)) > 0;
    return agrees_somewhere && std::ranges::count(agreements, std::optional(false)) == 0;
}

/// Whether `a` happened before `b`, in the same second and with the same rank, according to their contents.
bool is_before(SubscriptionEvent const& a, SubscriptionEvent const& b)
{
    if ((a.type == created) != (b.type == created)) return a.type == created;
    return follows(b, a) && !follows(a, b);
}

/// The order of events for which `is_before` decides nothing.
auto fallback(SubscriptionEvent const& event)
{
    return std::tuple(statuses.at(event.status), event.order.period_end, event.order.id);
}

/// Sorts events. Among events of the same second and rank, creations come first. Then the next event is the
/// least by `fallback` of those that follow the last sorted event by their contents; if there is none, of
/// those before which no other remaining event happened; if there is none, of all.
std::vector<SubscriptionEvent> in_order(std::vector<SubscriptionEvent> remaining)
{
    std::vector<SubscriptionEvent> sorted;
    while (!remaining.empty()) {
        auto const group = [](SubscriptionEvent const& event) {
            return std::pair(event.order.at, event.order.rank);
        };
        auto const first = group(*std::ranges::min_element(remaining, {}, group));
        std::vector<std::size_t> all, creations, following, free;
        for (std::size_t i = 0; i < remaining.size(); ++i) {
            if (group(remaining[i]) != first) continue;
            all.push_back(i);
            if (remaining[i].type == created) creations.push_back(i);
            if (!sorted.empty() && follows(remaining[i], sorted.back())) following.push_back(i);
            bool const waits = std::ranges::any_of(remaining, [&](SubscriptionEvent const& other) {
                return group(other) == first && is_before(other, remaining[i]);
            });
            if (!waits) free.push_back(i);
        }
        auto const* candidates = &all;
        for (auto const* better : {&free, &following, &creations})
            if (!better->empty()) candidates = better;
        auto const next =
            *std::ranges::min_element(*candidates, {}, [&](std::size_t i) { return fallback(remaining[i]); });
        sorted.push_back(remaining[next]);
        remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(next));
    }
    return sorted;
}

} // namespace

bool is_final(std::string const& status)
{
    return status == "canceled" || status == "incomplete_expired";
}

std::map<std::string, Subscription> subscriptions_in(std::vector<json::object const*> const& events)
{
    std::map<std::string, Subscription> found;
    for (auto const* event : events) {
        auto const type = text(*event, "type");
        if (type != created && type != updated && type != deleted) continue;
        if (auto read = read_subscription(*event))
            found[text(event->at("data").at("object"), "id")].events.push_back(*std::move(read));
    }
    for (auto const* event : events) {
        if (text(*event, "type") != invoice_paid) continue;
        auto const it = found.find(subscription_of(event->at("data").at("object")));
        if (it != found.end()) it->second.invoices.push_back(read_invoice(*event));
    }
    for (auto& [id, subscription] : found) {
        subscription.events = in_order(std::move(subscription.events));
        std::ranges::sort(subscription.invoices, {}, &InvoiceEvent::order);
    }
    return found;
}

} // namespace histories::model
