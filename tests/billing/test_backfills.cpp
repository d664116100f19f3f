#include "backfilling.hpp"
#include "support/scope_rows.hpp"

#include <map>
#include <utility>

// Backfills from the payments provider: what they find, and who may create and read them.

namespace {

using namespace backfilling;

} // namespace

TEST_CASE_METHOD(
    Fixture, "a backfill fetches all subscriptions, and archives those that changed", "[backfills]")
{
    provider.generates({{"count", 250}, {"users", 100}});
    auto const first = ended(start());
    CHECK(summary(first) == "done 250 250 0");
    CHECK(text(first, "source") == "payments");
    CHECK(text(first, "startedAt") == events::rfc3339(0));
    CHECK(text(first, "completedAt") == events::rfc3339(0));
    for (auto const* name : {"since", "lastError"})
        CHECK(first.at(name).is_null());
    CHECK(cursors() == Cursors{"", "sub_1_000099", "sub_1_000199"});
    for (auto const& request : provider.seen()) {
        CHECK(text(request.at("query"), "status") == "all");
        CHECK(text(request.at("query"), "limit") == "100");
        CHECK_FALSE(request.at("query").as_object().contains("created[gte]"));
        CHECK(text(request, "authorization") == "Bearer sk_test_provider");
    }
    CHECK(count(stored_subscriptions) == "250");
    CHECK(count(stored_subscriptions, "demo") == "0");
    CHECK(count(archived_syncs) == "250");

    auto const before = world.entitlements("user-0");
    CHECK_FALSE(before.empty());
    world.clock.advance(1min);
    CHECK(run() == "done 250 0 0");
    CHECK(world.entitlements("user-0") == before);
    CHECK(count(archived_syncs) == "250");

    provider.adds(
        {subscription("sub_1_000000", "user-0", {{"status", "canceled"}, {"ended_at", events::s(30)}})});
    world.clock.advance(1min);
    CHECK(run() == "done 250 1 0");
    CHECK(count(archived_syncs) == "251");
}

TEST_CASE_METHOD(Fixture, "a backfill finds subscriptions of all statuses", "[backfills]")
{
    std::map<std::string, std::string> const expected{{"active", "active true"}, {"trialing", "active true"},
        {"past_due", "expired false"}, {"unpaid", "expired false"}, {"paused", "paused false"},
        {"incomplete", "expired false"}, {"incomplete_expired", "expired false"},
        {"canceled", "expired false"}};
    json::array all;
    for (auto const& [status, shown] : expected) {
        bool const has_ended = status == "canceled" || status == "incomplete_expired";
        json::value const ended_at = has_ended ? json::value(events::s(0)) : json::value();
        all.push_back(subscription("sub_" + status, status, {{"status", status}, {"ended_at", ended_at}}));
    }
    provider.has(all);
    CHECK(run() == "done 8 8 0");
    for (auto const& [status, shown] : expected) {
        CAPTURE(status);
        auto const found = world.entitlement("price_pro", status);
        CHECK(text(found, "status") + ' ' + json::serialize(found.at("isActive")) == shown);
    }
}

TEST_CASE_METHOD(Fixture, "a backfill reads subscriptions of old and new API versions", "[backfills]")
{
    auto const old = events::old_subscription("price_pro", {{"id", "sub_old"}});
    auto const current = events::subscription(
        {events::item("price_pro")}, {{"id", "sub_new"}, {"metadata", json::object{{"userId", "bob"}}}});
    json::object const page{{"object", "list"}, {"has_more", false}, {"data", json::array{old, current}}};
    provider.fails({json::object{{"text", body(page)}}});
    CHECK(run() == "done 2 2 0");
    for (auto const* user : {"ada", "bob"}) {
        auto const found = world.entitlement("price_pro", user);
        CHECK(text(found, "status") == "active");
        CHECK(text(found, "expiresAt") == events::rfc3339(30 * events::day));
    }
}

TEST_CASE_METHOD(Fixture, "a backfill fetches the items that a page does not contain", "[backfills]")
{
    json::array items;
    for (int n = 0; n < 30; ++n)
        items.push_back({{"id", "si_" + std::to_string(n)}, {"price", "price_" + std::to_string(n)}});
    provider.has({subscription("sub_1", "ada", {{"items", std::move(items)}})});
    CHECK(run() == "done 1 1 0");
    CHECK(world.entitlements("ada").size() == 30);
}

TEST_CASE_METHOD(Fixture, "the provider gets `since` as the least time of creation", "[backfills]")
{
    provider.has({subscription("sub_new", "ada", {{"created", events::s(-60)}}),
        subscription("sub_old", "bob", {{"created", events::s(-61)}})});
    auto const since = events::rfc3339(-60);
    auto const done = ended(start({{"since", since}}));
    CHECK(summary(done) == "done 1 1 0");
    CHECK(text(done, "since") == since);
    CHECK(text(provider.seen().at(0).at("query"), "created[gte]") == std::to_string(events::s(-60)));
    CHECK(run({{"since", "1960-01-01T00:00:00Z"}}) == "done 2 1 0");
    CHECK(text(provider.seen().at(1).at("query"), "created[gte]") == "0");
}

TEST_CASE_METHOD(Fixture, "`livemode` selects the environment of each subscription", "[backfills]")
{
    provider.has({subscription("sub_live", "ada", {{"livemode", true}}),
        subscription("sub_test", "bob", {{"livemode", false}})});
    CHECK(run() == "done 2 2 0");
    CHECK(world.entitlements("ada", "demo").size() == 1);
    CHECK(world.entitlements("ada", "demo-sandbox").empty());
    CHECK(world.entitlements("bob", "demo").empty());
    CHECK(world.entitlements("bob", "demo-sandbox").size() == 1);
}

TEST_CASE_METHOD(
    Fixture, "a malformed subscription is counted, and does not stop the backfill", "[backfills]")
{
    auto const malformed = json::object{{"price", "price_pro"}, {"current_period_end", "soon"}};
    provider.has({subscription("sub_1", "ada"),
        subscription("sub_2", "bob", {{"items", json::array{malformed}}}), subscription("sub_3", "eve")});
    auto const done = ended(start());
    CHECK(text(done, "status") == "done");
    CHECK(done.at("changed") == 2);
    CHECK(done.at("failed") == 1);
    CHECK(world.entitlements("ada").size() == 1);
    CHECK(world.entitlements("bob").empty());
    CHECK(world.entitlements("eve").size() == 1);
}

TEST_CASE_METHOD(Fixture, "the provider's clock orders what was found, unless it differs much", "[backfills]")
{
    auto const [ahead, expected] = GENERATE(table<int, int>({{240, 240}, {3600, 0}}));
    provider.set({{"now", events::s(ahead)}});
    provider.has({subscription("sub_1", "ada")});
    CHECK(run() == "done 1 1 0");
    // Earlier by the duration of the request, and by a second, because the provider states the times of
    // events in whole seconds.
    auto const at = text(world.entitlement("price_pro"), "lastEventAt");
    CHECK(at <= events::rfc3339(expected - 1));
    CHECK(at > events::rfc3339(expected - 60));
    CHECK(text(world.entitlement("price_pro"), "lastEventType") == "SYNC");
}

TEST_CASE_METHOD(
    Fixture, "a backfill belongs to its tenant, and only production may create it", "[backfills]")
{
    set_key("other", "sk_live_other");
    provider.has({subscription("sub_1", "ada")});
    auto const id = start();
    CHECK(summary(ended(id)) == "done 1 1 0");
    auto const path = "/v1/backfills/" + id;
    auto const shown = world.as_backend("demo").get(path);
    CHECK(world.as_backend("demo-sandbox").get(path).body == shown.body);
    CHECK(world.as_user("ada", "admin").get(path).body == shown.body);
    CHECK(world.as_user("ada", "user").get(path).status == 403);
    CHECK(world.client().get(path).status == 401);
    for (std::string const tenant : {"other", "other-sandbox"}) {
        auto client = world.as_backend(tenant);
        auto const never = client.get("/v1/backfills/0190a5d2-0000-7000-8000-0000000000ff");
        auto const foreign = client.get(path);
        CHECK(foreign.status == 404);
        CHECK(testing::without_request_id(foreign) == testing::without_request_id(never));
        CHECK(client.get("/v1/backfills/nonsense").status == 404);
    }
    CHECK(post({}, "demo-sandbox").status == 403);
    auto const request = R"({"source":"payments"})";
    CHECK(world.as_user("ada", "user", "demo").post("/v1/backfills", request).status == 403);
    CHECK(world.client("demo").post("/v1/backfills", request).status == 401);
    CHECK(world.entitlements("ada", "other").empty());
    CHECK(run({}, "other") == "done 1 1 0");
    CHECK(world.entitlements("ada", "other").size() == 1);
    CHECK(world.entitlements("ada", "other-sandbox").empty());

    core::ScopeId const ours{std::stoll(world.scope_id())};
    core::ScopeId const other{std::stoll(world.scope_id("other-sandbox"))};
    testing::ScopedStatements statements(world.postgres, ours, other);
    auto const of_ours = "tenant_id = " + core::to_string(core::tenant_of(ours));
    CHECK(statements.seen("backfills", of_ours) == "1 1 0 0");
}

TEST_CASE_METHOD(Fixture, "a backfill is refused with all its faults", "[backfills]")
{
    for (auto const& [changes, faults] : std::vector<std::pair<json::object, std::string>>{
             {{{"source", events::undefined}}, "/source required"},
             {{{"source", "purchases"}}, "/source not_allowed"},
             {{{"source", 1}, {"since", "yesterday"}}, "/source type\n/since format"},
             {{{"since", events::rfc3339(1)}}, "/since range"},
             {{{"since", 1}}, "/since type"},
         }) {
        CAPTURE(faults);
        auto const r = post(changes);
        CHECK(r.status == 400);
        CHECK(faults_of(r) == faults);
    }
    auto const not_configured = post({}, "other");
    CHECK(not_configured.status == 409);
    CHECK(error_of(not_configured) == "PAYMENTS_API_NOT_CONFIGURED");
    CHECK(provider.seen().empty());
    CHECK(run({{"since", events::rfc3339(0)}}) == "done 0 0 0");
}

TEST_CASE_METHOD(
    Fixture, "a repeated request with the same Idempotency-Key creates one backfill", "[backfills]")
{
    provider.set({{"held", true}});
    auto const request = body({{"source", "payments"}, {"since", events::rfc3339(-60)}});
    testing::HttpClient::Headers const headers{{"Idempotency-Key", "one"}};
    auto backend = world.as_backend("demo");
    auto const first = backend.post("/v1/backfills", request, headers);
    REQUIRE(eventually([&] { return provider.waiting() == 1; })); // the worker has read the key
    set_key("demo", nullptr);
    auto const again = backend.post("/v1/backfills", request, headers);
    CHECK(first.status == 202);
    CHECK(again.status == 202);
    CHECK(again.body == first.body);
    CHECK(again.header("idempotent-replayed") == "true");
    CHECK(first.header("location") == "/v1/backfills/" + text(first.json(), "backfillId"));
    CHECK(backend.post("/v1/backfills", R"({"source":"payments"})", headers).status == 422);

    auto const entries = all_items(backend, "/v1/audit?action=backfill.created");
    REQUIRE(entries.size() == 1);
    CHECK(text(entries[0], "subjectId") == text(first.json(), "backfillId"));
    CHECK(entries[0].at("after") == json::parse(request));
    provider.release();
    ended(text(first.json(), "backfillId"));
}

TEST_CASE_METHOD(Fixture, "reads of the past, and replays, include what backfills found", "[backfills]")
{
    provider.has({subscription("sub_1", "ada")});
    CHECK(run() == "done 1 1 0");
    world.clock.advance(24h);
    provider.has({subscription("sub_1", "ada", {{"status", "paused"}})});
    CHECK(run() == "done 1 1 0");
    auto const present = world.entitlement("price_pro");
    CHECK(text(present, "status") == "paused");

    auto backend = world.as_backend();
    auto const as_of = [&](std::int64_t seconds) {
        auto const path = "/v1/users/ada/entitlements?at=" + events::rfc3339(seconds);
        auto const found = require(200, backend.get(path)).json().at("entitlements").as_array();
        return found.empty() ? "none"
                             : text(found[0], "status") + ' ' + json::serialize(found[0].at("isActive"));
    };
    CHECK(as_of(-60) == "none");
    CHECK(as_of(60) == "active true");
    CHECK(as_of(events::day - 60) == "active true");
    CHECK(as_of(events::day + 60) == "paused false");

    world.postgres.query("DELETE FROM entitlements; DELETE FROM payment_subscriptions");
    for (auto const& event : all_items(backend, "/v1/events?type=SYNC"))
        require(200, backend.post("/v1/events/" + text(event, "eventId") + "/replay", ""));
    CHECK(world.entitlement("price_pro") == present);
    CHECK(count(stored_subscriptions) == "1");
}
