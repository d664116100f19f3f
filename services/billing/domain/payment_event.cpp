#include "domain/payment_event.hpp"

#include "domain/event.hpp"
#include "domain/event_fields.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <map>

namespace billing {

namespace {

namespace json = boost::json;

constexpr std::size_t max_items = 100; // the provider permits at most 20 items in a subscription
constexpr std::size_t max_lines = 1000;
constexpr std::string_view invoice_payment_failed = "invoice.payment_failed";

/// The member; null if it is absent or JSON null, or `object` is not an object.
json::value const* find(json::value const* object, std::string_view name)
{
    auto const* members = object == nullptr ? nullptr : object->if_object();
    auto const* value = members == nullptr ? nullptr : members->if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

json::value const* find(json::value const* object, std::initializer_list<std::string_view> path)
{
    for (auto const name : path)
        object = find(object, name);
    return object;
}

std::optional<core::Environment> environment_of(json::value const* livemode)
{
    if (livemode == nullptr || !livemode->is_bool()) return std::nullopt;
    return livemode->get_bool() ? core::Environment::production : core::Environment::sandbox;
}

/// The id of a referenced object. The member `name` may be the id or the whole object. If it is neither, the
/// result is empty.
std::string reference(json::value const* holder, std::string_view name)
{
    if (auto const* value = find(holder, name)) {
        if (value->is_string()) return event_fields::text_if_any(*holder, name).value_or("");
        return event_fields::text_if_any(*value, "id").value_or("");
    }
    return {};
}

/// The two ids that identify what an item sells. `product` is the id of the item's price, or, in old API
/// versions, of its plan. `alternative` is the id of the price's product. If the price has no id, `product`
/// is the id of the price's product.
struct PriceIds {
    std::string product, alternative;
};

PriceIds price_ids_of(json::value const& holder)
{
    for (auto const* const name : {"price", "plan"}) {
        auto const* price = find(&holder, name);
        if (price == nullptr) continue;
        PriceIds ids{reference(&holder, name), reference(price, "product")};
        if (ids.product.empty()) std::swap(ids.product, ids.alternative);
        if (!ids.product.empty()) return ids;
    }
    return {};
}

// --- subscriptions

/// Defaults for all items of a subscription.
struct Shared {
    std::optional<core::Time> since, ends;
};

Shared read_shared(core::Fields& f)
{
    auto const started = event_fields::optional_seconds(f, "start_date");
    auto const created = event_fields::optional_seconds(f, "created");
    return {started ? started : created, event_fields::optional_seconds(f, "current_period_end")};
}

/// Reads one item. An item without a price is an error.
SubscriptionItem read_item(
    core::Fields& f, json::value const& item, std::string const& pointer, Shared const& shared)
{
    core::Fields nested(item, pointer);
    auto const since = event_fields::optional_seconds(nested, "created");
    auto const ends = event_fields::optional_seconds(nested, "current_period_end");
    PriceIds ids = price_ids_of(item);
    if (ids.product.empty()) nested.fault("price", "required", "must be a price object or the id of a price");
    f.absorb(nested);
    return {.product = std::move(ids.product),
        .alternative = std::move(ids.alternative),
        .since = since ? since : shared.since,
        .ends = ends ? ends : shared.ends};
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
        if (item.since && (!kept.since || *item.since < *kept.since)) kept.since = item.since;
    }
    std::vector<SubscriptionItem> kept;
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
        items.push_back({std::move(ids.product), std::move(ids.alternative), shared.since, shared.ends});
    } else {
        f.fault("items", "required", "is required");
    }
    return distinct(std::move(items));
}

core::UserId read_user(core::Fields& f)
{
    auto const* metadata = f.optional_object("metadata");
    if (metadata == nullptr) return {};
    core::Fields nested(*metadata, "/data/object/metadata");
    core::UserId user(event_fields::id_or_empty(nested, "userId"));
    f.absorb(nested);
    return user;
}

/// Newer API versions have the date `cancel_at` instead of the boolean `cancel_at_period_end`.
bool cancels_at_period_end(core::Fields& f, std::vector<SubscriptionItem> const& items)
{
    if (f.optional_boolean("cancel_at_period_end").value_or(false)) return true;
    auto const cancel_at = event_fields::optional_seconds(f, "cancel_at");
    return cancel_at && std::ranges::all_of(items, [&](SubscriptionItem const& item) {
        return !item.ends || *cancel_at <= *item.ends;
    });
}

core::Time last_end(std::vector<SubscriptionItem> const& items)
{
    core::Time last = core::Time::min();
    for (auto const& item : items)
        last = std::max(last, item.ends.value_or(core::Time::max()));
    return items.empty() ? core::Time::max() : last;
}

/// The subscription's status, or `canceled` if the event says that the subscription was deleted. nullopt if
/// the status is unknown.
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
    data.cancels_at_period_end = cancels_at_period_end(f, data.items);
    data.ended_at = event_fields::optional_seconds(f, "ended_at");
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

// --- invoices

/// The id of an invoice's subscription. Old and new API versions state it in different members.
std::string subscription_of(json::value const& invoice)
{
    std::string id = reference(&invoice, "subscription");
    if (id.empty()) id = reference(find(&invoice, {"parent", "subscription_details"}), "subscription");
    return id;
}

/// The id of an invoice line's price. In old API versions the price is an object, in new ones an id.
std::string product_of(json::value const& line)
{
    PriceIds ids = price_ids_of(line);
    if (ids.product.empty()) ids.product = reference(find(&line, {"pricing", "price_details"}), "price");
    return std::move(ids.product);
}

/// Whether the line gives money back for the rest of a replaced period: its amount is negative.
bool is_credit(json::value const& line)
{
    auto const* amount = find(&line, "amount");
    if (amount == nullptr) return false;
    return (amount->is_int64() && amount->get_int64() < 0) ||
           (amount->is_double() && amount->get_double() < 0);
}

/// Reads the lines and merges them into one line per product, with the latest end. Credits are ignored. More
/// than `max_items` products are an error.
std::vector<InvoiceLine> read_lines(core::Fields& f)
{
    std::vector<InvoiceLine> lines;
    std::map<std::string, core::Time> ends_of;
    auto const* list = f.optional_object("lines");
    if (list == nullptr) return lines;
    core::Fields nested(*list, "/data/object/lines");
    auto const* data = nested.optional_array("data", max_lines);
    for (std::size_t i = 0; data != nullptr && i < data->size(); ++i) {
        auto const& line = (*data)[i];
        auto const* period = find(&line, "period");
        if (period == nullptr || is_credit(line)) continue;
        core::Fields within(*period, "/data/object/lines/data/" + std::to_string(i) + "/period");
        if (auto const ends = event_fields::optional_seconds(within, "end")) {
            auto& latest = ends_of.try_emplace(product_of(line), *ends).first->second;
            latest = std::max(latest, *ends);
        }
        nested.absorb(within);
    }
    if (ends_of.size() > max_items)
        nested.fault("data", "too_many", "must have at most 100 different prices");
    f.absorb(nested);
    for (auto const& [product, ends] : ends_of)
        lines.push_back({product, ends});
    return lines;
}

void read_invoice(Event& event, core::Fields& f, json::value const& object)
{
    InvoiceEvent data;
    data.subscription_id = subscription_of(object);
    if (data.subscription_id.empty()) {
        event.data = Skipped{"no_subscription"};
        return;
    }
    event.subscription_id = data.subscription_id;
    data.lines = read_lines(f);
    core::Time last = core::Time::min();
    for (auto const& line : data.lines)
        last = std::max(last, line.ends);
    data.order = {.at = event.at.value_or(core::Time()),
        .rank = rank_of(PaymentEventType::invoice_paid, SubscriptionStatus::active),
        .period_end = last,
        .event_id = event.id};
    event.data = std::move(data);
}

// --- the envelope

void read_object(
    ParsedEvent& parsed, core::Fields& envelope, json::value const& document, PaymentEventType type)
{
    Event& event = parsed.event;
    event.at = event_fields::seconds(envelope, "created");
    auto const* object = find(&document, {"data", "object"});
    if (object == nullptr || !object->is_object()) {
        envelope.fault("data", "required", "must contain the member `object`, a JSON object");
        return;
    }
    core::Fields f(*object, "/data/object");
    auto const* livemode = find(object, "livemode");
    event.environment = environment_of(livemode != nullptr ? livemode : find(&document, "livemode"));
    if (!event.environment) f.fault("livemode", "required", "must be true or false");
    if (type == PaymentEventType::invoice_paid)
        read_invoice(event, f, *object);
    else
        read_subscription(event, f, *object, type);
    envelope.absorb(f);
}

/// Types that are not handled require only id and type.
void read_unhandled(Event& event, json::value const& document)
{
    auto const* object = find(&document, {"data", "object"});
    event.environment = environment_of(find(object, "livemode"));
    if (!event.environment) event.environment = environment_of(find(&document, "livemode"));
    bool const failed = event.type == invoice_payment_failed;
    event.data = Skipped{failed ? "handled_by_subscription_update" : "unhandled_type"};
}

} // namespace

int rank_of(PaymentEventType type, SubscriptionStatus status) noexcept
{
    if (type == PaymentEventType::invoice_paid) return 2;
    if (type == PaymentEventType::subscription_deleted || is_final(status)) return 3;
    return type == PaymentEventType::subscription_created || status == SubscriptionStatus::incomplete ? 0 : 1;
}

ParsedEvent parse_payment_event(json::value const& document)
{
    ParsedEvent parsed{.event = {.provider = Provider::payments}};
    Event& event = parsed.event;
    core::Fields envelope(document);
    event.id = envelope.text("id", 1, event_fields::max_id);
    event.type = envelope.text("type", 1, event_fields::max_type);
    if (auto const type = core::parse_enum<PaymentEventType>(event.type))
        read_object(parsed, envelope, document, *type);
    else if (document.is_object())
        read_unhandled(event, document);
    parsed.faults = envelope.faults();
    return parsed;
}

} // namespace billing
