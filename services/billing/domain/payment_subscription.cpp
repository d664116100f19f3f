#include "domain/event_fields.hpp"
#include "domain/payment_fields.hpp"
#include "domain/payment_objects.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

namespace billing {

using namespace payment_fields;

namespace {

/// Defaults for all items of a subscription.
struct Shared {
    std::optional<core::Time> since, starts, ends;
};

Shared read_shared(core::Fields& f)
{
    auto const started = event_fields::optional_seconds(f, "start_date");
    auto const created = event_fields::optional_seconds(f, "created");
    return {started ? started : created, event_fields::optional_seconds(f, "current_period_start"),
        event_fields::optional_seconds(f, "current_period_end")};
}

/// The price of an item: the member `price` or, in old API versions, `plan`.
json::value const* price_object_of(json::value const& item)
{
    auto const* price = find(&item, "price");
    if (price == nullptr || !price->is_object()) price = find(&item, "plan");
    return price != nullptr && price->is_object() ? price : nullptr;
}

std::optional<double> number_of(std::string const& text)
{
    double number = 0;
    auto const* end = text.data() + text.size();
    auto const [stop, failed] = std::from_chars(text.data(), end, number);
    return failed == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// The amount of one unit. A price in fractions of the minor unit is rounded.
std::optional<Price> read_price(json::value const& object)
{
    auto const currency = event_fields::text_if_any(object, "currency");
    auto amount = event_fields::number_if_any(object, "unit_amount");
    if (!amount) amount = event_fields::number_if_any(object, "amount"); // of a plan
    if (auto const decimal = event_fields::text_if_any(object, "unit_amount_decimal"); decimal && !amount)
        amount = number_of(*decimal);
    if (!currency || !amount || !(std::abs(*amount) <= max_amount)) return std::nullopt;
    return event_fields::price_in_minor_units(std::llround(*amount), *currency);
}

/// How many months a price's interval has, on average; nullopt if the price does not recur.
std::optional<double> months_of(json::value const& price)
{
    auto const* recurring = find(&price, "recurring");
    auto const& holder = recurring != nullptr ? *recurring : price; // a plan has the members itself
    auto const interval = event_fields::text_if_any(holder, "interval").value_or("");
    auto const count = static_cast<double>(event_fields::count_if_any(holder, "interval_count").value_or(1));
    if (interval == "month") return count;
    if (interval == "year") return 12 * count;
    if (interval == "week") return count * 12 * 7 / 365;
    if (interval == "day") return count * 12 / 365;
    return std::nullopt;
}

void read_terms_of_item(SubscriptionItem& item, json::value const& v)
{
    item.quantity = event_fields::count_if_any(v, "quantity").value_or(1);
    auto const* price = price_object_of(v);
    if (price == nullptr) return;
    item.price = read_price(*price);
    auto const months = months_of(*price);
    if (item.price && months)
        item.monthly_amount = monthly_amount(item.price->amount, item.quantity, *months);
}

/// Reads one item. An item without a price is an error.
SubscriptionItem read_item(
    core::Fields& f, json::value const& item, std::string const& pointer, Shared const& shared)
{
    core::Fields nested(item, pointer);
    auto const since = event_fields::optional_seconds(nested, "created");
    auto const starts = event_fields::optional_seconds(nested, "current_period_start");
    auto const ends = event_fields::optional_seconds(nested, "current_period_end");
    PriceIds ids = price_ids_of(item);
    if (ids.product.empty()) nested.fault("price", "required", "must be a price object or the id of a price");
    f.absorb(nested);
    SubscriptionItem read{.product = std::move(ids.product),
        .alternative = std::move(ids.alternative),
        .since = since ? since : shared.since,
        .starts = starts ? starts : shared.starts,
        .ends = ends ? ends : shared.ends};
    read_terms_of_item(read, item);
    return read;
}

/// Merges items with the same price into one item, with the earliest start and the latest end.
std::vector<SubscriptionItem> distinct(std::vector<SubscriptionItem> items)
{
    std::map<std::string, SubscriptionItem> by_product;
    for (auto& item : items) {
        auto const [it, is_new] = by_product.try_emplace(item.product, item);
        if (is_new) continue;
        auto& kept = it->second;
        if (kept.ends && (!item.ends || *item.ends > *kept.ends)) kept.ends = item.ends;
        if (kept.starts && (!item.starts || *item.starts < *kept.starts)) kept.starts = item.starts;
        kept.quantity = std::min(kept.quantity + item.quantity, event_fields::max_count);
        if (item.monthly_amount && kept.monthly_amount) *kept.monthly_amount += *item.monthly_amount;
        if (item.since && (!kept.since || *item.since < *kept.since)) kept.since = item.since;
    }
    std::vector<SubscriptionItem> kept;
    kept.reserve(by_product.size());
    for (auto& [product, item] : by_product)
        kept.push_back(std::move(item));
    return kept;
}

std::vector<SubscriptionItem> read_items(core::Fields& f, json::value const& subscription)
{
    Shared const shared = read_shared(f);
    std::vector<SubscriptionItem> items;
    if (auto const* list = f.optional_object("items")) {
        core::Fields nested(*list, "/data/object/items");
        auto const* data = nested.optional_array("data", max_items);
        if (data == nullptr) nested.fault("data", "required", "is required");
        for (std::size_t i = 0; data != nullptr && i < data->size(); ++i)
            items.push_back(read_item(f, (*data)[i], "/data/object/items/data/" + std::to_string(i), shared));
        f.absorb(nested);
    } else if (PriceIds ids = price_ids_of(subscription); !ids.product.empty()) {
        items.push_back({.product = std::move(ids.product),
            .alternative = std::move(ids.alternative),
            .since = shared.since,
            .starts = shared.starts,
            .ends = shared.ends});
        read_terms_of_item(items.back(), subscription);
    } else {
        f.fault("items", "required", "is required");
    }
    return distinct(std::move(items));
}

/// Newer API versions state the date `cancel_at` instead of `cancel_at_period_end`.
SubscriptionTerms read_terms(core::Fields& f, json::value const& object)
{
    SubscriptionTerms terms;
    terms.cancel_at = event_fields::optional_seconds(f, "cancel_at");
    terms.cancels_at_period_end = f.optional_boolean("cancel_at_period_end").value_or(false);
    terms.ended_at = event_fields::optional_seconds(f, "ended_at");
    terms.trial_ends_at = event_fields::optional_seconds(f, "trial_end");
    terms.latest_invoice = reference(&object, "latest_invoice");
    if (auto const* details = find(&object, "cancellation_details"))
        terms.cancel_reason = event_fields::text_if_any(*details, "reason").value_or("");
    return terms;
}

bool has_more_items(json::value const& subscription)
{
    auto const* has_more = find(&subscription, {"items", "has_more"});
    return has_more != nullptr && *has_more == true;
}

} // namespace

std::map<std::string, std::string> compared_members(json::value const* object)
{
    static constexpr std::array<std::string_view, 12> names{"status", "cancel_at", "cancel_at_period_end",
        "canceled_at", "current_period_end", "current_period_start", "ended_at", "latest_invoice", "quantity",
        "start_date", "trial_end", "trial_start"};
    std::map<std::string, std::string> members;
    auto const* all = object == nullptr ? nullptr : object->if_object();
    if (all == nullptr) return members;
    for (auto const name : names)
        if (auto const* value = all->if_contains(name); value != nullptr && !value->is_structured())
            members.emplace(name, json::serialize(*value));
    if (auto const* user = find(object, {"metadata", "userId"}))
        members.emplace("userId", json::serialize(*user));
    return members;
}

core::Time last_end(std::vector<SubscriptionItem> const& items)
{
    core::Time last = core::Time::min();
    for (auto const& item : items)
        last = std::max(last, item.ends.value_or(core::Time::max()));
    return items.empty() ? core::Time::max() : last;
}

std::optional<SubscriptionStatus> read_status(core::Fields& f, PaymentEventType type)
{
    auto const text = f.text("status", 1, event_fields::max_id);
    if (type == PaymentEventType::subscription_deleted) return SubscriptionStatus::canceled;
    return core::parse_enum<SubscriptionStatus>(text);
}

void read_subscription(Event& event, core::Fields& f, json::value const& object, PaymentEventType type)
{
    SubscriptionEvent data;
    data.type = type;
    data.subscription_id = f.text("id", 1, event_fields::max_id);
    data.user_id = read_user(f);
    if (!data.subscription_id.empty()) event.subscription_id = data.subscription_id;
    if (data.user_id.empty()) {
        event.data = Skipped{"no_user"};
        return;
    }
    event.user_id = data.user_id;
    auto const status = read_status(f, type);
    data.items = read_items(f, object);
    data.items_incomplete = has_more_items(object);
    data.terms = read_terms(f, object);
    data.members = compared_members(&object);
    data.status = status.value_or(SubscriptionStatus::incomplete);
    data.order = {.at = event.at.value_or(core::Time()),
        .rank = rank_of(type, data.status),
        .period_end = last_end(data.items),
        .event_id = event.id};
    if (status)
        event.data = std::move(data);
    else
        event.data = Skipped{"unknown_status"};
}

} // namespace billing
