#include "domain/sync.hpp"
#include "support/fake_clock.hpp"
#include "workers/reconciler.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

// The rules of a sync, and the reconciler's reaction to failures of the provider.

using namespace std::chrono_literals;

namespace {

using billing::Entitlement, billing::Purchase, billing::Status, billing::Subscriber;

core::UserId const ada("ada");

/// The time `n` hours after the start.
core::Time hour(int n)
{
    return testing::FakeClock::start + std::chrono::hours(n);
}

Purchase bought(std::string product = "pro")
{
    Purchase p;
    p.product = std::move(product);
    p.purchased_at = hour(-100);
    p.expires_at = hour(100);
    return p;
}

} // namespace

TEST_CASE("the provider's document decides the status", "[sync]")
{
    struct Row {
        char const* what;
        std::optional<core::Time> expires, unsubscribed, billing_issue, grace, refunded, resumes;
        Status status;
        std::optional<core::Time> ends;
        bool renews;
    };

    // The provider was asked at hour 0.
    auto const none = std::optional<core::Time>();
    for (auto const& row : {
             Row{"paid for", hour(5), none, none, none, none, none, Status::active, hour(5), true},
             Row{"for ever", none, none, none, none, none, none, Status::active, none, false},
             Row{"cancelled", hour(5), hour(-2), none, none, none, none, Status::active, hour(5), false},
             Row{"over", hour(-5), none, none, none, none, none, Status::expired, hour(-5), false},
             Row{"over just now", hour(0), none, none, none, none, none, Status::expired, hour(0), false},
             Row{"over, in grace", hour(-5), none, none, hour(1), none, none, Status::active, hour(-5), true},
             Row{"not paid", hour(5), none, hour(-1), none, none, none, Status::expired, hour(5), false},
             Row{"not paid, in grace", hour(-1), none, hour(-1), hour(3), none, none, Status::active,
                 hour(-1), true},
             Row{"not paid, grace over", hour(-5), none, hour(-5), hour(-1), none, none, Status::expired,
                 hour(-5), false},
             Row{"refunded", hour(5), none, none, none, hour(-1), none, Status::expired, hour(-1), false},
             Row{"refunded after its end", hour(-5), none, none, none, hour(-1), none, Status::expired,
                 hour(-5), false},
             Row{"refunded, had no end", none, none, none, none, hour(-1), none, Status::expired, hour(-1),
                 false},
             Row{"paused", hour(-5), none, none, none, none, hour(5), Status::paused, hour(-5), true},
             Row{"resumed", hour(5), none, none, none, none, hour(-5), Status::active, hour(5), true},
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
        auto const e = billing::entitlement_after(p, core::ScopeId{2}, ada, hour(0));
        CHECK(e.status == row.status);
        CHECK(e.expires_at == row.ends);
        CHECK(e.will_renew == row.renews);
        CHECK(e.last.at == hour(0));
        CHECK(e.last_event_type == "SYNC");
    }
}

TEST_CASE("a sync overrides decisions from before its request, but no later decision", "[sync]")
{
    Subscriber const nothing{.subscriptions = {}, .consumables = std::vector<Purchase>()};
    Entitlement held = billing::entitlement_after(bought(), core::ScopeId{2}, ada, hour(0));
    held.revision = 3;

    auto const before = billing::decide_sync(core::ScopeId{2}, ada, nothing, std::array{held}, hour(1));
    REQUIRE(before.size() == 1);
    CHECK(is_changed_by_sync(before[0]));
    CHECK(before[0].to.status == Status::expired);
    CHECK(before[0].to.expires_at == hour(1));
    CHECK(before[0].to.revision == 3);
    CHECK(before[0].to.last.at == hour(1));
    CHECK(billing::decide_sync(core::ScopeId{2}, ada, nothing, std::array{held}, hour(0)).empty());
    CHECK(billing::decide_sync(core::ScopeId{2}, ada, nothing, std::array{held}, hour(-1)).empty());

    Subscriber const same{.subscriptions = {bought()}, .consumables = {}};
    auto const confirmed = billing::decide_sync(core::ScopeId{2}, ada, same, std::array{held}, hour(1));
    REQUIRE(confirmed.size() == 1);
    CHECK_FALSE(is_changed_by_sync(confirmed[0]));
    CHECK(confirmed[0].to.last.at == hour(1)); // so an earlier event that arrives later is stale
    CHECK(confirmed[0].to.updated_at == held.updated_at);
}

TEST_CASE("a document that does not list consumables leaves the user's consumables unchanged", "[sync]")
{
    Purchase coins = bought("coins");
    coins.transaction = "t-1";
    coins.expires_at.reset();
    Entitlement const held = billing::entitlement_after(coins, core::ScopeId{2}, ada, hour(0));
    Subscriber silent{.subscriptions = {}, .consumables = std::nullopt};
    CHECK(billing::decide_sync(core::ScopeId{2}, ada, silent, std::array{held}, hour(1)).empty());
    silent.consumables.emplace();
    CHECK(billing::decide_sync(core::ScopeId{2}, ada, silent, std::array{held}, hour(1)).size() == 1);
}

TEST_CASE("if a subscription is listed twice, the longer one counts", "[sync]")
{
    auto const document = R"({"subscriber":{"subscriptions":{
        "pro":{"is_sandbox":false,"expires_date":"2027-01-01T00:00:00Z","product_plan_identifier":"monthly"},
        "pro:monthly":{"is_sandbox":false,"expires_date":"2026-06-01T00:00:00Z"}}}})";
    auto const subscriber = billing::parse_subscriber(document);
    auto const writes = billing::decide_sync(core::ScopeId{2}, ada, subscriber, {}, hour(0));
    REQUIRE(writes.size() == 1);
    CHECK(writes[0].to.provider_product_id == "pro:monthly");
    CHECK(writes[0].to.expires_at == core::parse_rfc3339("2027-01-01T00:00:00Z"));
    CHECK(billing::decide_sync(core::ScopeId{3}, ada, subscriber, {}, hour(0)).empty());
}

TEST_CASE("a malformed subscriber document is refused", "[sync]")
{
    for (auto const& text : std::vector<std::string>{"", "null", "[]", "{}", R"({"subscriber":null})",
             R"({"subscriber":[]})", R"({"subscriber":{}})", R"({"subscriber":{"subscriptions":null}})",
             R"({"subscriber":{"subscriptions":[]}})", R"({"subscriber":{"subscriptions":{"p":null}}})",
             R"({"subscriber":{"subscriptions":{"p":{}}}})",
             R"({"subscriber":{"subscriptions":{"p":{"is_sandbox":"no"}}}})",
             R"({"subscriber":{"subscriptions":{"":{"is_sandbox":false}}}})",
             R"({"subscriber":{"subscriptions":{"p\u0000":{"is_sandbox":false}}}})",
             R"({"subscriber":{"subscriptions":{")" + std::string(256, 'p') + R"(":{"is_sandbox":false}}}})",
             R"({"subscriber":{"subscriptions":{"p":{"is_sandbox":false,"expires_date":"soon"}}}})",
             R"({"subscriber":{"subscriptions":{"p":{"is_sandbox":false,"expires_date":1767225600}}}})",
             R"({"subscriber":{"subscriptions":{},"non_subscriptions":[]}})",
             R"({"subscriber":{"subscriptions":{},"non_subscriptions":{"c":{}}}})",
             R"({"subscriber":{"subscriptions":{},"non_subscriptions":{"c":[{"is_sandbox":false}]}}})",
             R"({"subscriber":{"subscriptions":{)"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(billing::parse_subscriber(text), std::invalid_argument);
    }
    CHECK(billing::parse_subscriber(R"({"subscriber":{"subscriptions":{}}})").subscriptions.empty());
}

TEST_CASE("the provider's failures delay the user or the tenant", "[sync]")
{
    using Error = billing::PurchasesApiError;
    using Kind = Error::Kind;
    auto const times_after = [](Error const& error, unsigned attempts = 1) {
        return billing::reconciler::retry_times(error, attempts, hour(0), 12345);
    };
    auto const limited = times_after(Error(Kind::throttled, "status 429", std::chrono::seconds(90)));
    CHECK_FALSE(limited.user_not_before);
    CHECK(limited.tenant_not_before == hour(0) + 90s);
    auto const busy = times_after(Error(Kind::unavailable, "status 503", std::chrono::seconds(20)));
    CHECK(busy.tenant_not_before == hour(0) + 20s);

    auto const unknown = times_after(Error(Kind::unknown_user, "status 404"));
    CHECK(unknown.user_not_before == hour(24));
    CHECK_FALSE(unknown.tenant_not_before);
    CHECK(times_after(Error(Kind::refused, "status 401")).tenant_not_before == hour(1));

    for (auto const kind : {Kind::throttled, Kind::unavailable, Kind::nonsense}) {
        auto const first = times_after(Error(kind, "trouble")),
                   later = times_after(Error(kind, "trouble"), 20);
        CHECK(first.tenant_not_before >= hour(0) + 15s);
        CHECK(first.tenant_not_before <= hour(0) + 30s);
        CHECK(later.tenant_not_before >= hour(0) + 5min);
        CHECK(later.tenant_not_before <= hour(0) + 10min);
    }
    CHECK(times_after(Error(Kind::nonsense, "no JSON")).user_not_before == hour(1));
}
