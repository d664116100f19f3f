#pragma once

#include "core/id.hpp"
#include "support/fake_clock.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

/// Events in the form in which the providers document them. Tests vary their members.
namespace events {

namespace json = boost::json;

/// The start time of the tests, in seconds since 1970.
inline constexpr std::int64_t start_s =
    std::chrono::duration_cast<std::chrono::seconds>(testing::FakeClock::start.time_since_epoch()).count();
inline constexpr std::int64_t day = 24 * 3600;

/// The time `seconds` after the start time.
constexpr std::int64_t s(std::int64_t seconds)
{
    return start_s + seconds;
}

constexpr std::int64_t ms(std::int64_t seconds)
{
    return s(seconds) * 1000;
}

/// The time `seconds` after the start time, as responses show it.
inline std::string rfc3339(std::int64_t seconds)
{
    return core::to_rfc3339(testing::FakeClock::start + std::chrono::seconds(seconds));
}

/// `fields` with `changes` applied. A member whose change is `undefined` is removed.
inline constexpr char const* undefined = "(undefined)";

inline json::object changed(json::object fields, json::object const& changes)
{
    for (auto const& change : changes) {
        if (change.value() == undefined)
            fields.erase(change.key());
        else
            fields[change.key()] = change.value();
    }
    return fields;
}

/// Each event type of the purchase provider, with the resulting status.
inline std::map<std::string, std::string> const status_after{
    {"INITIAL_PURCHASE", "active"},
    {"NON_RENEWING_PURCHASE", "active"},
    {"RENEWAL", "active"},
    {"PRODUCT_CHANGE", "active"},
    {"CANCELLATION", "active"},
    {"UNCANCELLATION", "active"},
    {"EXPIRATION", "expired"},
    {"BILLING_ISSUE", "expired"},
    {"SUBSCRIPTION_PAUSED", "paused"},
    {"SUBSCRIPTION_EXTENDED", "active"},
};

/// An event of the purchase provider at the start time: of user `ada` and product `pro.monthly`, in the
/// sandbox, with a period of a month.
inline json::object purchase(std::string_view type, json::object const& changes = {})
{
    json::object event{{"event_timestamp_ms", ms(0)}, {"product_id", "pro.monthly"},
        {"period_type", "NORMAL"}, {"purchased_at_ms", ms(-60)}, {"expiration_at_ms", ms(30 * day)},
        {"environment", "SANDBOX"}, {"entitlement_id", nullptr}, {"entitlement_ids", json::array{"pro"}},
        {"presented_offering_id", nullptr}, {"transaction_id", "2000000111"},
        {"original_transaction_id", "2000000111"}, {"is_family_share", false}, {"country_code", "NZ"},
        {"app_user_id", "ada"}, {"aliases", json::array{"$RCAnonymousID:5b1f"}},
        {"original_app_user_id", "$RCAnonymousID:5b1f"}, {"currency", "NZD"}, {"price", 6.01},
        {"price_in_purchased_currency", 9.99},
        {"subscriber_attributes",
            json::object{{"$displayName", json::object{{"updated_at_ms", ms(-90)}, {"value", "Ada"}}}}},
        {"store", "APP_STORE"}, {"takehome_percentage", 0.85}, {"tax_percentage", 0.13},
        {"commission_percentage", 0.13}, {"offer_code", nullptr}, {"type", type},
        {"id", core::Uuid::v7().to_string()}, {"app_id", "app5c7a"}};
    return {{"api_version", "1.0"}, {"event", changed(std::move(event), changes)}};
}

/// An event of the payments provider about an object.
inline json::object payment(std::string_view type, json::object object, json::object const& changes = {})
{
    json::object event{{"id", "evt_" + core::Uuid::v7().to_string()}, {"object", "event"},
        {"api_version", "2025-08-27.basil"}, {"created", s(0)},
        {"data", json::object{{"object", std::move(object)}}}, {"livemode", false}, {"pending_webhooks", 1},
        {"request", json::object{{"id", nullptr}, {"idempotency_key", nullptr}}}, {"type", type}};
    return changed(std::move(event), changes);
}

/// The price of a subscription item.
inline json::object price(std::string_view id, std::string_view product)
{
    return {{"id", id}, {"object", "price"}, {"active", true}, {"currency", "nzd"}, {"livemode", false},
        {"metadata", json::object()}, {"product", product},
        {"recurring", json::object{{"interval", "month"}, {"interval_count", 1}}}, {"type", "recurring"},
        {"unit_amount", 999}};
}

/// An item in the shape of new API versions, with a paid period of a month. In the shape of old API versions,
/// an item has no period.
inline json::object item(std::string_view price_id, json::object const& changes = {})
{
    json::object fields{{"id", "si_" + std::string(price_id)}, {"object", "subscription_item"},
        {"created", s(0)}, {"current_period_end", s(30 * day)}, {"current_period_start", s(0)},
        {"metadata", json::object()}, {"price", price(price_id, "prod_" + std::string(price_id))},
        {"quantity", 1}, {"subscription", "sub_1"}};
    return changed(std::move(fields), changes);
}

inline json::object list(json::array data)
{
    return {{"object", "list"}, {"data", std::move(data)}, {"has_more", false}};
}

/// A subscription of user `ada` in the new shape, with periods on its items.
inline json::object subscription(json::array items, json::object const& changes = {})
{
    json::object fields{{"id", "sub_1"}, {"object", "subscription"}, {"billing_cycle_anchor", s(0)},
        {"cancel_at", nullptr}, {"cancel_at_period_end", false}, {"canceled_at", nullptr}, {"created", s(0)},
        {"customer", "cus_1"}, {"ended_at", nullptr}, {"items", list(std::move(items))}, {"livemode", false},
        {"metadata", json::object{{"userId", "ada"}}}, {"pause_collection", nullptr}, {"start_date", s(0)},
        {"status", "active"}, {"trial_end", nullptr}};
    return changed(std::move(fields), changes);
}

/// The same subscription in the old shape, with one item. The period belongs to the subscription.
inline json::object old_subscription(std::string_view price_id, json::object const& changes = {})
{
    json::object const no_period{{"current_period_end", undefined}, {"current_period_start", undefined}};
    json::object fields = subscription(
        {item(price_id, no_period)}, {{"current_period_end", s(30 * day)}, {"current_period_start", s(0)}});
    return changed(std::move(fields), changes);
}

/// A line of an invoice in the new shape, by default for the second month.
inline json::object invoice_line(
    std::string_view price_id, std::int64_t starts = 30 * day, std::int64_t ends = 60 * day)
{
    return {{"id", "il_1"}, {"object", "line_item"}, {"amount", 999},
        {"parent", json::object{{"type", "subscription_item_details"},
                       {"subscription_item_details", json::object{{"subscription", "sub_1"}}}}},
        {"period", json::object{{"start", s(starts)}, {"end", s(ends)}}},
        {"pricing", json::object{{"type", "price_details"},
                        {"price_details", json::object{{"price", price_id}, {"product", "prod_x"}}}}}};
}

/// A paid invoice in the new shape, for the second month.
inline json::object invoice(std::string_view price_id, json::object const& changes = {})
{
    json::object fields{{"id", "in_1"}, {"object", "invoice"}, {"amount_paid", 999},
        {"billing_reason", "subscription_cycle"}, {"customer", "cus_1"},
        {"lines", list({invoice_line(price_id)})}, {"livemode", false}, {"metadata", json::object()},
        {"parent", json::object{{"type", "subscription_details"},
                       {"subscription_details", json::object{{"metadata", json::object{{"userId", "ada"}}},
                                                    {"subscription", "sub_1"}}}}},
        {"status", "paid"}};
    return changed(std::move(fields), changes);
}

/// The same invoice in the old shape.
inline json::object old_invoice(std::string_view price_id, json::object const& changes = {})
{
    json::object const line{{"id", "il_1"}, {"object", "line_item"}, {"amount", 999},
        {"period", json::object{{"start", s(30 * day)}, {"end", s(60 * day)}}},
        {"price", price(price_id, "prod_" + std::string(price_id))}, {"subscription", "sub_1"},
        {"type", "subscription"}};
    json::object fields =
        invoice(price_id, {{"lines", list({line})}, {"parent", undefined}, {"subscription", "sub_1"}});
    return changed(std::move(fields), changes);
}

/// A charge of a payment in the shape of new API versions, which do not name the invoice. Refunds change it.
inline json::object charge(json::object const& changes = {})
{
    json::object fields{{"id", "ch_1"}, {"object", "charge"}, {"amount", 999}, {"amount_captured", 999},
        {"amount_refunded", 0}, {"captured", true}, {"created", s(0)}, {"currency", "nzd"},
        {"customer", "cus_1"}, {"disputed", false}, {"livemode", false}, {"metadata", json::object()},
        {"paid", true}, {"payment_intent", "pi_1"}, {"refunded", false}, {"status", "succeeded"}};
    return changed(std::move(fields), changes);
}

/// The same charge after a full refund.
inline json::object refunded_charge(json::object const& changes = {})
{
    return changed(charge({{"amount_refunded", 999}, {"refunded", true}}), changes);
}

/// A dispute about the same charge. Its status is `needs_response`, then `won` or `lost`.
inline json::object dispute(std::string_view status, json::object const& changes = {})
{
    json::object fields{{"id", "du_1"}, {"object", "dispute"}, {"amount", 999},
        {"balance_transactions", json::array()}, {"charge", "ch_1"}, {"created", s(0)}, {"currency", "nzd"},
        {"is_charge_refundable", false}, {"livemode", false}, {"metadata", json::object()},
        {"payment_intent", "pi_1"}, {"reason", "fraudulent"}, {"status", status}};
    return changed(std::move(fields), changes);
}

/// A completed and paid checkout session in which user `ada` has bought the product `coins` once.
inline json::object checkout_session(json::object const& changes = {})
{
    json::object fields{{"id", "cs_test_1"}, {"object", "checkout.session"}, {"amount_subtotal", 4900},
        {"amount_total", 4900}, {"created", s(0)}, {"currency", "nzd"}, {"customer", "cus_1"},
        {"invoice", nullptr}, {"livemode", false},
        {"metadata", json::object{{"userId", "ada"}, {"productId", "coins"}}}, {"mode", "payment"},
        {"payment_intent", "pi_1"}, {"payment_status", "paid"}, {"status", "complete"},
        {"subscription", nullptr}};
    return changed(std::move(fields), changes);
}

/// The payment of the invoice `in_1` by the payment intent `pi_1`, in new API versions.
inline json::object invoice_payment(json::object const& changes = {})
{
    json::object fields{{"id", "inpay_1"}, {"object", "invoice_payment"}, {"amount_paid", 999},
        {"amount_requested", 999}, {"created", s(0)}, {"currency", "nzd"}, {"invoice", "in_1"},
        {"is_default", true}, {"livemode", false},
        {"payment", json::object{{"type", "payment_intent"}, {"payment_intent", "pi_1"}}},
        {"status", "paid"}};
    return changed(std::move(fields), changes);
}

} // namespace events
