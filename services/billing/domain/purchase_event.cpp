#include "domain/event.hpp"
#include "domain/reading.hpp"

#include <algorithm>

namespace billing {

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 2> environments{"PRODUCTION", "SANDBOX"};

std::optional<core::Environment> environment_of(json::value const& event)
{
    auto const named = reading::text_if_any(event, "environment");
    auto const it = std::ranges::find(environments, named.value_or(""));
    if (it == environments.end()) return std::nullopt;
    return static_cast<core::Environment>(it - environments.begin());
}

std::optional<PurchaseType> type_of(std::string_view type)
{
    auto const it = std::ranges::find(purchase_types, type);
    if (it == purchase_types.end()) return std::nullopt;
    return static_cast<PurchaseType>(it - purchase_types.begin());
}

std::string_view reason_to_skip(std::string_view type)
{
    if (type == "SUBSCRIBER_ALIAS") return "no_subscription_data";
    if (type == "TRANSFER") return "handled_by_sdk_login";
    return "unhandled_type";
}

/// Types that are not handled require only id and type.
void read_rest_leniently(Event& event, json::value const& body)
{
    event.environment = environment_of(body);
    event.user_id = reading::text_if_any(body, "app_user_id");
    event.fact = Skipped{reason_to_skip(event.type)};
}

void read_fact(Event& event, core::Fields& f, PurchaseType type)
{
    PurchaseEvent fact;
    fact.type = type;
    fact.user_id = f.text("app_user_id", 1, reading::max_id);
    fact.product = f.text("product_id", 1, reading::max_id);
    fact.transaction_id = reading::id_or_empty(f, "transaction_id");
    fact.purchased_at = reading::optional_milliseconds(f, "purchased_at_ms");
    fact.expires_at = reading::optional_milliseconds(f, "expiration_at_ms");
    fact.grace_until = reading::optional_milliseconds(f, "grace_period_expiration_at_ms");
    fact.order = {.at = reading::milliseconds(f, "event_timestamp_ms"),
        .rank = rank_of(type),
        .period_end = fact.expires_at.value_or(core::Time::max()),
        .event_id = event.id};
    event.environment = static_cast<core::Environment>(f.one_of("environment", environments));
    event.at = fact.order.at;
    event.user_id = fact.user_id.empty() ? std::nullopt : std::optional(fact.user_id);
    if (type == PurchaseType::product_change) {
        fact.product = reading::id_or_empty(f, "new_product_id");
        if (fact.product.empty()) {
            event.fact = Skipped{"no_new_product"};
            return;
        }
    }
    event.fact = std::move(fact);
}

} // namespace

Parsed parse_purchase_event(json::value const& document)
{
    Parsed parsed{.event = {.provider = Provider::purchases}};
    core::Fields envelope(document);
    auto const* body = envelope.optional_object("event");
    if (body == nullptr) envelope.fault("event", "required", "is required");
    if (!envelope.ok()) {
        parsed.faults = envelope.faults();
        return parsed;
    }
    core::Fields f(*body, "/event");
    Event& event = parsed.event;
    event.id = f.text("id", 1, reading::max_id);
    event.type = f.text("type", 1, reading::max_type);
    if (auto const type = type_of(event.type))
        read_fact(event, f, *type);
    else
        read_rest_leniently(event, *body);
    parsed.faults = f.faults();
    return parsed;
}

} // namespace billing
