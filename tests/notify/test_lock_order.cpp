#include "broadcasts.hpp"

#include <pqxx/connection>
#include <pqxx/transaction>

// Whoever writes down what carriers said takes the platforms' rows before the scope's lock, which pruning and
// events take: two of them never wait for each other in a circle.

using namespace broadcast_test;

namespace {

/// Holds all platforms fast.
class HeldPlatforms {
public:
    explicit HeldPlatforms(World const& world)
        : world_(world), connection_(world.postgres.superuser_url()), transaction_(connection_)
    {
        transaction_.exec("SELECT FROM platforms FOR UPDATE");
    }

    /// Waits until somebody waits for one; how many scopes' locks they hold meanwhile.
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

/// The service, whose events somebody wants to hear.
struct Announced : Fixture {
    Announced()
    {
        REQUIRE(world.as_backend().post("/v1/webhooks", R"({"url":"http://127.0.0.1:9/"})").status == 201);
    }
};

} // namespace

TEST_CASE("the last chunk of a broadcast waits for a platform without the scope's lock", "[broadcast]")
{
    Announced f;
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    auto const id = f.start();
    auto const patience = f.put_off();
    {
        HeldPlatforms const held(f.world);
        f.world.clock.advance(patience); // after which the device fails, and the broadcast is complete
        CHECK(held.locks_of_those_who_wait() == "0");
    }
    REQUIRE(f.completes(id));
    CHECK(counters(f.broadcast(id)) == "1 0 1 0");
}

TEST_CASE("a direct push waits for a platform without the scope's lock", "[push]")
{
    Announced f;
    for (int i = 0; i < 50; ++i) // so many that pruning stops
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
