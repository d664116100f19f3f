#include "domain/payment_event.hpp"

#include "domain/event.hpp"
#include "domain/event_fields.hpp"
#include "domain/payment_fields.hpp"
#include "domain/payment_objects.hpp"

namespace billing {

using namespace payment_fields;

namespace {

constexpr std::string_view invoice_payment_failed = "invoice.payment_failed";
constexpr std::string_view invoice_payment_paid = "invoice_payment.paid";
constexpr std::string_view dispute_created = "charge.dispute.created";

/// The type of an event about a charge or a checkout; nullopt for other names.
std::optional<PurchaseEventType> charge_type_of(std::string_view name)
{
    auto const type = core::parse_enum<PurchaseEventType>(name);
    bool const is_one =
        type && *type >= PurchaseEventType::checkout_completed && *type <= PurchaseEventType::dispute_lost;
    return is_one ? type : std::nullopt;
}

bool is_handled(std::string_view type)
{
    return payment_type_of(type) || charge_type_of(type) || type == invoice_payment_paid ||
           type == dispute_created;
}

/// Reads an event about a subscription or an invoice.
void read_subscribed(Event& event, core::Fields& f, json::value const& document, json::value const& object,
    PaymentEventType type)
{
    if (type == PaymentEventType::invoice_paid) {
        read_invoice(event, f, object);
        return;
    }
    read_subscription(event, f, object, type);
    if (auto* data = std::get_if<SubscriptionEvent>(&event.data))
        data->previous = compared_members(find(&document, {"data", "previous_attributes"}));
}

/// Reads the object of a handled event.
void read_object(Event& event, core::Fields& f, json::value const& document, json::value const& object)
{
    auto const charge_type = charge_type_of(event.type);
    if (auto const type = payment_type_of(event.type)) {
        read_subscribed(event, f, document, object, *type);
    } else if (event.type == invoice_payment_paid) {
        add_references(event, object);
        event.data = Skipped{"connects_payments"};
    } else if (charge_type == PurchaseEventType::charge_refunded) {
        read_refund(event, object);
    } else if (!charge_type || charge_type == PurchaseEventType::dispute_lost) {
        read_dispute(event, object);
    } else {
        read_checkout(event, f, object, *charge_type);
    }
}

void read_handled(ParsedEvent& parsed, core::Fields& envelope, json::value const& document)
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
    read_object(event, f, document, *object);
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
    if (type == PaymentEventType::sync) return 9;
    if (type == PaymentEventType::invoice_paid) return 2;
    if (type == PaymentEventType::subscription_deleted || is_final(status)) return 3;
    return type == PaymentEventType::subscription_created || status == SubscriptionStatus::incomplete ? 0 : 1;
}

std::optional<PaymentEventType> payment_type_of(std::string_view name) noexcept
{
    auto const type = core::parse_enum<PaymentEventType>(name);
    return type && *type != PaymentEventType::sync ? type : std::nullopt;
}

ParsedEvent parse_payment_event(json::value const& document)
{
    ParsedEvent parsed{.event = {.provider = Provider::payments}};
    Event& event = parsed.event;
    core::Fields envelope(document);
    event.id = envelope.text("id", 1, event_fields::max_id);
    event.type = envelope.text("type", 1, event_fields::max_type);
    if (is_handled(event.type))
        read_handled(parsed, envelope, document);
    else if (document.is_object())
        read_unhandled(event, document);
    parsed.faults = envelope.faults();
    return parsed;
}

ParsedEvent parse_fetched_subscription(json::value const& subscription, EventOrder const& order)
{
    ParsedEvent parsed{.event = {.provider = Provider::internal,
                           .id = order.event_id,
                           .type = std::string(to_string(PaymentEventType::sync))}};
    Event& event = parsed.event;
    event.at = order.at;
    core::Fields f(subscription, "");
    event.environment = environment_of(find(&subscription, "livemode"));
    if (!event.environment) f.fault("livemode", "required", "must be true or false");
    read_subscription(event, f, subscription, PaymentEventType::sync);
    if (auto* data = std::get_if<SubscriptionEvent>(&event.data)) {
        auto const period_end = data->order.period_end;
        data->order = order;
        data->order.period_end = period_end;
    }
    parsed.faults = f.faults();
    return parsed;
}

} // namespace billing
