#include "rules.hpp"
#include "world.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

// Tests of the rule functions: the result of an event, and which of two events decides the state.

using namespace billing;
using namespace rules;
using events::day, events::ms, events::s, events::undefined;
namespace json = boost::json;

TEST_CASE("each event type sets its status", "[billing][rules]")
{
    CHECK(std::ranges::count_if(core::names_of<PurchaseEventType>, [](std::string_view name) {
        return purchase_type_of(name).has_value();
    }) == std::ssize(events::status_after));
    for (auto const& [type, status] : events::status_after) {
        CAPTURE(type);
        auto const event = read_purchase(events::purchase(type, {{"new_product_id", "pro.monthly"}}));
        CHECK(left_by({event}, "pro.monthly") == status + ' ' + std::to_string(30 * day));
    }
}

TEST_CASE("each event type sets whether the subscription renews", "[billing][rules]")
{
    for (auto const& [type, renews] : std::map<std::string, bool>{
             {"INITIAL_PURCHASE", true},
             {"NON_RENEWING_PURCHASE", false},
             {"RENEWAL", true},
             {"PRODUCT_CHANGE", true},
             {"CANCELLATION", false},
             {"UNCANCELLATION", true},
             {"EXPIRATION", false},
             {"BILLING_ISSUE", true},
             {"SUBSCRIPTION_PAUSED", true},
             {"SUBSCRIPTION_EXTENDED", true},
         }) {
        CAPTURE(type);
        auto const event = read_purchase(events::purchase(type, {{"new_product_id", "pro.monthly"}}));
        auto const left = entitlements_after(std::vector{event});
        REQUIRE(left.size() == 1);
        CHECK(left[0].will_renew == renews);
        CHECK(left[0].last_event_type == type);
        CHECK(left[0].last.at == at(0));
        CHECK(left[0].purchased_at == at(-60));
    }
}

TEST_CASE("of two events at the same time the rank of the type decides, in either order", "[billing][rules]")
{
    struct Row {
        std::string first, second, winner;
    };

    std::vector<Row> const table{
        {"EXPIRATION", "BILLING_ISSUE", "EXPIRATION"},
        {"EXPIRATION", "RENEWAL", "EXPIRATION"},
        {"BILLING_ISSUE", "SUBSCRIPTION_PAUSED", "BILLING_ISSUE"},
        {"BILLING_ISSUE", "CANCELLATION", "BILLING_ISSUE"},
        {"SUBSCRIPTION_PAUSED", "CANCELLATION", "SUBSCRIPTION_PAUSED"},
        {"CANCELLATION", "UNCANCELLATION", "CANCELLATION"},
        {"CANCELLATION", "INITIAL_PURCHASE", "CANCELLATION"},
        {"CANCELLATION", "SUBSCRIPTION_EXTENDED", "CANCELLATION"},
    };
    for (auto const& row : table) {
        CAPTURE(row.first, row.second);
        auto const first = read_purchase(events::purchase(row.first));
        auto const second = read_purchase(events::purchase(row.second));
        for (auto const& history : {std::vector{first, second}, std::vector{second, first}}) {
            auto const left = entitlements_after(history);
            REQUIRE(left.size() == 1);
            CHECK(left[0].last_event_type == row.winner);
        }
    }
}

TEST_CASE("of two events of one type and time the later period end decides, then the greater id",
    "[billing][rules]")
{
    auto const renewal = [](std::string const& id, std::int64_t end) {
        return read_purchase(events::purchase("RENEWAL", {{"id", id}, {"expiration_at_ms", ms(end)}}));
    };
    CHECK(left_by({renewal("b", 50), renewal("a", 60)}, "pro.monthly") == "active 60");
    CHECK(left_by({renewal("a", 60), renewal("b", 50)}, "pro.monthly") == "active 60");
    auto const never =
        read_purchase(events::purchase("RENEWAL", {{"id", "0"}, {"expiration_at_ms", nullptr}}));
    CHECK(left_by({never, renewal("z", 60)}, "pro.monthly") == "active forever");

    // Ids are compared bytewise, not as characters or numbers.
    auto const id_that_decides = [&](std::string const& one, std::string const& other) {
        auto const left = entitlements_after(std::vector{renewal(one, 60), renewal(other, 60)});
        return left.at(0).last.event_id;
    };
    CHECK(id_that_decides("a", "b") == "b");
    CHECK(id_that_decides("b", "a") == "b");
    CHECK(id_that_decides("10", "9") == "9");
    CHECK(id_that_decides("Z", "a") == "a");
    CHECK(id_that_decides("z", "\xC3\xA9") == "\xC3\xA9");
}

TEST_CASE("a subscription's status decides the status of its entitlements", "[billing][rules]")
{
    struct Row {
        std::string status, entitlement, with_past_due_active;
    };

    std::vector<Row> const table{
        {"trialing", "active", "active"},
        {"active", "active", "active"},
        {"paused", "paused", "paused"},
        {"past_due", "expired", "active"},
        {"unpaid", "expired", "expired"},
        {"canceled", "expired", "expired"},
        {"incomplete", "expired", "expired"},
        {"incomplete_expired", "expired", "expired"},
    };
    CHECK(table.size() == core::names_of<SubscriptionStatus>.size());
    for (auto const& row : table) {
        CAPTURE(row.status);
        auto const event = read_payment(events::payment("customer.subscription.updated",
            events::subscription({events::item("monthly")}, {{"status", row.status}})));
        auto const first_word = [](std::string const& left) { return left.substr(0, left.find(' ')); };
        CHECK(first_word(left_by({event}, "monthly")) == row.entitlement);
        CHECK(first_word(left_by({event}, "monthly", {.past_due_is_active = true})) ==
              row.with_past_due_active);
    }
    auto const unknown = read_payment(events::payment("customer.subscription.updated",
        events::subscription({events::item("monthly")}, {{"status", "resting"}})));
    CHECK(reason_of(unknown) == "unknown_status");
}

TEST_CASE("of events of a subscription in the same second the last step decides", "[billing][rules]")
{
    // This happens at a checkout, because the provider's times are whole seconds.
    auto const of = [](std::string_view type, std::string_view status) {
        return read_payment(
            events::payment(type, events::subscription({events::item("monthly")}, {{"status", status}})));
    };
    auto const made = of("customer.subscription.created", "incomplete");
    auto const changed_before = of("customer.subscription.updated", "incomplete");
    auto const now_active = of("customer.subscription.updated", "active");
    auto const paid = read_payment(events::payment("invoice.paid", events::invoice("monthly")));
    auto const deleted = read_payment(events::payment("customer.subscription.deleted",
        events::subscription({events::item("monthly")}, {{"status", "canceled"}, {"ended_at", s(0)}})));
    std::vector<Event> history{made, changed_before, now_active};
    CHECK(left_by(history, "monthly") == "active " + std::to_string(30 * day));
    CHECK(left_by({made, paid}, "monthly") == "active " + std::to_string(60 * day));
    history.push_back(paid);
    CHECK(left_by(history, "monthly") == "active " + std::to_string(60 * day));
    history.push_back(deleted);
    CHECK(left_by(history, "monthly") == "expired 0");
}

TEST_CASE("a consumable is found by its transaction, and a refund ends it at the time of the event",
    "[billing][rules]")
{
    auto const bought = read_purchase(events::purchase("NON_RENEWING_PURCHASE",
        {{"product_id", "coins"}, {"transaction_id", "T1"}, {"expiration_at_ms", nullptr}}));
    auto const again = read_purchase(events::purchase("NON_RENEWING_PURCHASE",
        {{"product_id", "coins"}, {"transaction_id", "T2"}, {"expiration_at_ms", nullptr}}));
    auto const refund = read_purchase(events::purchase(
        "CANCELLATION", {{"product_id", "coins"}, {"transaction_id", "T1"}, {"expiration_at_ms", nullptr},
                            {"event_timestamp_ms", ms(100)}, {"cancel_reason", "CUSTOMER_SUPPORT"}}));
    CHECK(left_by({bought}, "coins") == "active forever");
    CHECK(entitlements_after(std::vector{bought, again}).size() == 2);
    auto const left = entitlements_after(std::vector{refund, bought, again});
    REQUIRE(left.size() == 2);
    for (auto const& e : left) {
        CHECK(e.status == (e.transaction_id == "T1" ? Status::expired : Status::active));
        CHECK(e.expires_at == (e.transaction_id == "T1" ? std::optional(at(100)) : std::nullopt));
    }

    auto const nameless = [](std::string const& id) {
        return read_purchase(events::purchase(
            "NON_RENEWING_PURCHASE", {{"product_id", "coins"}, {"transaction_id", undefined}, {"id", id}}));
    };
    CHECK(entitlements_after(std::vector{nameless("a"), nameless("b")}).size() == 2);
}

TEST_CASE("a later event of a subscription may shorten it", "[billing][rules]")
{
    auto const bought = read_purchase(events::purchase("INITIAL_PURCHASE"));
    auto const shorter = read_purchase(
        events::purchase("CANCELLATION", {{"event_timestamp_ms", ms(100)}, {"expiration_at_ms", ms(90)}}));
    auto const left = entitlement_after({bought, shorter});
    CHECK(left.status == Status::active);
    CHECK(left.expires_at == at(90));
    CHECK(is_active(left.access, {}, at(89)));
    CHECK_FALSE(is_active(left.access, {}, at(90)));
}

TEST_CASE(
    "a product change creates the new product's entitlement and keeps the old product's", "[billing][rules]")
{
    auto const bought = read_purchase(events::purchase("INITIAL_PURCHASE"));
    auto const change = read_purchase(
        events::purchase("PRODUCT_CHANGE", {{"new_product_id", "pro.yearly"}, {"event_timestamp_ms", ms(100)},
                                               {"expiration_at_ms", ms(365 * day)}}));
    CHECK(left_by({bought, change}, "pro.yearly") == "active " + std::to_string(365 * day));
    CHECK(left_by({bought, change}, "pro.monthly") == "active " + std::to_string(30 * day));
    for (auto const& absent : {json::value(nullptr), json::value(undefined), json::value("")})
        CHECK(reason_of(read_purchase(events::purchase("PRODUCT_CHANGE", {{"new_product_id", absent}}))) ==
              "no_new_product");
}

TEST_CASE("if several items or subscriptions have the same product, the best one decides", "[billing][rules]")
{
    auto const of = [](std::string const& id, json::array items, json::object changes, std::int64_t created) {
        changes["id"] = id;
        return read_payment(events::payment("customer.subscription.updated",
            events::subscription(std::move(items), changes), {{"created", s(created)}}));
    };
    auto const ends = [](std::string const& price, std::int64_t end) {
        return events::item(price, {{"current_period_end", s(end)}});
    };
    // Of several items with the same price, the item that ends last decides.
    CHECK(left_by({of("sub_1", {ends("a", 10), ends("a", 30), ends("b", 20)}, {}, 0)}, "a") == "active 30");
    // Of several subscriptions, active is better than paused, and paused is better than expired. With equal
    // statuses, the later end is better.
    auto const longer_but_expired = of("sub_2", {ends("a", 90)}, {{"status", "unpaid"}}, 2);
    auto const paused = of("sub_3", {ends("a", 80)}, {{"status", "paused"}}, 3);
    auto const active = of("sub_4", {ends("a", 20)}, {}, 1);
    CHECK(left_by({longer_but_expired}, "a") == "expired 90");
    CHECK(left_by({longer_but_expired, paused}, "a") == "paused 80");
    CHECK(left_by({longer_but_expired, paused, active}, "a") == "active 20");
    CHECK(left_by({active, of("sub_5", {ends("a", 25)}, {}, 0)}, "a") == "active 25");
}

TEST_CASE("a replaced or removed item expires the old product at that event", "[billing][rules]")
{
    auto const with_items = [](json::array items, std::int64_t created, json::object const& changes = {}) {
        return read_payment(events::payment("customer.subscription.updated",
            events::subscription(std::move(items), changes), {{"created", s(created)}}));
    };
    auto const first = with_items({events::item("a"), events::item("b")}, 0);
    auto const swapped = with_items({events::item("b"), events::item("c")}, 10);
    auto const later = with_items({events::item("b"), events::item("c")}, 20);
    auto const back = with_items({events::item("a"), events::item("b")}, 30);
    auto const month = "active " + std::to_string(30 * day);
    CHECK(left_by({first, swapped, later}, "a") == "expired 10");
    CHECK(left_by({first, swapped, later}, "b") == month);
    CHECK(left_by({first, swapped, later}, "c") == month);
    CHECK(left_by({later, swapped, first}, "a") == "expired 10");
    CHECK(left_by({first, later}, "a") == "expired 20");
    CHECK(left_by({first, swapped, back}, "a") == month);
    CHECK(left_by({first, swapped, back}, "c") == "expired 30");
    auto const bobs = with_items({events::item("a")}, 40, {{"metadata", json::object{{"userId", "bob"}}}});
    CHECK(left_by({first, bobs}, "a") == "expired 40");
    CHECK(left_by({first, bobs}, "a", {}, core::UserId("bob")) == month);
}

TEST_CASE("only the latest removed items of a subscription are kept", "[billing][rules]")
{
    constexpr std::size_t items = 100, changes = 6;
    std::vector<SubscriptionEvent> subscription_events;
    for (std::size_t n = 0; n < changes; ++n) {
        SubscriptionEvent event{.type = PaymentEventType::subscription_updated,
            .order = {.at = at(static_cast<std::int64_t>(n)), .event_id = std::to_string(n)},
            .subscription_id = "sub_1",
            .user_id = core::UserId("ada"),
            .status = SubscriptionStatus::active};
        for (std::size_t i = 0; i < items; ++i)
            event.items.push_back({.product = std::to_string(n) + '-' + std::to_string(i)});
        subscription_events.push_back(event);
    }
    auto const folded = fold_subscription(subscription_events, {});
    REQUIRE(folded);
    CHECK(folded->items.size() == items);
    CHECK(folded->removed.size() == max_removed);
    for (auto const& removed : folded->removed)
        CHECK(removed.order.at >= at(static_cast<std::int64_t>(changes - max_removed / items)));
    std::optional<Subscription> step_by_step;
    for (auto const& event : subscription_events)
        step_by_step = after_event(step_by_step, event);
    CHECK(same_state(*step_by_step, *folded));
    auto older = *folded;
    for (auto& removed : older.removed) {
        removed.item.product += '+';
        removed.order.at = at(0);
    }
    CHECK(same_state(merge(older, *folded, {}), *folded));
}

TEST_CASE(
    "an ended subscription ends at its stated time, and no later event reactivates it", "[billing][rules]")
{
    auto const active = read_payment(
        events::payment("customer.subscription.created", events::subscription({events::item("a")})));
    auto const deleted = [](json::value const& ended_at) {
        return read_payment(events::payment("customer.subscription.deleted",
            events::subscription({events::item("a")}, {{"status", "canceled"}, {"ended_at", ended_at}}),
            {{"created", s(100)}}));
    };
    auto const paid =
        read_payment(events::payment("invoice.paid", events::invoice("a"), {{"created", s(200)}}));
    CHECK(left_by({active, deleted(s(90))}, "a") == "expired 90");
    CHECK(left_by({active, deleted(nullptr)}, "a") == "expired 100");
    CHECK(left_by({active, deleted(s(90)), paid}, "a") == "expired 90");
    CHECK(left_by({paid, deleted(s(90)), active}, "a") == "expired 90");
}

TEST_CASE("a paid invoice lengthens the items that its lines name, until the end of their periods",
    "[billing][rules]")
{
    auto const of_status = [](std::string_view status, std::int64_t created) {
        return read_payment(events::payment("customer.subscription.updated",
            events::subscription(
                {events::item("a"), events::item("b")}, {{"status", status}, {"latest_invoice", "in_1"}}),
            {{"created", s(created)}}));
    };
    auto const paid = [](json::object const& object, std::int64_t created) {
        return read_payment(events::payment("invoice.paid", object, {{"created", s(created)}}));
    };
    auto const month = std::to_string(30 * day), two_months = std::to_string(60 * day);
    for (auto const& object : {events::invoice("a"), events::old_invoice("a")}) {
        for (std::string const status : {"active", "trialing", "past_due", "unpaid", "incomplete"}) {
            CAPTURE(status);
            bool const was_active = status == "active" || status == "trialing";
            CHECK(left_by({of_status(status, 0), paid(object, 10)}, "a") == "active " + two_months);
            CHECK(left_by({of_status(status, 0), paid(object, 10)}, "b") ==
                  (was_active ? "active " : "expired ") + month);
        }
        CHECK(left_by({of_status("paused", 0), paid(object, 10)}, "a") == "paused " + month);
        CHECK(left_by({of_status("past_due", 20), paid(object, 10)}, "a") == "expired " + month);
        CHECK(left_by({of_status("active", 20), paid(object, 10)}, "a") == "active " + month);
        CHECK(left_by({paid(object, 10)}, "a") == "");
    }
    // A credit for a replaced product does not count as a payment for it, and a line without a price pays for
    // nothing.
    auto line = events::invoice("a").at("lines").at("data").at(0).as_object();
    line["amount"] = -500;
    auto const credit = paid(events::invoice("a", {{"lines", events::list({line})}}), 10);
    CHECK(left_by({of_status("active", 0), credit}, "a") == "active " + month);
    line["amount"] = 999;
    line.erase("pricing");
    auto const nameless = paid(events::invoice("a", {{"lines", events::list({line})}}), 10);
    CHECK(left_by({of_status("active", 0), nameless}, "a") == "active " + month);
}

TEST_CASE("a subscription that is cancelled at the end of its period will not renew", "[billing][rules]")
{
    auto const will_renew = [](json::object const& changes) {
        auto const event = read_payment(events::payment(
            "customer.subscription.updated", events::subscription({events::item("a")}, changes)));
        return entitlements_after(std::vector{event}).at(0).will_renew;
    };
    CHECK(will_renew({}));
    CHECK_FALSE(will_renew({{"cancel_at_period_end", true}}));
    CHECK_FALSE(will_renew({{"cancel_at", s(30 * day)}}));
    CHECK(will_renew({{"cancel_at", s(365 * day)}}));
    CHECK_FALSE(will_renew({{"status", "canceled"}}));
    CHECK(will_renew({{"cancel_at", s(30 * day + 1)}}));
    CHECK_FALSE(will_renew({{"cancel_at", s(30 * day - 1)}}));
}
