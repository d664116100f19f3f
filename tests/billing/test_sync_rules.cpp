#include "domain/own_event.hpp"
#include "domain/purchase_rules.hpp"
#include "domain/subscription_entitlements.hpp"
#include "domain/sync.hpp"
#include "support/fake_clock.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The rules of a sync.

using namespace std::chrono_literals;

namespace {

using billing::Entitlement, billing::Purchase, billing::PurchaseEventType, billing::PurchaseFact,
    billing::Status, billing::Subscriber, billing::SyncTimes;
using Rows = std::vector<Entitlement>;

core::UserId const ada("ada");
constexpr core::ScopeId production{2}, sandbox{3};

/// The time `n` hours after the start.
core::Time hour(int n)
{
    return testing::FakeClock::start + std::chrono::hours(n);
}

Purchase bought(std::string product = "pro")
{
    Purchase p;
    p.product = std::move(product);
    p.store = "APP_STORE";
    p.purchased_at = hour(-100);
    p.expires_at = hour(100);
    return p;
}

Subscriber lists(std::vector<Purchase> subscriptions, std::vector<Purchase> consumables = {})
{
    return {.subscriptions = std::move(subscriptions), .consumables = std::move(consumables)};
}

/// The provider is asked at this time, by all clocks.
SyncTimes asked(core::Time at)
{
    return {.asked_at = at, .watermark = at, .sent_at = at, .moved_at = std::nullopt};
}

/// The rows after events, which are received at `received_at`.
Rows after(Rows rows, std::vector<billing::PurchaseEvent> const& purchases, core::Time received_at)
{
    for (auto event : purchases) {
        event.received_at = received_at;
        auto const decision = billing::decide(event, production, rows, false);
        REQUIRE_FALSE(decision.needs_history);
        for (auto const& write : decision.writes) {
            std::erase_if(rows, [&](Entitlement const& e) { return e.id == write.to.id; });
            rows.push_back(write.to);
        }
    }
    return rows;
}

/// The rows after a sync at time `times.asked_at`.
Rows synced(Rows rows, Subscriber const& subscriber, SyncTimes const& times)
{
    auto found = billing::decide_sync(production, ada, subscriber, rows, times).purchases;
    for (auto& purchase : found)
        purchase.fact.order.event_id = "sync at " + core::to_rfc3339(times.asked_at);
    return after(std::move(rows), found, times.asked_at);
}

/// A purchase of `pro` for 200 hours from hour -100.
billing::PurchaseEvent event(PurchaseEventType type, core::Time at, std::string store = "APP_STORE")
{
    PurchaseFact fact{.type = type};
    fact.order = {.at = at, .rank = rank_of(type), .period_end = hour(100), .event_id = "an event"};
    fact.purchased_at = hour(-100) + 250ms;
    fact.expires_at = hour(100) + 250ms;
    fact.transaction_id = "t-0";
    fact.quantity = 2;
    fact.price = billing::Price{999, "NZD"};
    return {.source = billing::Source::purchases,
        .user_id = ada,
        .product = "pro",
        .store = std::move(store),
        .purchase_id = {},
        .fact = std::move(fact),
        .aliases = {}};
}

Entitlement only(Rows const& rows)
{
    REQUIRE(rows.size() == 1);
    return rows.front();
}

std::optional<core::Time> end_of_access(Entitlement const& e)
{
    return access_until(e.access, {});
}

} // namespace

TEST_CASE("the provider's document decides status and access", "[sync]")
{
    struct Row {
        char const* what;
        std::optional<core::Time> expires, unsubscribed, billing_issue, grace, refunded, resumes;
        Status status;
        std::optional<core::Time> access_until; ///< leeway included
        bool renews;
    };

    // The provider was asked at hour 0.
    auto const none = std::optional<core::Time>();
    for (auto const& row : {
             Row{"paid for", hour(5), none, none, none, none, none, Status::active, hour(6), true},
             Row{"for ever", none, none, none, none, none, none, Status::active, none, false},
             Row{"cancelled", hour(5), hour(-2), none, none, none, none, Status::active, hour(5), false},
             Row{"over", hour(-5), none, none, none, none, none, Status::expired, hour(-5), false},
             Row{"over just now", hour(0), none, none, none, none, none, Status::expired, hour(0), false},
             Row{"over, in grace", hour(-5), none, none, hour(1), none, none, Status::active, hour(1), true},
             Row{"not paid", hour(5), none, hour(-1), none, none, none, Status::expired, hour(5), false},
             Row{"not paid, in grace", hour(-1), none, hour(-1), hour(3), none, none, Status::active, hour(3),
                 true},
             Row{"not paid, grace over", hour(-5), none, hour(-5), hour(-1), none, none, Status::expired,
                 hour(-1), false},
             Row{"refunded", hour(5), none, none, none, hour(-1), none, Status::expired, hour(-1), false},
             Row{"refunded after its end", hour(-5), none, none, none, hour(-1), none, Status::expired,
                 hour(-5), false},
             Row{"refunded, had no end", none, none, none, none, hour(-1), none, Status::expired, hour(-1),
                 false},
             Row{"paused", hour(-5), none, none, none, none, hour(5), Status::paused, hour(-5), true},
             Row{"resumed", hour(5), none, none, none, none, hour(-5), Status::active, hour(6), true},
             Row{"paused, then refunded", hour(-5), none, none, none, hour(-1), hour(5), Status::expired,
                 hour(-5), false},
         }) {
        CAPTURE(row.what);
        Purchase p = bought();
        p.expires_at = row.expires;
        p.unsubscribed_at = row.unsubscribed;
        p.billing_issue_at = row.billing_issue;
        p.grace_ends_at = row.grace;
        p.refunded_at = row.refunded;
        p.resumes_at = row.resumes;
        auto const e = only(synced({}, lists({p}), asked(hour(0))));
        CHECK(e.status == row.status);
        CHECK(e.expires_at == row.expires);
        CHECK(end_of_access(e) == row.access_until);
        CHECK(e.will_renew == row.renews);
        CHECK(e.last.at == hour(0));
        CHECK(e.last_event_type == "SYNC");
    }
}

TEST_CASE("a sync supersedes what was received before its request, and nothing else", "[sync]")
{
    auto const held = after({}, {event(PurchaseEventType::initial_purchase, hour(9))}, hour(0));
    // By the clock of the provider, the event happened later than the request.
    auto const gone = only(synced(held, lists({}), asked(hour(1))));
    CHECK(gone.status == Status::expired);
    CHECK(end_of_access(gone) == hour(1));
    CHECK(gone.last.at == hour(9));
    CHECK(gone.last > held.front().last);
    // The row was written after the request.
    CHECK(synced(held, lists({}), asked(hour(0))) == held);
    CHECK(synced(held, lists({}), asked(hour(-1))) == held);

    auto const event_is_later = only(synced(held, lists({bought()}), asked(hour(-1))));
    CHECK(event_is_later.last == held.front().last);
    CHECK(event_is_later.last_event_type == "INITIAL_PURCHASE");
    // An event that arrives during the request continues from the state that the sync found.
    Purchase refunded = bought();
    refunded.refunded_at = hour(-2);
    auto const cancelled = after({}, {event(PurchaseEventType::cancellation, hour(1))}, hour(2));
    auto const both = only(synced(cancelled, lists({refunded}), asked(hour(0))));
    CHECK(both.last_event_type == "CANCELLATION");
    CHECK(end_of_access(both) == hour(-2));
}

TEST_CASE("a sync confirms what it does not change, so that older events are stale", "[sync]")
{
    auto const held = after({}, {event(PurchaseEventType::initial_purchase, hour(-1))}, hour(-1));
    auto const confirmed = synced(held, lists({bought()}), asked(hour(0)));
    auto const& row = only(confirmed);
    CHECK_FALSE(billing::is_changed_by_sync({held.front(), row}));
    CHECK(row.last.at == hour(0));
    CHECK(row.expires_at == held.front().expires_at); // with the milliseconds of the event
    CHECK(row.quantity == 2);
    CHECK(row.price == billing::Price{999, "NZD"});
    CHECK(row.last_transaction_id == "t-0");
    auto const late = event(PurchaseEventType::expiration, hour(-1));
    CHECK_FALSE(billing::decide(late, production, confirmed, false).applies);

    // Two syncs in the same instant: the second one counts.
    auto const again =
        synced(confirmed, lists({}), {.asked_at = hour(0), .watermark = hour(0), .sent_at = hour(1)});
    CHECK(only(again).status == Status::expired);
    CHECK(only(again).last > row.last);
}

TEST_CASE("a purchase that a sync does not change is only confirmed", "[sync]")
{
    auto const is_confirmed = [](Rows const& rows, Subscriber const& subscriber, core::Time at) {
        auto found = billing::decide_sync(production, ada, subscriber, rows, asked(at)).purchases;
        REQUIRE(found.size() == 1);
        return billing::is_confirmation(production, found.front(), rows);
    };
    auto const held = after({}, {event(PurchaseEventType::initial_purchase, hour(-1))}, hour(-1));
    CHECK(is_confirmed(held, lists({bought()}), hour(0)));
    CHECK_FALSE(is_confirmed({}, lists({bought()}), hour(0)));
    CHECK_FALSE(is_confirmed(held, lists({}), hour(0)));
    auto const gone = synced(held, lists({}), asked(hour(0)));
    CHECK(is_confirmed(gone, lists({}), hour(1)));
    CHECK_FALSE(is_confirmed(gone, lists({bought()}), hour(1)));

    auto const changed = [&](auto change) {
        Purchase p = bought();
        change(p);
        return !is_confirmed(held, lists({p}), hour(0));
    };
    CHECK(changed([](Purchase& p) { p.store = "PLAY_STORE"; }));
    CHECK(changed([](Purchase& p) { p.expires_at = hour(101); }));
    CHECK(changed([](Purchase& p) { p.unsubscribed_at = hour(-1); }));
    CHECK(changed([](Purchase& p) { p.price = billing::Price{1299, "NZD"}; }));
    CHECK(changed([](Purchase& p) { p.store_transaction = "t-1"; }));
    CHECK(changed([](Purchase& p) { p.refunded_at = hour(-1); }));

    // The result is the same, but the reconciler has to look after a billing issue.
    Purchase over = bought();
    over.expires_at = hour(-2);
    auto const ended = synced({}, lists({over}), asked(hour(0)));
    over.billing_issue_at = hour(-2);
    CHECK_FALSE(is_confirmed(ended, lists({over}), hour(1)));
    auto const in_issue = synced(ended, lists({over}), asked(hour(1)));
    CHECK(is_confirmed(in_issue, lists({over}), hour(2)));

    // The purchase in the other store decides what is shown.
    auto const both =
        after(held, {event(PurchaseEventType::initial_purchase, hour(-2), "PLAY_STORE")}, hour(-1));
    Purchase hidden = bought();
    hidden.store = "PLAY_STORE";
    CHECK(is_confirmed(both, lists({hidden}), hour(0)));
    hidden.refunded_at = hour(-1);
    CHECK_FALSE(is_confirmed(both, lists({hidden}), hour(0)));
}

TEST_CASE("the document's price and transaction replace the stored ones", "[sync]")
{
    auto const held = after({}, {event(PurchaseEventType::initial_purchase, hour(-1))}, hour(-1));
    Purchase p = bought();
    p.price = billing::Price{1299, "EUR"};
    p.store_transaction = "t-1";
    p.period_type = billing::PeriodType::intro;
    auto const row = only(synced(held, lists({p}), asked(hour(0))));
    CHECK(row.price == billing::Price{1299, "EUR"});
    CHECK(row.last_transaction_id == "t-1");
    CHECK(row.period_type == billing::PeriodType::intro);
    CHECK(billing::is_changed_by_sync({held.front(), row}));
}

TEST_CASE("a purchase that moved to another user ends when it moved", "[sync]")
{
    auto const held = after({}, {event(PurchaseEventType::initial_purchase, hour(-9))}, hour(-9));
    auto times = asked(hour(0));
    times.moved_at = hour(-2);
    CHECK(end_of_access(only(synced(held, lists({}), times))) == hour(-2));
    times.moved_at = hour(2); // the clock of the provider is ahead
    CHECK(end_of_access(only(synced(held, lists({}), times))) == hour(0));
    times.moved_at = hour(-2);
    CHECK(only(synced(held, lists({bought()}), times)).status == Status::active);

    // What had ended before stays as it was.
    auto const ended = after(held, {event(PurchaseEventType::expiration, hour(-5))}, hour(-5));
    CHECK(end_of_access(only(synced(ended, lists({}), times))) == hour(-5));
}

TEST_CASE("a sync replaces the purchase of the store that it lists", "[sync]")
{
    auto const type = PurchaseEventType::initial_purchase;
    Purchase p = bought();
    p.store = "PLAY_STORE";
    p.refunded_at = hour(-1);
    auto const both = after({}, {event(type, hour(-2)), event(type, hour(-2), "PLAY_STORE")}, hour(-2));
    auto const row = only(synced(both, lists({p}), asked(hour(0))));
    CHECK(row.status == Status::active);
    CHECK(row.store == "APP_STORE");
    CHECK(only(synced(both, lists({}), asked(hour(0)))).status == Status::expired);

    // An event that does not state the store may belong to any store.
    auto const unknown = after({}, {event(type, hour(2), "")}, hour(-1));
    CHECK(only(synced(unknown, lists({p}), asked(hour(0)))).status == Status::expired);
    auto const known = after(unknown, {event(type, hour(-2))}, hour(-1));
    CHECK(only(synced(known, lists({}), asked(hour(0)))).status == Status::expired);
    Purchase silent = bought();
    silent.store.clear();
    silent.refunded_at = hour(-1);
    CHECK(only(synced(both, lists({silent}), asked(hour(0)))).status == Status::active);
}

TEST_CASE("a document that does not list consumables leaves the user's consumables unchanged", "[sync]")
{
    Purchase coins = bought("coins");
    coins.transaction = "t-1";
    coins.expires_at.reset();
    auto const held = synced({}, lists({}, {coins}), asked(hour(0)));
    CHECK(only(held).transaction_id == "t-1");
    CHECK_FALSE(end_of_access(only(held)));
    Subscriber silent{.subscriptions = {}, .consumables = std::nullopt};
    CHECK(synced(held, silent, asked(hour(1))) == held);
    auto const gone = only(synced(held, lists({}), asked(hour(1))));
    CHECK(gone.status == Status::expired);
    CHECK(gone.expires_at == hour(1));
    coins.refunded_at = hour(-1);
    auto const refunded = only(synced(held, lists({}, {coins}), asked(hour(1))));
    CHECK(refunded.expires_at == hour(-1));
    CHECK(end_of_access(refunded) == hour(-1));
}

TEST_CASE("if a subscription is listed twice, the longer one counts", "[sync]")
{
    auto const document = R"({"subscriber":{"subscriptions":{
        "pro":{"is_sandbox":false,"expires_date":"2027-01-01T00:00:00Z","product_plan_identifier":"monthly"},
        "pro:monthly":{"is_sandbox":false,"expires_date":"2026-06-01T00:00:00Z"}}}})";
    auto const subscriber = billing::parse_subscriber(document);
    auto const row = only(synced({}, subscriber, asked(hour(0))));
    CHECK(row.provider_product_id == "pro:monthly");
    CHECK(row.expires_at == core::parse_rfc3339("2027-01-01T00:00:00Z"));
    CHECK(billing::decide_sync(sandbox, ada, subscriber, {}, asked(hour(0))).purchases.empty());
}

TEST_CASE("if a subscription is listed with and without its store, it has one state", "[sync]")
{
    auto known = bought(), unknown = bought();
    unknown.store.clear();
    unknown.expires_at = hour(200);
    for (auto const& both : {std::vector{known, unknown}, std::vector{unknown, known}}) {
        auto const first = synced({}, lists(both), asked(hour(0)));
        auto const row = only(first);
        CHECK(row.store == "APP_STORE");
        CHECK(row.lines.size() == 1);
        CHECK(row.expires_at == hour(200));
        CHECK(only(synced(first, lists(both), asked(hour(1)))).expires_at == hour(200));
    }
}

TEST_CASE("a subscription that the payments provider does not know any more has ended", "[sync]")
{
    billing::Subscription stored;
    stored.id = "sub_1";
    stored.user_id = ada;
    stored.status = billing::SubscriptionStatus::active;
    stored.items = {{.product = "price_pro",
        .alternative = "prod_pro",
        .since = hour(-100),
        .starts = hour(-100),
        .ends = hour(100),
        .quantity = 3,
        .price = billing::Price{999, "NZD"}}};
    auto const object = billing::ended_subscription(stored, core::Environment::sandbox, hour(1));
    billing::EventOrder const order{.at = hour(0), .rank = 9, .event_id = "sync"};
    auto const parsed = billing::parse_fetched_subscription(object, order);
    REQUIRE(parsed.faults.empty());
    CHECK(parsed.event.environment == core::Environment::sandbox);
    CHECK(parsed.event.user_id == ada);
    auto const& event = std::get<billing::SubscriptionEvent>(parsed.event.data);
    CHECK(event.subscription_id == "sub_1");
    CHECK(event.status == billing::SubscriptionStatus::canceled);
    CHECK(event.items == stored.items);
    auto const ended = billing::after_event(stored, event);
    auto const row = only(billing::entitlements_of(sandbox, ada, std::array{ended}));
    CHECK(row.status == Status::expired);
    CHECK(end_of_access(row) == hour(1));
    CHECK(row.quantity == 3);
    CHECK(row.price == billing::Price{999, "NZD"});
    // The archive explains it: the payload of the event gives the same event.
    auto const payload = billing::own_payload(parsed.event, object);
    auto const replayed = billing::parse_own_event(boost::json::parse(payload));
    REQUIRE(replayed.faults.empty());
    auto const& again = std::get<billing::SubscriptionEvent>(replayed.event.data);
    CHECK(again.order == event.order);
    CHECK(again.items == event.items);
}
