#include "domain/event_fields.hpp"
#include "domain/payment_fields.hpp"
#include "domain/payment_objects.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace billing {

using namespace payment_fields;

namespace {

void read_reversal(Event& event, json::value const& object, PurchaseEventType type, bool is_full)
{
    add_references(event, object);
    if (!is_full) {
        bool const refund = type == PurchaseEventType::charge_refunded;
        event.data = Skipped{refund ? "partial_refund" : "dispute_not_lost"};
        return;
    }
    ReversalEvent data{.type = type};
    data.order = {.at = event.at.value_or(core::Time()), .rank = rank_of(type), .event_id = event.id};
    data.payment_intent_id = reference(&object, "payment_intent");
    event.data = std::move(data);
}

/// Whether the whole amount of a charge was refunded.
bool is_fully_refunded(json::value const& charge)
{
    auto const* refunded = find(&charge, "refunded");
    if (refunded != nullptr && refunded->is_bool()) return refunded->get_bool();
    auto const amount = event_fields::number_if_any(charge, "amount");
    auto const back = event_fields::number_if_any(charge, "amount_refunded");
    return amount && back && *back >= *amount;
}

/// Why a completed checkout is skipped; empty if it is not.
std::string_view reason_to_skip_checkout(json::value const& session, core::UserId const& user)
{
    if (event_fields::text_if_any(session, "mode").value_or("") != "payment") return "not_a_payment";
    if (user.empty()) return "no_user";
    auto const status = event_fields::text_if_any(session, "payment_status").value_or("");
    return status == "paid" || status == "no_payment_required" ? "" : "not_paid";
}

} // namespace

void add_references(Event& event, json::value const& object)
{
    auto const add = [&](std::string id) {
        if (!id.empty() && std::ranges::find(event.references, id) == event.references.end())
            event.references.push_back(std::move(id));
    };
    add(event_fields::text_if_any(object, "id").value_or(""));
    for (auto const name : {"charge", "payment_intent", "invoice"})
        add(reference(&object, name));
    auto const* payment = find(&object, "payment"); // of an invoice_payment
    if (payment == nullptr) return;
    for (auto const name : {"charge", "payment_intent"})
        add(reference(payment, name));
}

void read_refund(Event& event, json::value const& charge)
{
    read_reversal(event, charge, PurchaseEventType::charge_refunded, is_fully_refunded(charge));
}

void read_dispute(Event& event, json::value const& object)
{
    bool const is_closed = event.type == to_string(PurchaseEventType::dispute_lost);
    if (!is_closed) {
        add_references(event, object);
        event.data = Skipped{"dispute_open"};
        return;
    }
    bool const is_lost = event_fields::text_if_any(object, "status").value_or("") == "lost";
    read_reversal(event, object, PurchaseEventType::dispute_lost, is_lost);
}

void read_checkout(Event& event, core::Fields& f, json::value const& object, PurchaseEventType type)
{
    CheckoutEvent data{.user_id = read_user(f)};
    if (!data.user_id.empty()) event.user_id = data.user_id;
    if (auto const* metadata = find(&object, "metadata"))
        data.product = event_fields::text_if_any(*metadata, "productId").value_or("");
    auto reason = reason_to_skip_checkout(object, data.user_id);
    if (reason.empty() && data.product.empty()) reason = "no_product";
    if (!reason.empty()) {
        event.data = Skipped{reason};
        return;
    }
    add_references(event, object);
    data.purchase_id = reference(&object, "payment_intent");
    if (data.purchase_id.empty()) data.purchase_id = f.text("id", 1, event_fields::max_id);
    auto const total = event_fields::number_if_any(object, "amount_total");
    auto const currency = event_fields::text_if_any(object, "currency");
    data.fact = {.type = type,
        .order = {.at = event.at.value_or(core::Time()), .rank = rank_of(type), .event_id = event.id},
        .purchased_at = event.at,
        .transaction_id = data.purchase_id,
        .quantity = 1};
    constexpr double most = 1e12; // the conversion of a greater number would be undefined
    if (total && currency && std::abs(*total) <= most)
        data.fact.price = event_fields::price_in_minor_units(static_cast<std::int64_t>(*total), *currency);
    event.data = std::move(data);
}

} // namespace billing
