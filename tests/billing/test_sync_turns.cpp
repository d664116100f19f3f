#include "sync_requesting.hpp"

#include <string>
#include <vector>

// The order and the number of requests for syncs.

using namespace sync_requesting;

namespace {

/// The users whom the provider was asked about, in order.
std::vector<std::string> asked(PurchasesProvider const& provider)
{
    std::vector<std::string> users;
    for (auto const& seen : provider.seen())
        users.push_back(text(seen, "user"));
    return users;
}

} // namespace

TEST_CASE("the number of waiting requests is limited", "[sync]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    provider.has("*", one("pro"));
    fill(world, "demo");
    REQUIRE(world.post_purchase(unhandled("bob", "bob"), "demo").status == 200);
    CHECK(waiting(world) == "10000");
    CHECK(
        eventually([&] { return world.logged().find("too many sync requests wait") != std::string::npos; }));
    // A user who waits already is synced, and so are those of a transfer.
    REQUIRE(world.post_purchase(unhandled("user 5", "user 5"), "demo").status == 200);
    CHECK(eventually([&] { return waiting(world) == "9999"; }));
    CHECK(lines_of(world, "user 5") == "pro active\n");
    fill(world, "demo");
    REQUIRE(world.post_purchase(transfer({"eve"}, {"ada"}), "demo").status == 200);
    CHECK(eventually([&] { return provider.seen("eve") == 1 && provider.seen("ada") == 1; }));
    world.postgres.query("DELETE FROM sync_requests WHERE user_id = 'user 5'");
    REQUIRE(world.post_purchase(unhandled("bob", "bob"), "demo").status == 200);
    CHECK(eventually([&] { return provider.seen("bob") == 1; }));
}

TEST_CASE("the requests of the sandbox do not suppress those of production, and wait for them", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.has("*", one("pro"));
    fill(world, "demo-sandbox");
    REQUIRE(world.post_purchase(transfer({}, {"bob"}), "demo").status == 200);
    CHECK(eventually([&] { return lines_of(world, "bob") == "pro active\n"; }));
    CHECK(eventually([&] { return waiting(world) == "10000"; }));

    world.postgres.query(insertion(world, "demo-sandbox", "eve", -60) +
                         insertion(world, "demo", "later", -5) + insertion(world, "demo", "ada", -10));
    world.clock.advance(1min);
    REQUIRE(eventually([&] { return waiting(world) == "10000"; }));
    CHECK(asked(provider) == std::vector<std::string>{"bob", "ada", "later", "eve"});
}

TEST_CASE("a request keeps its place when it is repeated, also during a sync", "[sync]")
{
    PurchasesProvider const provider;
    World const world(options_for(provider));
    set_api_key(world);
    provider.answers("bob", {{"status", 404}, {"text", "{}"}});
    auto const post = [&] { REQUIRE(world.post_purchase(transfer({}, {"bob"}), "demo").status == 200); };
    auto const requested_at = [&] {
        return world.postgres.query(
            "SELECT requested_at FROM sync_requests WHERE repeated_at >= requested_at");
    };
    auto const repeated_at = [&] { return world.postgres.query("SELECT repeated_at FROM sync_requests"); };
    post();
    auto const first = requested_at();
    CHECK(repeated_at() == first);
    REQUIRE(eventually(
        [&] { return world.postgres.query("SELECT not_before IS NOT NULL FROM sync_requests") == "t"; }));
    provider.has("bob", one("pro"), {}, {{"held", true}});
    post();
    CHECK(requested_at() == first);
    CHECK(repeated_at() > first);
    REQUIRE(eventually([&] { return provider.waiting() == 1; }));
    post();
    CHECK(requested_at() == first);
    provider.release();
    CHECK(eventually([&] { return waiting(world) == "0"; }));
    CHECK(provider.seen("bob") == 3);
}

TEST_CASE("the users of a transfer come first, and overdue users take turns with requests", "[sync]")
{
    PurchasesProvider const provider;
    World world(options_for(provider));
    set_api_key(world);
    provider.has("*", one("pro"));
    for (auto const* user : {"late 1", "late 2"})
        REQUIRE(sync(world, user).status == 200);
    provider.has("first", one("pro"), {}, {{"held", true}});
    world.postgres.query(insertion(world, "demo", "first", -40));
    world.clock.set(core::parse_rfc3339("2026-02-01T01:00:00Z").value());
    REQUIRE(eventually([&] { return provider.waiting() == 1; }));
    // While the first request is served, others arrive, and two users are overdue.
    world.postgres.query(insertion(world, "demo", "second", -30) + insertion(world, "demo", "owner", -10) +
                         "UPDATE sync_requests SET is_transfer = true WHERE user_id = 'owner'");
    provider.release();
    REQUIRE(eventually([&] { return asked(provider).size() == 7; }));
    auto users = asked(provider);
    users.erase(users.begin(), users.begin() + 2);
    CHECK(users[0] == "first");
    CHECK(users[1].starts_with("late"));
    CHECK(users[2] == "owner");
    CHECK(users[3].starts_with("late"));
    CHECK(users[4] == "second");
}
