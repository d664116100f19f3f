#include "domain/purchase_event.hpp"

#include "domain/event.hpp"
#include "domain/event_fields.hpp"

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

std::string_view reason_to_skip(std::string_view type)
{
    if (type == "SUBSCRIBER_ALIAS") return "no_subscription_data";
    if (type == "TRANSFER") return "handled_by_sdk_login";
    return "unhandled_type";
}

/// Types that are not handled require only id and type.
void read_unhandled(Event& event, json::value const& body)
{
    event.environment = environment_of(body);
    event.user_id = std::optional<core::UserId>(event_fields::text_if_any(body, "app_user_id"));
    event.data = Skipped{reason_to_skip(event.type)};
}

void read_event_data(Event& event, core::Fields& f, PurchaseEventType type)
{
    PurchaseEvent data;
    data.type = type;
    data.user_id = core::UserId(f.text("app_user_id", 1, event_fields::max_id));
    data.product = f.text("product_id", 1, event_fields::max_id);
    data.transaction_id = event_fields::id_or_empty(f, "transaction_id");
    data.purchased_at = event_fields::optional_milliseconds(f, "purchased_at_ms");
    data.expires_at = event_fields::optional_milliseconds(f, "expiration_at_ms");
    data.grace_until = event_fields::optional_milliseconds(f, "grace_period_expiration_at_ms");
    data.order = {.at = event_fields::milliseconds(f, "event_timestamp_ms"),
        .rank = rank_of(type),
        .period_end = data.expires_at.value_or(core::Time::max()),
        .event_id = event.id};
    event.environment = static_cast<core::Environment>(f.one_of("environment", environments));
    event.at = data.order.at;
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

int rank_of(PurchaseEventType type) noexcept
{
    switch (type) {
    case PurchaseEventType::expiration:
        return 4;
    case PurchaseEventType::billing_issue:
        return 3;
    case PurchaseEventType::subscription_paused:
        return 2;
    case PurchaseEventType::cancellation:
        return 1;
    case PurchaseEventType::initial_purchase:
    case PurchaseEventType::non_renewing_purchase:
    case PurchaseEventType::renewal:
    case PurchaseEventType::product_change:
    case PurchaseEventType::uncancellation:
    case PurchaseEventType::subscription_extended:
        break;
    }
    return 0;
}

ParsedEvent parse_purchase_event(json::value const& document)
{
    ParsedEvent parsed{.event = {.provider = Provider::purchases}};
    core::Fields envelope(document);
    auto const* body = envelope.optional_object("event");
    if (body == nullptr) envelope.fault("event", "required", "is required");
    if (!envelope.ok()) {
        parsed.faults = envelope.faults();
        return parsed;
    }
    core::Fields f(*body, "/event");
    Event& event = parsed.event;
    event.id = f.text("id", 1, event_fields::max_id);
    event.type = f.text("type", 1, event_fields::max_type);
    if (auto const type = core::parse_enum<PurchaseEventType>(event.type))
        read_event_data(event, f, *type);
    else
        read_unhandled(event, *body);
    parsed.faults = f.faults();
    return parsed;
}

} // namespace billing
