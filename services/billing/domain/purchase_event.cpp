#include "domain/purchase_event.hpp"

#include "domain/event.hpp"
#include "domain/event_fields.hpp"
#include "domain/named_users.hpp"

#include <algorithm>

namespace billing {

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 2> environments{"PRODUCTION", "SANDBOX"};

std::optional<core::Environment> environment_of(json::value const& event)
{
    auto const named = event_fields::text_if_any(event, "environment");
    auto const it = std::ranges::find(environments, named.value_or(""));
    if (it == environments.end()) return std::nullopt;
    return static_cast<core::Environment>(it - environments.begin());
}

constexpr std::string_view transfer = "TRANSFER";

std::string_view reason_to_skip(std::string_view type)
{
    if (type == "SUBSCRIBER_ALIAS") return "no_subscription_data";
    if (type == transfer) return "handled_by_sdk_login";
    return "unhandled_type";
}

/// The users who lost their purchases to another user.
std::vector<core::UserId> transferred_from(json::value const& body)
{
    std::vector<core::UserId> users;
    auto const* members = body.if_object();
    auto const* ids = members == nullptr ? nullptr : members->if_contains("transferred_from");
    if (ids == nullptr || !ids->is_array()) return users;
    for (auto const& id : ids->get_array())
        if (id.is_string()) users.emplace_back(std::string(id.get_string()));
    return users;
}

/// Types that are not handled require only id and type.
void read_unhandled(Event& event, json::value const& body)
{
    event.environment = environment_of(body);
    event.at = event_fields::milliseconds_if_any(body, "event_timestamp_ms");
    event.user_id = std::optional<core::UserId>(event_fields::text_if_any(body, "app_user_id"));
    event.data = Skipped{reason_to_skip(event.type)};
    if (event.type == transfer) event.former_users = transferred_from(body);
}

constexpr std::string_view promotional = "PROMOTIONAL";
constexpr std::string_view refund_reason = "CUSTOMER_SUPPORT";

std::optional<PeriodType> period_type_of(json::value const& body)
{
    auto const name = event_fields::text_if_any(body, "period_type");
    if (!name) return std::nullopt;
    if (*name == "TRIAL") return PeriodType::trial;
    return *name == "INTRO" ? PeriodType::intro : PeriodType::normal;
}

bool is_purchase(PurchaseEventType type) noexcept
{
    return type == PurchaseEventType::initial_purchase || type == PurchaseEventType::renewal ||
           type == PurchaseEventType::non_renewing_purchase;
}

std::optional<Price> price_of(json::value const& body, PurchaseEventType type)
{
    auto const currency = event_fields::text_if_any(body, "currency");
    auto const amount = event_fields::number_if_any(body, "price_in_purchased_currency");
    // Only a purchase may cost nothing. Other events have the price 0, or the negative price of a refund.
    if (!currency || !amount || *amount < 0 || (*amount == 0 && !is_purchase(type))) return std::nullopt;
    return event_fields::price(*amount, *currency);
}

std::string cancel_reason_of(json::value const& body)
{
    auto reason = event_fields::text_if_any(body, "cancel_reason");
    if (!reason) reason = event_fields::text_if_any(body, "expiration_reason");
    return reason.value_or("");
}

/// The ids that the event names besides its user.
std::vector<core::UserId> aliases_of(json::value const& document, core::UserId const& user)
{
    std::vector<core::UserId> aliases;
    for (auto& id : named_users(Provider::purchases, document))
        if (id != user && aliases.size() < max_aliases) aliases.push_back(std::move(id));
    return aliases;
}

PurchaseFact read_fact(core::Fields& f, json::value const& body, Event const& event, PurchaseEventType type)
{
    PurchaseFact fact{.type = type};
    fact.transaction_id = event_fields::id_or_empty(f, "transaction_id");
    fact.purchased_at = event_fields::optional_milliseconds(f, "purchased_at_ms");
    fact.expires_at = event_fields::optional_milliseconds(f, "expiration_at_ms");
    fact.grace_until = event_fields::optional_milliseconds(f, "grace_period_expiration_at_ms");
    fact.order = {.at = event_fields::milliseconds(f, "event_timestamp_ms"),
        .rank = rank_of(type),
        .period_end = fact.expires_at.value_or(core::Time::max()),
        .event_id = event.id};
    fact.period_type = period_type_of(body);
    fact.price = price_of(body, type);
    fact.quantity = event_fields::count_if_any(body, "quantity").value_or(1);
    fact.cancel_reason = cancel_reason_of(body);
    fact.is_refund = type == PurchaseEventType::cancellation && fact.cancel_reason == refund_reason;
    return fact;
}

void read_event_data(ParsedEvent& parsed, core::Fields& f, json::value const& document,
    json::value const& body, PurchaseEventType type)
{
    Event& event = parsed.event;
    PurchaseEvent data;
    data.user_id = core::UserId(f.text("app_user_id", 1, event_fields::max_id));
    data.product = f.text("product_id", 1, event_fields::max_id);
    data.store = store_of(event_fields::text_if_any(body, "store").value_or(""));
    data.fact = read_fact(f, body, event, type);
    if (type == PurchaseEventType::non_renewing_purchase && data.store != promotional)
        data.purchase_id = data.fact.transaction_id.empty() ? event.id : data.fact.transaction_id;
    data.aliases = aliases_of(document, data.user_id);
    event.environment = static_cast<core::Environment>(f.one_of("environment", environments));
    event.at = data.fact.order.at;
    event.user_id = data.user_id.empty() ? std::nullopt : std::optional(data.user_id);
    if (type == PurchaseEventType::product_change) {
        data.product = event_fields::id_or_empty(f, "new_product_id");
        if (data.product.empty()) {
            event.data = Skipped{"no_new_product"};
            return;
        }
    }
    event.data = std::move(data);
}

} // namespace

std::optional<PurchaseEventType> purchase_type_of(std::string_view name) noexcept
{
    auto const type = core::parse_enum<PurchaseEventType>(name);
    return type && *type <= PurchaseEventType::subscription_extended ? type : std::nullopt;
}

int rank_of(PurchaseEventType type) noexcept
{
    switch (type) {
    case PurchaseEventType::sync:
        return 9;
    case PurchaseEventType::expiration:
        return 4;
    case PurchaseEventType::billing_issue:
        return 3;
    case PurchaseEventType::subscription_paused:
        return 2;
    case PurchaseEventType::cancellation:
    case PurchaseEventType::charge_refunded:
    case PurchaseEventType::dispute_lost:
    case PurchaseEventType::revoke:
        return 1;
    default:
        return 0;
    }
}

ParsedEvent parse_purchase_event(json::value const& document)
{
    ParsedEvent parsed{.event = {.provider = Provider::purchases}};
    core::Fields envelope(document);
    auto const* body = envelope.optional_object("event");
    if (body == nullptr) envelope.fault("event", "required", "is required");
    if (body == nullptr || !envelope.ok()) {
        parsed.faults = envelope.faults();
        return parsed;
    }
    core::Fields f(*body, "/event");
    Event& event = parsed.event;
    event.id = f.text("id", 1, event_fields::max_id);
    event.type = f.text("type", 1, event_fields::max_type);
    if (auto const type = purchase_type_of(event.type))
        read_event_data(parsed, f, document, *body, *type);
    else
        read_unhandled(event, *body);
    parsed.faults = f.faults();
    return parsed;
}

} // namespace billing
