#pragma once

#include "events.hpp"
#include "support/json.hpp"

#include <boost/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Histories whose events leave the same state in any order.
namespace order_histories {

namespace json = boost::json;
using events::day, events::ms, events::s, events::undefined;

/// An event, and whether the payments provider sent it.
struct Sent {
    bool payment = false;
    json::object event;
};

/// A history: the events of one user and one subscription. Events may also belong to the other ids of
/// `ids_of(user)`.
using History = std::function<std::vector<Sent>(std::string const& user, std::string const& subscription)>;

inline Sent bought(std::string_view type, std::string const& user, std::int64_t at, json::object changes)
{
    changes["app_user_id"] = user;
    changes["event_timestamp_ms"] = ms(at);
    return {false, events::purchase(type, changes)};
}

inline Sent subscription_event(std::string_view type, std::string const& user,
    std::string const& subscription, std::int64_t at, json::array items, json::object changes = {})
{
    changes["id"] = subscription;
    changes["metadata"] = json::object{{"userId", user}};
    return {
        true, events::payment(type, events::subscription(std::move(items), changes), {{"created", s(at)}})};
}

inline Sent paid(std::string const& price, std::string const& subscription, std::int64_t at, bool old_shape)
{
    json::object const parent{{"type", "subscription_details"},
        {"subscription_details", json::object{{"subscription", subscription}}}};
    auto const id = "in of " + subscription + ' ' + std::to_string(at);
    auto const object = old_shape ? events::old_invoice(price, {{"id", id}, {"subscription", subscription}})
                                  : events::invoice(price, {{"id", id}, {"parent", parent}});
    return {true, events::payment("invoice.paid", object, {{"created", s(at)}})};
}

/// The invoice for the first month instead of the second.
inline Sent first_month(Sent invoice)
{
    auto& lines = invoice.event["data"].at("object").at("lines").at("data").as_array();
    for (auto& line : lines)
        line.at("period") = json::object{{"start", s(0)}, {"end", s(30 * day)}};
    return invoice;
}

/// An event about a payment. The ids of the objects of the payment end with `payment`.
inline Sent about_payment(
    std::string_view type, std::string const& payment, std::int64_t at, json::object object)
{
    if (object.contains("payment_intent")) object["payment_intent"] = "pi of " + payment;
    if (object.contains("charge")) object["charge"] = "charge of " + payment;
    object["id"] = testing::text(object, "object") + " of " + payment;
    return {true, events::payment(type, std::move(object), {{"created", s(at)}})};
}

/// An anonymous id of the same customer, and another user.
inline std::string anonymous_of(std::string const& user)
{
    return "$RCAnonymousID:" + user;
}

inline std::string friend_of(std::string const& user)
{
    return "friend of " + user;
}

inline std::vector<std::string> ids_of(std::string const& user)
{
    return {user, anonymous_of(user), friend_of(user)};
}

inline std::map<std::string, History> const& histories()
{
    static std::map<std::string, History> const all{
        {"a subscription's life",
            [](std::string const& user, std::string const&) {
                return std::vector{bought("INITIAL_PURCHASE", user, 0, {}),
                    bought("RENEWAL", user, 10, {{"expiration_at_ms", ms(60 * day)}}),
                    bought("CANCELLATION", user, 20, {{"expiration_at_ms", ms(60 * day)}}),
                    bought("UNCANCELLATION", user, 30, {{"expiration_at_ms", ms(60 * day)}}),
                    bought("EXPIRATION", user, 40, {{"expiration_at_ms", ms(35)}})};
            }},
        {"ties",
            [](std::string const& user, std::string const&) {
                return std::vector{bought("RENEWAL", user, 5, {{"id", user + "-1"}}),
                    bought("BILLING_ISSUE", user, 5, {{"id", user + "-2"}}),
                    bought("CANCELLATION", user, 5, {{"id", user + "-3"}}),
                    bought("BILLING_ISSUE", user, 5, {{"id", user + "-4"}, {"expiration_at_ms", ms(50)}})};
            }},
        {"a product change",
            [](std::string const& user, std::string const&) {
                return std::vector{bought("INITIAL_PURCHASE", user, 0, {}),
                    bought("PRODUCT_CHANGE", user, 10, {{"new_product_id", "pro.yearly"}}),
                    bought("RENEWAL", user, 20,
                        {{"product_id", "pro.yearly"}, {"expiration_at_ms", ms(365 * day)}}),
                    bought("EXPIRATION", user, 30, {})};
            }},
        {"consumables, one of them refunded",
            [](std::string const& user, std::string const&) {
                json::object const first{
                    {"product_id", "coins"}, {"transaction_id", "T1"}, {"expiration_at_ms", nullptr}};
                json::object second = first, third = first;
                second["transaction_id"] = "T2";
                third["transaction_id"] = undefined;
                third["id"] = user + "-third";
                return std::vector{bought("NON_RENEWING_PURCHASE", user, 0, first),
                    bought("NON_RENEWING_PURCHASE", user, 5, second), bought("CANCELLATION", user, 10, first),
                    bought("CANCELLATION", user, 11, second),
                    bought("NON_RENEWING_PURCHASE", user, 12, third)};
            }},
        {"a checkout within one second",
            [](std::string const& user, std::string const& subscription) {
                return std::vector{subscription_event("customer.subscription.created", user, subscription, 0,
                                       {events::item("a")}, {{"status", "incomplete"}}),
                    subscription_event(
                        "customer.subscription.updated", user, subscription, 0, {events::item("a")}),
                    paid("a", subscription, 0, false)};
            }},
        {"items swapped, and the end",
            [](std::string const& user, std::string const& subscription) {
                return std::vector{subscription_event("customer.subscription.created", user, subscription, 0,
                                       {events::item("a"), events::item("b")}),
                    subscription_event("customer.subscription.updated", user, subscription, 10,
                        {events::item("b"), events::item("c")}),
                    paid("b", subscription, 15, true),
                    subscription_event("customer.subscription.updated", user, subscription, 20,
                        {events::item("c")}, {{"status", "past_due"}}),
                    subscription_event("customer.subscription.deleted", user, subscription, 30,
                        {events::item("c")}, {{"status", "canceled"}, {"ended_at", s(29)}})};
            }},
        {"dunning",
            [](std::string const& user, std::string const& subscription) {
                return std::vector{subscription_event("customer.subscription.created", user, subscription, 0,
                                       {events::item("a")}),
                    paid("a", subscription, 10, true),
                    subscription_event("customer.subscription.updated", user, subscription, 20,
                        {events::item("a")}, {{"status", "past_due"}}),
                    paid("a", subscription, 30, false)};
            }},
        {"two subscriptions with one product",
            [](std::string const& user, std::string const& subscription) {
                return std::vector{subscription_event("customer.subscription.created", user, subscription, 0,
                                       {events::item("a")}),
                    subscription_event("customer.subscription.created", user, subscription + "-2", 5,
                        {events::item("a", {{"current_period_end", s(90 * day)}}), events::item("b")}),
                    subscription_event(
                        "customer.subscription.updated", user, subscription, 10, {events::item("b")}),
                    subscription_event("customer.subscription.deleted", user, subscription + "-2", 20,
                        {events::item("a")}, {{"status", "canceled"}, {"ended_at", s(19)}})};
            }},
        {"a subscription that finds its user",
            [](std::string const& user, std::string const& subscription) {
                return std::vector{subscription_event("customer.subscription.created", "", subscription, 0,
                                       {events::item("a")}),
                    paid("a", subscription, 5, false),
                    subscription_event(
                        "customer.subscription.updated", user, subscription, 10, {events::item("a")})};
            }},
        {"a grace period and the cancellation of the same moment",
            [](std::string const& user, std::string const&) {
                return std::vector{bought("INITIAL_PURCHASE", user, 0, {}),
                    bought("BILLING_ISSUE", user, 10, {{"grace_period_expiration_at_ms", ms(40 * day)}}),
                    bought("CANCELLATION", user, 10, {{"cancel_reason", "BILLING_ERROR"}}),
                    bought("SUBSCRIPTION_PAUSED", user, 5, {})};
            }},
        {"a refund and a resumption",
            [](std::string const& user, std::string const&) {
                return std::vector{bought("INITIAL_PURCHASE", user, 0, {}),
                    bought("CANCELLATION", user, 10, {{"cancel_reason", "CUSTOMER_SUPPORT"}}),
                    bought("UNCANCELLATION", user, 5, {}), bought("BILLING_ISSUE", user, 20, {})};
            }},
        {"one product from two stores",
            [](std::string const& user, std::string const&) {
                json::object const play{{"store", "PLAY_STORE"}, {"expiration_at_ms", ms(90 * day)}};
                return std::vector{bought("INITIAL_PURCHASE", user, 0, {}),
                    bought("INITIAL_PURCHASE", user, 5, play), bought("EXPIRATION", user, 10, {}),
                    bought("CANCELLATION", user, 20, play)};
            }},
        {"a promotional grant that is revoked",
            [](std::string const& user, std::string const&) {
                json::object const grant{{"store", "PROMOTIONAL"}, {"transaction_id", nullptr},
                    {"expiration_at_ms", nullptr}, {"period_type", "PROMOTIONAL"}};
                return std::vector{bought("NON_RENEWING_PURCHASE", user, 0, grant),
                    bought("CANCELLATION", user, 10, grant), bought("EXPIRATION", user, 11, grant)};
            }},
        {"a purchase before the sign-in",
            [](std::string const& user, std::string const&) {
                json::object const as_alias{{"aliases", json::array{anonymous_of(user)}}};
                return std::vector{bought("INITIAL_PURCHASE", anonymous_of(user), 0, {}),
                    bought("RENEWAL", anonymous_of(user), 5, {}), bought("RENEWAL", user, 10, as_alias)};
            }},
        {"subscriptions that change their user",
            [](std::string const& user, std::string const& subscription) {
                auto const of = [&](std::string const& owner, char const* suffix, std::int64_t at) {
                    return subscription_event("customer.subscription.updated", owner, subscription + suffix,
                        at, {events::item("a")});
                };
                return std::vector{
                    of(user, "", 0), of(friend_of(user), "", 10), of(user, "-2", 5), of(user, "", 20)};
            }},
        {"two updates in one second",
            [](std::string const& user, std::string const& subscription) {
                auto const of = [&](std::string_view status, char const* previous, std::int64_t at) {
                    auto sent = subscription_event("customer.subscription.updated", user, subscription, at,
                        {events::item("a")}, {{"status", status}});
                    sent.event["data"].as_object()["previous_attributes"] =
                        json::object{{"status", previous}};
                    return sent;
                };
                return std::vector{of("trialing", "incomplete", 0), of("past_due", "active", 5),
                    of("active", "past_due", 5), of("active", "trialing", 5)};
            }},
        {"a refund in the shape of old API versions",
            [](std::string const& user, std::string const& subscription) {
                auto const pays = first_month(paid("a", subscription, 5, true));
                auto const invoice = pays.event.at("data").at("object").at("id");
                return std::vector{subscription_event("customer.subscription.created", user, subscription, 0,
                                       {events::item("a")}),
                    pays,
                    about_payment(
                        "charge.refunded", subscription, 20, events::refunded_charge({{"invoice", invoice}})),
                    about_payment("charge.refunded", subscription, 10,
                        events::charge({{"invoice", invoice}, {"amount_refunded", 1}}))};
            }},
        {"a refund in the shape of new API versions",
            [](std::string const& user, std::string const& subscription) {
                auto const pays = first_month(paid("a", subscription, 5, false));
                auto const invoice = pays.event.at("data").at("object").at("id");
                json::object const how{
                    {"type", "payment_intent"}, {"payment_intent", "pi of " + subscription}};
                return std::vector{subscription_event("customer.subscription.created", user, subscription, 0,
                                       {events::item("a")}),
                    pays,
                    about_payment("invoice_payment.paid", subscription, 5,
                        events::invoice_payment({{"invoice", invoice}, {"payment", how}})),
                    about_payment("charge.refunded", subscription, 20, events::refunded_charge())};
            }},
        {"two checkouts, one of them refunded",
            [](std::string const& user, std::string const& subscription) {
                auto const session = events::checkout_session(
                    {{"metadata", json::object{{"userId", user}, {"productId", "coins"}}}});
                constexpr auto completed = "checkout.session.completed";
                return std::vector{about_payment(completed, subscription, 0, session),
                    about_payment(completed, subscription + "-2", 5, session),
                    about_payment("charge.refunded", subscription, 10, events::refunded_charge())};
            }},
        {"a slow checkout, and a dispute that is lost",
            [](std::string const& user, std::string const& subscription) {
                json::object const of{{"metadata", json::object{{"userId", user}, {"productId", "coins"}}}};
                auto unpaid = events::checkout_session(of);
                unpaid["payment_status"] = "unpaid";
                return std::vector{about_payment("checkout.session.completed", subscription, 0, unpaid),
                    about_payment("checkout.session.async_payment_succeeded", subscription, 10,
                        events::checkout_session(of)),
                    about_payment(
                        "charge.dispute.created", subscription, 20, events::dispute("needs_response")),
                    about_payment("charge.dispute.closed", subscription, 30, events::dispute("lost"))};
            }},
    };
    return all;
}

} // namespace order_histories
