#include "access_state.hpp"
#include "domain/access.hpp"
#include "reading.hpp"
#include "rules.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

// When a user has access by purchases of the purchase provider, and what entitlements show of them.

using namespace reading;
using access_state::forever, access_state::since, access_state::until;
using events::day, events::ms, events::rfc3339, events::undefined;
using rules::access_after, rules::at, rules::left_by, rules::purchase;

namespace {

/// A grant through the purchase provider's dashboard, or its revocation.
json::object promotional(std::int64_t seconds, json::value const& expires_at_ms)
{
    return {{"store", "PROMOTIONAL"}, {"period_type", "PROMOTIONAL"}, {"transaction_id", nullptr},
        {"original_transaction_id", nullptr}, {"event_timestamp_ms", ms(seconds)},
        {"expiration_at_ms", expires_at_ms}, {"price", 0}, {"price_in_purchased_currency", 0}};
}

} // namespace

TEST_CASE("access lasts until the latest of the paid period, the leeway and the past due period", "[access]")
{
    using billing::Access, billing::access_until, billing::is_active;
    Access access;
    CHECK_FALSE(access_until(access, {}));
    CHECK(is_active(access, {}, core::max_time));
    access.until = at(10);
    CHECK(access_until(access, {}) == at(10));
    CHECK(is_active(access, {}, at(10) - 1us));
    CHECK_FALSE(is_active(access, {}, at(10)));

    access.renewal_until = at(10);
    CHECK(access_until(access, {}) == at(10) + 1h);
    CHECK(access_until(access, {.renewal_leeway = 0s}) == at(10));
    CHECK(is_active(access, {.renewal_leeway = 2s}, at(11)));
    CHECK_FALSE(is_active(access, {.renewal_leeway = 2s}, at(12)));
    access.until = at(20); // a grace period
    CHECK(access_until(access, {.renewal_leeway = 5s}) == at(20));
    CHECK(access_until(access, {.renewal_leeway = 15s}) == at(25));

    access = {.until = at(10), .past_due_until = at(30)};
    CHECK(access_until(access, {}) == at(10));
    CHECK(access_until(access, {.past_due_is_active = true}) == at(30));
    CHECK(is_active(access, {.past_due_is_active = true}, at(29)));
    CHECK_FALSE(is_active(access, {.past_due_is_active = true}, at(30)));
}

TEST_CASE("an event ends access at once, and never lengthens it", "[access]")
{
    using billing::Access, billing::access_until, billing::ended, billing::is_active;
    Access const paid{.until = at(100), .renewal_until = at(100)};
    auto const early = ended(paid, at(50));
    CHECK(access_until(early, {}) == at(50));
    CHECK_FALSE(is_active(early, {}, at(50)));
    CHECK_FALSE(is_active(early, {}, at(49))); // the clocks differ
    auto const in_leeway = ended(paid, at(200));
    CHECK(access_until(in_leeway, {}) == at(200));
    CHECK(access_until(in_leeway, {.renewal_leeway = 10s}) == at(110));
    CHECK_FALSE(is_active(in_leeway, {}, at(199)));
    CHECK(access_until(ended(paid, at(100'000)), {}) == at(3700));
    CHECK(access_until(ended(in_leeway, at(50)), {}) == at(50));
    CHECK(access_until(ended(early, at(200)), {}) == at(50));
    CHECK(access_until(ended(Access(), at(50)), {}) == at(50));
}

TEST_CASE("a user with two purchases has the access of both", "[access]")
{
    using billing::Access, billing::access_until, billing::combined, billing::ended, billing::is_active;
    Access const shorter{.until = at(100), .renewal_until = at(100)}, longer{.until = at(150)}, endless{};
    for (auto const& [a, b] : {std::pair(shorter, longer), std::pair(longer, shorter)}) {
        CHECK(access_until(combined(a, b), {}) == at(3700));
        CHECK(access_until(combined(a, b), {.renewal_leeway = 0s}) == at(150));
        CHECK_FALSE(access_until(combined(a, endless), {}));
        auto const one_ended = combined(ended(a, at(10)), b);
        CHECK(is_active(one_ended, {}, at(99)));
        CHECK_FALSE(is_active(combined(ended(a, at(10)), ended(b, at(20))), {}, at(0)));
        CHECK(access_until(combined(ended(a, at(10)), ended(b, at(20))), {}) == at(20));
    }
    // The leeway of an awaited renewal counts rather than that of an ended one.
    Access const later{.until = at(200), .renewal_until = at(200)};
    CHECK(access_until(combined(ended(later, at(300)), shorter), {}) == at(3700));
}

TEST_CASE("a refund ends access at the time of the event, and the status stays active", "[access]")
{
    World const world;
    happens(world, "INITIAL_PURCHASE");
    happens(world, "CANCELLATION", {{"event_timestamp_ms", ms(100)}, {"cancel_reason", "CUSTOMER_SUPPORT"}});
    auto const refunded = world.entitlement("pro.monthly");
    CHECK(access_state::of(refunded) == since("active", 100));
    CHECK(text(refunded, "expiresAt") == rfc3339(30 * day));
    CHECK(text(refunded, "cancelReason") == "CUSTOMER_SUPPORT");
    CHECK(refunded.at("willRenew") == false);
    // Later events of the refunded period do not give access again, but a new period does.
    happens(world, "EXPIRATION", {{"event_timestamp_ms", ms(200)}});
    CHECK(access_state::of(world) == since("expired", 100));
    happens(world, "RENEWAL", {{"event_timestamp_ms", ms(300)}, {"expiration_at_ms", ms(60 * day)}});
    CHECK(access_state::of(world) == until("active", 60 * day + leeway));
}

TEST_CASE("an expiration ends access at its time, also within the leeway", "[access]")
{
    auto const bought = purchase("INITIAL_PURCHASE", 0);
    auto const end_after = [&](std::int64_t seconds) {
        return access_after({bought, purchase("EXPIRATION", seconds)}, "pro.monthly");
    };
    CHECK(end_after(100) == "100");
    CHECK(end_after(30 * day) == std::to_string(30 * day));
    CHECK(end_after(30 * day + 600) == std::to_string(30 * day + 600));
    CHECK(end_after(40 * day) == std::to_string(30 * day + leeway));
}

TEST_CASE("a billing issue in the grace period leaves access, also with the cancellation of that moment",
    "[access]")
{
    World world;
    json::object const grace{{"grace_period_expiration_at_ms", ms(40 * day)}};
    for (std::int64_t const delay_ms : {-1, 0, 1}) {
        for (bool const reversed : {false, true}) {
            auto const user = std::to_string(delay_ms) + (reversed ? " reversed" : "");
            CAPTURE(user);
            auto const issue = events::purchase("BILLING_ISSUE",
                events::changed(grace, {{"app_user_id", user}, {"event_timestamp_ms", ms(30 * day)}}));
            auto const cancelled = events::purchase(
                "CANCELLATION", {{"app_user_id", user}, {"event_timestamp_ms", ms(30 * day) + delay_ms},
                                    {"cancel_reason", "BILLING_ERROR"}});
            happens(world, "INITIAL_PURCHASE", {{"app_user_id", user}});
            REQUIRE(world.post_purchase(reversed ? cancelled : issue).status == 200);
            REQUIRE(world.post_purchase(reversed ? issue : cancelled).status == 200);
            auto const e = world.entitlement("pro.monthly", user);
            CHECK(access_state::of(e) == until(delay_ms == 1 ? "active" : "expired", 40 * day));
            CHECK(text(e, "graceUntil") == rfc3339(40 * day));
        }
    }
    world.clock.set(at(40 * day) - 1ms);
    CHECK(world.entitlement("pro.monthly", "0").at("isActive") == true);
    world.clock.advance(1ms);
    CHECK(world.entitlement("pro.monthly", "0").at("isActive") == false);
}

TEST_CASE("a billing issue without a grace period leaves the paid period", "[access]")
{
    auto const bought = purchase("INITIAL_PURCHASE", 0), issue = purchase("BILLING_ISSUE", 100);
    CHECK(left_by({bought, issue}, "pro.monthly") == "expired " + std::to_string(30 * day));
    CHECK(access_after({bought, issue}, "pro.monthly") == std::to_string(30 * day));
    auto const paid = purchase("RENEWAL", 31 * day, {{"expiration_at_ms", ms(60 * day)}});
    CHECK(access_after({bought, issue, paid}, "pro.monthly") == std::to_string(60 * day + leeway));
}

TEST_CASE("a paused subscription gives access until the end of the paid period", "[access]")
{
    World world;
    happens(world, "INITIAL_PURCHASE");
    happens(world, "SUBSCRIPTION_PAUSED", {{"event_timestamp_ms", ms(100)}});
    CHECK(access_state::of(world) == until("paused", 30 * day));
    world.clock.set(at(30 * day));
    CHECK(access_state::of(world) == since("paused", 30 * day));
    happens(world, "RENEWAL", {{"event_timestamp_ms", ms(45 * day)}, {"expiration_at_ms", ms(75 * day)}});
    CHECK(access_state::of(world) == until("active", 75 * day + leeway));
}

TEST_CASE("the leeway applies only while a renewal is expected", "[access]")
{
    auto const bought = purchase("INITIAL_PURCHASE", 0);
    for (auto const& [type, has_leeway] : std::map<std::string, bool>{{"RENEWAL", true},
             {"UNCANCELLATION", true}, {"SUBSCRIPTION_EXTENDED", true}, {"CANCELLATION", false},
             {"BILLING_ISSUE", false}, {"SUBSCRIPTION_PAUSED", false}}) {
        CAPTURE(type);
        std::vector const history{bought, purchase(type, 100)};
        CHECK(access_after(history, "pro.monthly") == std::to_string(30 * day + (has_leeway ? leeway : 0)));
        CHECK(access_after(history, "pro.monthly", {.renewal_leeway = 0s}) == std::to_string(30 * day));
        CHECK(access_after(history, "pro.monthly", {.renewal_leeway = 24h}) ==
              std::to_string((has_leeway ? 31 : 30) * day));
    }
    // A resumed subscription renews again. It is not resumed from a billing issue or a pause.
    auto const resumed = purchase("UNCANCELLATION", 200);
    auto const end_after = [&](std::string_view type) {
        return access_after({bought, purchase(type, 100), resumed}, "pro.monthly");
    };
    CHECK(end_after("CANCELLATION") == std::to_string(30 * day + leeway));
    CHECK(end_after("BILLING_ISSUE") == std::to_string(30 * day));
    // A purchase that does not renew has no leeway.
    CHECK(access_after({purchase("NON_RENEWING_PURCHASE", 0)}, "pro.monthly") == std::to_string(30 * day));
}

TEST_CASE("a change of the leeway applies at the next read, to access that has ended too", "[access]")
{
    World world;
    new_product(world, "pro.monthly", {"export"});
    happens(world, "INITIAL_PURCHASE");
    auto const leeways = {std::pair(json::value(nullptr), std::int64_t{3600}),
        std::pair(json::value(0), std::int64_t{0}), std::pair(json::value(86'400), std::int64_t{86'400}),
        std::pair(json::value(60), std::int64_t{60})};
    for (auto const& [setting, seconds] : leeways) {
        set(world, {{"renewalLeewaySeconds", setting}});
        CHECK(access_state::of(world) == until("active", 30 * day + seconds));
    }
    world.clock.set(at(30 * day + 60));
    CHECK(access_state::of(world) == since("active", 30 * day + 60));
    CHECK(feature(world, "export") == not_granted);
    set(world, {{"renewalLeewaySeconds", 61}});
    CHECK(access_state::of(world) == until("active", 30 * day + 61));
    CHECK(feature(world, "export") == granted(rfc3339(30 * day + 61)));
}

TEST_CASE("a promotional grant that is revoked ends", "[access]")
{
    World const world;
    for (std::string const type : {"CANCELLATION", "EXPIRATION"}) {
        for (auto const& [name, expires_at_ms] :
            std::map<std::string, json::value>{{"lifetime", nullptr}, {"month", ms(30 * day)}}) {
            auto const user = type + " of " + name;
            CAPTURE(user);
            auto const of = [&](std::int64_t seconds) {
                return events::changed(promotional(seconds, expires_at_ms), {{"app_user_id", user}});
            };
            happens(world, "NON_RENEWING_PURCHASE", of(0));
            auto const given = world.entitlement("pro.monthly", user);
            CHECK(
                access_state::of(given) == (name == "month" ? until("active", 30 * day) : forever("active")));
            CHECK(text(given, "store") == "PROMOTIONAL");
            CHECK(given.at("transactionId").is_null());
            happens(world, type, of(100));
            auto const status = type == "CANCELLATION" ? "active" : "expired";
            CHECK(access_state::of(world, "pro.monthly", user) == since(status, 100));
            // A later grant of the product is the same entitlement.
            happens(world, "NON_RENEWING_PURCHASE", of(200));
            auto const again = world.entitlement("pro.monthly", user);
            CHECK(again.at("entitlementId") == given.at("entitlementId"));
            CHECK(again.at("isActive") == true);
        }
    }
}

TEST_CASE("a revocation that arrives before its promotional grant ends the grant", "[access]")
{
    World const world;
    happens(world, "CANCELLATION", promotional(100, nullptr));
    REQUIRE(world.post_purchase(events::purchase("NON_RENEWING_PURCHASE", promotional(0, nullptr))).status ==
            200);
    CHECK(access_state::of(world) == since("active", 100));
}

TEST_CASE("an expiration in one store leaves the purchase in the other store", "[access]")
{
    World const world;
    std::vector const sent{events::purchase("INITIAL_PURCHASE", {{"store", "APP_STORE"}}),
        events::purchase(
            "INITIAL_PURCHASE", {{"store", "PLAY_STORE"}, {"event_timestamp_ms", ms(50)},
                                    {"expiration_at_ms", ms(20 * day)}, {"transaction_id", "GPA.1"}}),
        events::purchase("EXPIRATION", {{"store", "APP_STORE"}, {"event_timestamp_ms", ms(100)}})};
    for (auto const& event : sent)
        REQUIRE(result_of(world.post_purchase(event)) == "applied");
    auto const e = world.entitlement("pro.monthly");
    CHECK(access_state::of(e) == until("active", 20 * day + leeway));
    CHECK(text(e, "store") == "PLAY_STORE");
    CHECK(text(e, "transactionId") == "GPA.1");
    CHECK(text(e, "expiresAt") == rfc3339(20 * day));
    CHECK(text(e, "lastEventType") == "EXPIRATION");

    happens(world, "EXPIRATION", {{"store", "PLAY_STORE"}, {"event_timestamp_ms", ms(200)}});
    CHECK(access_state::of(world) == since("expired", 200));
    happens(world, "RENEWAL", {{"store", "APP_STORE"}, {"event_timestamp_ms", ms(300)}});
    CHECK(access_state::of(world) == until("active", 30 * day + leeway));
    // An event that does not state its store may be about any of them.
    happens(world, "EXPIRATION", {{"store", undefined}, {"event_timestamp_ms", ms(400)}});
    CHECK(access_state::of(world) == since("expired", 400));
}

TEST_CASE("accessUntil is null if access never ends", "[access]")
{
    World const world;
    new_product(world, "forever", {"export"}, {{"kind", "lifetime"}});
    happens(world, "NON_RENEWING_PURCHASE", {{"product_id", "forever"}, {"expiration_at_ms", nullptr}});
    CHECK(access_state::of(world, "forever") == forever("active"));
    CHECK(feature(world, "export") == granted("null"));
    happens(world, "CANCELLATION",
        {{"product_id", "forever"}, {"expiration_at_ms", nullptr}, {"event_timestamp_ms", ms(100)}});
    CHECK(access_state::of(world, "forever") == since("expired", 100));
    CHECK(feature(world, "export") == not_granted);
    // Also for a subscription whose event states no end.
    happens(world, "INITIAL_PURCHASE", {{"expiration_at_ms", nullptr}});
    CHECK(access_state::of(world) == forever("active"));
}

TEST_CASE("a feature is granted exactly while an entitlement with it is active", "[access]")
{
    World world;
    new_product(world, "pro.monthly", {"export"});
    new_product(world, "price_pro", {"export"});
    auto const card = [&](std::string_view status, json::object changes = {}) {
        changes["status"] = status;
        return [=](World const& w, std::string const& user) {
            auto fields = changes;
            fields["id"] = "sub " + user;
            fields["metadata"] = json::object{{"userId", user}};
            auto const ends = events::item("price_pro", {{"current_period_end", events::s(7200)}});
            w.post_payment(events::payment("customer.subscription.updated",
                events::subscription({ends}, fields), {{"created", events::s(60)}}));
        };
    };
    auto const in_app = [](std::string_view type, json::object changes = {}) {
        return [=](World const& w, std::string const& user) {
            json::object const bought{{"app_user_id", user}, {"expiration_at_ms", ms(7200)}};
            w.post_purchase(events::purchase("INITIAL_PURCHASE", bought));
            auto fields = events::changed(bought, {{"event_timestamp_ms", ms(60)}});
            fields = events::changed(std::move(fields), changes);
            w.post_purchase(events::purchase(type, fields));
        };
    };
    std::map<std::string, std::function<void(World const&, std::string const&)>> const cases{
        {"renewed", in_app("RENEWAL")}, {"cancelled", in_app("CANCELLATION")},
        {"refunded", in_app("CANCELLATION", {{"cancel_reason", "CUSTOMER_SUPPORT"}})},
        {"in grace", in_app("BILLING_ISSUE", {{"grace_period_expiration_at_ms", ms(9000)}})},
        {"paused", in_app("SUBSCRIPTION_PAUSED")}, {"expired", in_app("EXPIRATION")},
        {"expires later", in_app("EXPIRATION", {{"event_timestamp_ms", ms(8000)}})},
        {"no end", in_app("RENEWAL", {{"expiration_at_ms", nullptr}})}, {"card active", card("active")},
        {"card past due", card("past_due")}, {"card unpaid", card("unpaid")}, {"card paused", card("paused")},
        {"card ends early", card("active", {{"cancel_at", events::s(3600)}})},
        {"card cancels", card("active", {{"cancel_at_period_end", true}})},
        {"card ended", card("canceled", {{"ended_at", events::s(8000)}})}};
    for (auto const& [user, happened] : cases)
        happened(world, user);
    for (bool const past_due_is_active : {false, true}) {
        set(world, {{"pastDueIsActive", past_due_is_active}});
        for (auto const seconds :
            {0, 59, 60, 3599, 3600, 7199, 7200, 7999, 8000, 8999, 9000, 10'799, 10'800}) {
            world.clock.set(at(seconds));
            for (auto const& [user, happened] : cases) {
                CAPTURE(past_due_is_active, seconds, user);
                auto const e = world.entitlements(user).at(0);
                bool const has = e.at("isActive") == true;
                CHECK(
                    feature(world, "export", user) == (has ? granted(text(e, "accessUntil")) : not_granted));
                if (has && !e.at("accessUntil").is_null()) CHECK(text(e, "accessUntil") > rfc3339(seconds));
            }
        }
        world.clock.set(at(0));
    }
}
