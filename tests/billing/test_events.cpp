#include "api/events.hpp"
#include "core/text.hpp"
#include "events.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

namespace {

namespace json = boost::json;

std::string id_of(json::object const& event)
{
    return text(event.contains("event") ? event.at("event") : json::value(event), "id");
}

/// The event as the API shows it.
json::value as_sent(json::object const& event)
{
    return json::parse(body(event));
}

json::array listed(
    World const& world, std::string const& query = "", std::string const& tenant = "demo-sandbox")
{
    auto backend = world.as_backend(tenant);
    return all_items(backend, "/v1/events" + query, 3);
}

testing::HttpResponse replay(
    World const& world, std::string const& id, std::string const& tenant = "demo-sandbox")
{
    return world.as_backend(tenant).post("/v1/events/" + core::percent_encode(id) + "/replay", "");
}

} // namespace

TEST_CASE("the archive lists every event as received, with its result", "[events]")
{
    World const world;
    auto const bought = events::purchase("INITIAL_PURCHASE", {{"event_timestamp_ms", events::ms(10)}});
    auto const stale = events::purchase("CANCELLATION");
    auto const alias = events::purchase("SUBSCRIBER_ALIAS");
    auto const paid =
        events::payment("customer.subscription.created", events::subscription({events::item("price_pro")}));
    for (auto const* event : {&bought, &stale, &alias})
        REQUIRE(world.post_purchase(*event).status == 200);
    REQUIRE(world.post_payment(paid).status == 200);
    REQUIRE(
        world.post_purchase(R"({"event":{"type":"RENEWAL","id":"half","app_user_id":"ada"}})").status == 400);
    REQUIRE(world.post_purchase("{\"event\": nonsense \xff").status == 400);
    REQUIRE(result_of(world.post_purchase(bought)) == "duplicate");

    auto const items = listed(world);
    REQUIRE(items.size() == 6); // newest first, without the duplicate
    CHECK(text(items[0], "result") == "rejected");
    CHECK(items[0].at("type").is_null());
    CHECK(items[0].at("userId").is_null());
    CHECK(items[0].at("payload").is_string());
    CHECK(text(items[1], "result") == "rejected");
    CHECK(items[1].at("payload").at("event").at("id") == "half");
    CHECK(text(items[1], "eventId") != "half"); // a malformed event claims no id
    CHECK(text(items[2], "eventId") == id_of(paid));
    CHECK(text(items[2], "provider") == "payments");
    CHECK(text(items[2], "userId") == "ada");
    CHECK(items[2].at("payload") == as_sent(paid));
    CHECK(text(items[3], "result") == "skipped");
    CHECK_FALSE(items[3].at("reason").is_null());
    CHECK(text(items[4], "result") == "stale");
    CHECK(text(items[5], "eventId") == id_of(bought));
    CHECK(text(items[5], "type") == "INITIAL_PURCHASE");
    CHECK(text(items[5], "result") == "applied");
    CHECK(text(items[5], "eventAt") == events::rfc3339(10));
    CHECK(items[5].at("payload") == as_sent(bought));
    CHECK(items[0].at("eventAt").is_null());

    CHECK(listed(world, "?type=CANCELLATION").size() == 1);
    CHECK(listed(world, "?type=cancellation").empty());
    CHECK(listed(world, "?result=rejected").size() == 2);
    CHECK(listed(world, "?result=applied").size() == 2);
    CHECK(listed(world, "?result=duplicate").empty());
    CHECK(listed(world, "?result=deferred").empty());
    CHECK(listed(world, "?userId=ada&result=applied&type=INITIAL_PURCHASE").size() == 1);
    CHECK(listed(world, "?userId=bob").empty());
    CHECK(listed(world, "", "demo").empty());
    CHECK(listed(world, "", "other-sandbox").empty());
}

TEST_CASE("events are filtered by the time that they state", "[events]")
{
    World const world;
    for (int n = 0; n < 4; ++n)
        REQUIRE(world
                    .post_purchase(events::purchase("RENEWAL",
                        {{"id", "at " + std::to_string(n)}, {"event_timestamp_ms", events::ms(n)}}))
                    .status == 200);
    REQUIRE(world.post_purchase(R"({"event":{"id":"without time","type":"TEST"}})").status == 200);
    auto const found = [&](std::string const& query) {
        std::string ids;
        for (auto const& event : listed(world, query))
            ids += text(event, "eventId").substr(3);
        return ids;
    };
    auto const one = events::rfc3339(1), three = events::rfc3339(3);
    CHECK(found("?eventAfter=" + one) == "321");
    CHECK(found("?eventBefore=" + three) == "210");
    CHECK(found("?eventAfter=" + one + "&eventBefore=" + three) == "21");
    CHECK(found("?eventAfter=" + one + "&eventBefore=" + one).empty());
    CHECK(found("?eventAfter=2026-01-01T01:00:01%2B01:00&userId=ada&type=RENEWAL&result=applied") == "321");
    CHECK(found("?eventAfter=" + one + "&userId=bob").empty());
}

TEST_CASE("the filter by user finds the events that name the user, newest first and each once", "[events]")
{
    World const world;
    auto const posted = [&](std::string const& id, json::object const& changes) {
        auto const event = events::purchase("INITIAL_PURCHASE", events::changed({{"id", id}}, changes));
        REQUIRE(world.post_purchase(event).status == 200);
    };
    posted("a", {});
    posted("b", {{"app_user_id", "bob"}, {"aliases", json::array{"bob", "ada"}}});
    posted("c", {{"app_user_id", "bob"}});
    posted("d", {{"aliases", json::array{"ada", "bob"}}});
    REQUIRE(world
                .post_purchase({{"event",
                    json::object{{"id", "e"}, {"type", "TRANSFER"}, {"transferred_from", json::array{"ada"}},
                        {"transferred_to", json::array{"bob"}}}}})
                .status == 200);
    posted("f", {{"original_app_user_id", "ada"}});
    auto const ids = [&](std::string const& query, int limit) {
        std::string found;
        auto backend = world.as_backend();
        for (auto const& event : all_items(backend, "/v1/events?userId=" + query, limit))
            found += text(event, "eventId");
        return found;
    };
    for (int limit = 1; limit <= 6; ++limit) {
        CAPTURE(limit);
        CHECK(ids("ada", limit) == "fedba");
        CHECK(ids("bob", limit) == "edcb");
        CHECK(ids("ada&type=INITIAL_PURCHASE", limit) == "fdba");
        CHECK(ids("ada&result=skipped", limit) == "e");
    }
    CHECK(ids("nobody", 1).empty());

    auto const of_ada = listed(world, "?userId=ada");
    CHECK(of_ada[1].at("userId").is_null());
    CHECK(text(of_ada[3], "userId") == "bob");
    CHECK(of_ada[3].at("payload").is_object());
}

TEST_CASE("a page of a user's events is not changed by events that arrive meanwhile", "[events]")
{
    World const world;
    auto const posted = [&](std::string const& id, std::string_view user) {
        auto const event = events::purchase(
            "INITIAL_PURCHASE", {{"id", id}, {"app_user_id", user}, {"aliases", json::array{"ada", user}}});
        REQUIRE(world.post_purchase(event).status == 200);
    };
    posted("a", "ada");
    posted("b", "bob");
    posted("c", "ada");
    auto backend = world.as_backend();
    auto const first = backend.get("/v1/events?userId=ada&limit=2").json();
    posted("d", "bob");
    posted("e", "ada");
    auto const rest = backend.get("/v1/events?userId=ada&limit=2&cursor=" + text(first, "cursor")).json();
    REQUIRE(rest.at("items").as_array().size() == 1);
    CHECK(text(rest.at("items").at(0), "eventId") == "a");
    CHECK(rest.at("cursor").is_null());
}

TEST_CASE("invalid filters of the list are refused", "[events]")
{
    World const world;
    auto backend = world.as_backend();
    for (auto const& [query, faults] : std::map<std::string, std::string>{
             {"result=lost", "?result not_allowed"},
             {"type=", "?type too_short"},
             {"userId=" + std::string(256, 'x'), "?userId too_long"},
             {"eventAfter=yesterday&eventBefore=2026-01-01", "?eventAfter format\n?eventBefore format"},
             {"limit=101&cursor=x", "?limit range\n?cursor invalid_cursor"},
         }) {
        CAPTURE(query);
        CHECK(faults_of(backend.get("/v1/events?" + query)) == faults);
    }
    for (int n = 0; n < 3; ++n)
        REQUIRE(world.post_purchase(events::purchase("RENEWAL", {{"event_timestamp_ms", events::ms(n)}}))
                    .status == 200);
    auto const page = backend.get("/v1/events?limit=1").json();
    CHECK(backend.get("/v1/events?type=RENEWAL&cursor=" + text(page, "cursor")).status == 400);
    CHECK(world.as_user("ada", "user").get("/v1/events").status == 403);
    CHECK(world.client().get("/v1/events").status == 401);
}

TEST_CASE("replaying the deciding event changes nothing", "[events]")
{
    World const world;
    auto const bought = events::purchase("INITIAL_PURCHASE");
    auto const renewed = events::purchase("RENEWAL", {{"event_timestamp_ms", events::ms(5)}});
    auto const cancelled = events::purchase("CANCELLATION", {{"event_timestamp_ms", events::ms(6)}});
    for (auto const* event : {&bought, &renewed, &cancelled})
        REQUIRE(result_of(world.post_purchase(*event)) == "applied");
    auto const before = world.entitlements();

    auto const again = replay(world, id_of(cancelled));
    REQUIRE(again.status == 200);
    CHECK(again.body == R"({"eventId":")" + id_of(cancelled) + R"(","result":"duplicate","reason":null})");
    CHECK(text(replay(world, id_of(renewed)).json(), "result") == "stale");
    auto const overtaken = replay(world, id_of(bought));
    CHECK(text(overtaken.json(), "result") == "stale");
    CHECK(world.entitlements() == before);
    CHECK(listed(world).size() == 3);

    auto backend = world.as_backend();
    auto const entries = all_items(backend, "/v1/audit?action=event.replayed");
    REQUIRE(entries.size() == 3);
    CHECK(text(entries[0], "subjectId") == id_of(bought));
}

TEST_CASE("a replay creates a missing entitlement again", "[events]")
{
    World const world;
    auto const bought = events::purchase("INITIAL_PURCHASE");
    REQUIRE(result_of(world.post_purchase(bought)) == "applied");
    auto const before = world.entitlement("pro.monthly");
    world.postgres.query("DELETE FROM entitlements");
    CHECK(text(replay(world, id_of(bought)).json(), "result") == "applied");
    CHECK(world.entitlement("pro.monthly") == before);
}

TEST_CASE("a change of settings needs no replay", "[events]")
{
    World const world;
    auto const late = events::payment("customer.subscription.updated",
        events::subscription({events::item("price_pro")}, {{"status", "past_due"}}));
    REQUIRE(result_of(world.post_payment(late)) == "applied");
    CHECK(text(world.entitlement("price_pro"), "status") == "expired");
    REQUIRE(world.as_backend("demo").patch("/v1/settings", R"({"pastDueIsActive":true})").status == 200);
    CHECK(text(world.entitlement("price_pro"), "status") == "active");
    CHECK(text(replay(world, id_of(late)).json(), "result") == "duplicate");
    CHECK(text(world.entitlement("price_pro"), "status") == "active");
}

TEST_CASE("a change of the settings for access is archived in both environments", "[events]")
{
    World const world;
    auto backend = world.as_backend("demo");
    REQUIRE(backend.patch("/v1/settings", R"({"renewalLeewaySeconds":60})").status == 200);
    REQUIRE(backend.patch("/v1/settings", R"({"renewalLeewaySeconds":60})").status == 200);
    for (auto const* tenant : {"demo", "demo-sandbox"}) {
        CAPTURE(tenant);
        auto const archived = listed(world, "?type=SETTINGS", tenant);
        REQUIRE(archived.size() == 1);
        CHECK(text(archived[0], "provider") == "internal");
        CHECK(text(archived[0], "result") == "applied");
        CHECK(archived[0].at("userId").is_null());
        CHECK(archived[0].at("payload").at("renewalLeewaySeconds") == 60);
        CHECK(archived[0].at("payload").at("pastDueIsActive") == false);
    }
}

TEST_CASE("replaying an unknown, skipped or rejected event changes nothing", "[events]")
{
    World const world;
    auto const bought = events::purchase("INITIAL_PURCHASE");
    REQUIRE(result_of(world.post_purchase(bought)) == "applied");
    CHECK(replay(world, "never-seen").status == 404);
    CHECK(replay(world, id_of(bought), "demo").status == 404);
    CHECK(replay(world, id_of(bought), "other-sandbox").status == 404);
    CHECK(world.as_user("ada", "user").post("/v1/events/" + id_of(bought) + "/replay", "").status == 403);

    auto const alias = events::purchase("SUBSCRIBER_ALIAS");
    REQUIRE(world.post_purchase(alias).status == 200);
    CHECK(text(replay(world, id_of(alias)).json(), "result") == "skipped");
    REQUIRE(world.post_purchase("{").status == 400);
    auto const rejected = listed(world, "?result=rejected");
    REQUIRE(rejected.size() == 1);
    CHECK(text(replay(world, text(rejected[0], "eventId")).json(), "result") == "rejected");
}

TEST_CASE("a rejected event is not applied by a replay", "[events]")
{
    World const world;
    // The archive replaces the invalid byte. The archived body would be a valid event of the other
    // environment.
    auto sent = body(events::purchase("INITIAL_PURCHASE", {{"environment", "PRODUCTION"}, {"store", "?"}}));
    sent.replace(sent.find("\"store\":\"?\"") + 9, 1, "\xFF");
    REQUIRE(result_of(world.post_purchase(sent)) == "400 MALFORMED_JSON");
    auto const rejected = listed(world, "?result=rejected");
    REQUIRE(rejected.size() == 1);
    CHECK(text(replay(world, text(rejected[0], "eventId")).json(), "result") == "rejected");
    CHECK(world.entitlements().empty());
    CHECK(world.entitlements("ada", "demo").empty());
    CHECK(listed(world, "?result=rejected") == rejected);
}

TEST_CASE("a page of large events has fewer items, and no event is omitted", "[events]")
{
    World const world;
    for (int n = 0; n < 12; ++n) {
        auto const event = body(events::purchase("RENEWAL", {{"event_timestamp_ms", events::ms(n)}}));
        REQUIRE(world.post_purchase(event + std::string((1 << 20) - event.size(), ' ')).status == 200);
    }
    auto backend = world.as_backend();
    auto const first = backend.get("/v1/events?limit=100").json();
    CHECK(first.at("items").as_array().size() == 8);
    CHECK(first.at("cursor").is_string());
    CHECK(all_items(backend, "/v1/events?userId=ada", 100).size() == 12);
    CHECK(backend.get("/v1/events?limit=3").json().at("items").as_array().size() == 3);
}

TEST_CASE("lists by type, result or time count as expensive requests, in any encoding", "[events]")
{
    for (auto const& [query, expensive] :
        std::map<std::string, bool>{{"", false}, {"limit=5&userId=type", false}, {"type=RENEWAL", true},
            {"limit=5&result=stale", true}, {"t%79pe=RENEWAL", true}, {"r%65sult=stale", true},
            {"eventAfter=2026-01-01T00:00:00Z", true}, {"event%42efore=2026-01-01T00:00:00Z", true}}) {
        CAPTURE(query);
        http::Request request;
        request.query = query;
        CHECK(billing::scans_archive(request) == expensive);
    }
}

TEST_CASE("event ids of providers may contain any characters", "[events]")
{
    World const world;
    for (std::string const id : {"a/b", "50%", "ü ☃", "'; --", "..x", "\U0001F600"}) {
        CAPTURE(id);
        auto const event =
            events::purchase("INITIAL_PURCHASE", {{"id", id}, {"app_user_id", "user of " + id}});
        REQUIRE(result_of(world.post_purchase(event)) == "applied");
        auto const r = replay(world, id);
        REQUIRE(r.status == 200);
        CHECK(text(r.json(), "eventId") == id);
    }
}
