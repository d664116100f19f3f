#include "broadcasts.hpp"

#include <pqxx/connection>
#include <pqxx/transaction>

// Transactions that record carriers' responses lock the rows of platforms before they take the scope's lock,
// which pruning and events need. So two transactions of this kind cannot deadlock.

using namespace broadcast_test;

namespace {

/// Locks all platform rows.
class HeldPlatforms {
public:
    explicit HeldPlatforms(World const& world)
        : world_(world), connection_(world.postgres.superuser_url()), transaction_(connection_)
    {
        transaction_.exec("SELECT FROM platforms FOR UPDATE");
    }

    /// Waits until a transaction waits for a row. Returns the number of advisory locks that waiting
    /// transactions hold.
    std::string locks_of_those_who_wait() const
    {
        std::string const waiting = "FROM pg_stat_activity a WHERE a.wait_event_type = 'Lock'";
        REQUIRE(eventually([&] { return world_.postgres.query("SELECT count(*) " + waiting) != "0"; }));
        return world_.postgres.query("SELECT count(*) FROM pg_locks l WHERE l.locktype = 'advisory' AND "
                                     "l.granted AND l.pid IN (SELECT a.pid " +
                                     waiting + ")");
    }

private:
    World const& world_;
    pqxx::connection connection_;
    pqxx::work transaction_;
};

/// The service with an enabled webhook.
struct Announced : Fixture {
    Announced()
    {
        REQUIRE(world.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})").status == 201);
    }
};

} // namespace

TEST_CASE("the last chunk of a broadcast does not hold the scope's lock while it waits for a platform",
    "[broadcast]")
{
    Announced f;
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    auto const id = f.start();
    auto const patience = f.put_off();
    {
        HeldPlatforms const held(f.world);
        f.world.clock.advance(patience); // now the device fails and the broadcast is complete
        CHECK(held.locks_of_those_who_wait() == "0");
    }
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "1 0 1 0");
}

TEST_CASE("a direct push does not hold the scope's lock while it waits for a platform", "[push]")
{
    Announced f;
    for (int i = 0; i < 50; ++i) // enough to stop pruning
        f.world.new_device(ada, "UNREGISTERED:" + std::to_string(i));
    std::string id;
    {
        HeldPlatforms const held(f.world);
        id = f.world.send({{"templateName", "news"}, {"channel", "push"}, {"to", ada}});
        CHECK(held.locks_of_those_who_wait() == "0");
    }
    CHECK(f.world.becomes(id, "failed"));
    CHECK(f.devices() == "50");
}
