#pragma once

#include "reading.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Helpers for tests of payments and of their reversals.
namespace payment_events {

namespace json = boost::json;
using events::day, events::s;

inline constexpr std::int64_t refunded_at = 100;

/// The events about the payments of one user. All their ids contain the user's id.
struct Payments {
    std::string user;

    std::string id(std::string_view kind) const { return std::string(kind) + ' ' + user; }

    json::object event(std::string_view type, json::object object, std::int64_t at) const
    {
        return events::payment(type, std::move(object), {{"created", s(at)}});
    }

    /// The subscription to price `a`, in its period of a month.
    json::object subscription(std::string_view type, std::int64_t at, std::int64_t starts = 0,
        std::string_view status = "active") const
    {
        auto const item = events::item(
            "a", {{"current_period_start", s(starts)}, {"current_period_end", s(starts + 30 * day)}});
        return event(type,
            events::subscription({item},
                {{"id", id("sub")}, {"metadata", json::object{{"userId", user}}}, {"status", status}}),
            at);
    }

    json::object created() const { return subscription("customer.subscription.created", 0); }

    /// The paid invoice of a period of a month.
    json::object invoice(std::int64_t at, std::int64_t starts = 0, std::string_view kind = "in",
        json::object changes = {}) const
    {
        changes["id"] = id(kind);
        changes["lines"] = events::list({events::invoice_line("a", starts, starts + 30 * day)});
        changes["parent"] = json::object{{"type", "subscription_details"},
            {"subscription_details", json::object{{"subscription", id("sub")}}}};
        return event("invoice.paid", events::invoice("a", changes), at);
    }

    /// New API versions name the payment intent of an invoice in an event of its own.
    json::object invoice_payment(std::string_view invoice = "in", std::string_view intent = "pi") const
    {
        json::object const how{{"type", "payment_intent"}, {"payment_intent", id(intent)}};
        return event("invoice_payment.paid",
            events::invoice_payment({{"id", id("inpay")}, {"invoice", id(invoice)}, {"payment", how}}), 5);
    }

    /// A full refund.
    json::object refund(json::object changes = {}, std::string_view intent = "pi") const
    {
        changes["id"] = "ch of " + id(intent);
        changes["payment_intent"] = id(intent);
        return event("charge.refunded", events::refunded_charge(changes), refunded_at);
    }

    json::object dispute(std::string_view type, std::string_view status) const
    {
        return event(type,
            events::dispute(
                status, {{"id", id("du")}, {"charge", "ch of " + id("pi")}, {"payment_intent", id("pi")}}),
            refunded_at);
    }

    json::object checkout(
        json::object changes = {}, std::string_view type = "checkout.session.completed") const
    {
        if (!changes.contains("id")) changes["id"] = id("cs");
        if (!changes.contains("payment_intent")) changes["payment_intent"] = id("pi");
        if (!changes.contains("metadata"))
            changes["metadata"] = json::object{{"userId", user}, {"productId", "coins"}};
        return event(type, events::checkout_session(changes), 0);
    }
};

inline std::string post(
    World const& world, json::object const& event, std::string const& tenant = "demo-sandbox")
{
    return result_of(world.post_payment(event, tenant));
}

/// Result, reason and user of the archived events of a type whose payload has a text that ends with `id`.
inline std::string archived(World const& world, std::string const& type, std::string const& id)
{
    std::string found;
    auto backend = world.as_backend();
    for (auto const& event : all_items(backend, "/v1/events?type=" + type)) {
        if (body(event.at("payload").as_object()).find(id + '"') == std::string::npos) continue;
        found += (found.empty() ? "" : "\n") + text(event, "result") + ' ' + text(event, "reason") + ' ' +
                 text(event, "userId");
    }
    return found;
}

/// Calls `work` with a user for each order of the events that `make` returns for the user.
inline void in_all_orders(std::function<std::vector<json::object>(Payments const&)> const& make,
    std::function<void(Payments const&, std::vector<json::object> const&)> const& work)
{
    std::vector<std::size_t> order(make({}).size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    do {
        Payments payments{"user"};
        for (auto const place : order)
            payments.user += '-' + std::to_string(place);
        auto const all = make(payments);
        std::vector<json::object> ordered;
        for (auto const place : order)
            ordered.push_back(all[place]);
        work(payments, ordered);
    } while (std::ranges::next_permutation(order).found);
}

inline void add_coins(World const& world)
{
    reading::new_product(world, "coins", {"fun"}, {{"kind", "consumable"}});
}

} // namespace payment_events
