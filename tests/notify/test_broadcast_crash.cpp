#include "program.hpp"
#include "push_server.hpp"
#include "support/database_clock.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>

// The program is killed or stopped while it sends a broadcast.

namespace {

namespace json = boost::json;

constexpr int devices = 4'000;
constexpr int gone = devices / 40, refused = devices / 40;
constexpr int chunk = 50;
constexpr int chunks_in_flight = 4; ///< at most, of one scope in one process
constexpr int streams = 8;          ///< per connection; FCM gets at most four connections
constexpr char const* key_name = "the key";

/// A World's data and devices, without its service. FCM takes a few ms for each push.
class Data {
public:
    Data()
    {
        world.new_template("news", {{"channel", "push"}});
        world.put_fcm();
        key = world.key();
        // The invalid tokens are spread evenly, so that no chunk trips the prune breaker.
        world.postgres.query(
            "INSERT INTO devices (scope_id, token, user_id, platform, created_at, updated_at) SELECT " +
            world.scope_id() +
            ", CASE n % 40 WHEN 1 THEN 'UNREGISTERED:' WHEN 3 THEN 'INVALID_ARGUMENT:' ELSE 'ok:' END || n, "
            "'u', 'android', now(), now() FROM generate_series(1, " +
            std::to_string(devices) + ") AS n");
        world.host->stop();
        testing::free_database(world.postgres);
        fcm.script({{"delay", 5}});
    }

    testing::Variables environment() const
    {
        return {{"FCM_BASE_URL", fcm.url()}, {"FCM_TOKEN_URL", fcm.token_url()},
            {"BROADCAST_CHUNK", std::to_string(chunk)}};
    }

    /// Makes all jobs due and releases the leases of a dead process. Precondition: no running process holds a
    /// lease.
    void make_due() const
    {
        world.postgres.query(
            "UPDATE jobs SET run_at = jobs_now(), lease_owner = NULL WHERE queue LIKE 'notify.%'");
    }

    std::string ask(std::string const& what) const
    {
        return world.postgres.query("SELECT " + what + " FROM broadcasts");
    }

    /// The counters of the only broadcast: `enqueued sent failed invalid`.
    std::string counters() const
    {
        return ask("enqueued_devices || ' ' || sent_count || ' ' || failed_count || ' ' || invalid_count");
    }

    static std::string expected()
    {
        return std::to_string(devices) + ' ' + std::to_string(devices - gone - refused) + ' ' +
               std::to_string(refused) + ' ' + std::to_string(gone);
    }

    bool completes() const
    {
        return eventually([&] { return ask("completed_at IS NOT NULL") == "t"; }, 3min);
    }

    /// The number of pushes per token.
    std::map<std::string, int> tally() const
    {
        std::map<std::string, int> times;
        for (auto const& push : fcm.seen())
            ++times[text(push, "token")];
        return times;
    }

    PushServer fcm{"fcm.mjs", {{"streams", streams}}};
    World world;
    std::string key;
};

class Program : public NotifyProgram {
public:
    explicit Program(Data const& data) : NotifyProgram(data.world, data.key, data.environment()) {}

    void start() const
    {
        auto const r = client().post("/v1/notifications/broadcast",
            body({{"templateName", "news"}, {"channel", "push"}, {"dedupeKey", key_name}}));
        INFO(r.body);
        REQUIRE(r.status == 202);
    }

    double chunks_ended() const
    {
        return metric(
            R"(tetrad_jobs_total{outcome="done",queue="notify.broadcast_chunk.fcm",service="notify"})");
    }
};

/// Checks that every device got the push and that the counters are exact.
void check_whole(Data const& data)
{
    CHECK(data.counters() == Data::expected());
    auto const times = data.tally();
    CHECK(times.size() == devices);
    CHECK(data.world.postgres.query("SELECT count(*) FROM broadcast_chunks") == "0");
    CHECK(data.world.postgres.query("SELECT count(*) FROM devices") == std::to_string(devices - gone));
}

} // namespace

TEST_CASE("after kill -9 every device gets the broadcast, only chunks in flight are repeated, and the "
          "counters are exact",
    "[crash][broadcast]")
{
    constexpr int kills = 10;
    Data data;
    std::random_device entropy;
    unsigned const seed = entropy();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::vector<std::int64_t> moments(kills - 1);
    std::ranges::generate(moments, [&] { return static_cast<std::int64_t>(random() % devices); });
    std::ranges::sort(moments);

    { // killed at once, at an arbitrary point
        Program first(data);
        first.start();
        first.kill();
    }
    for (auto const moment : moments) {
        data.make_due();
        Program program(data);
        REQUIRE(eventually([&] { return data.fcm.pushes() >= moment; }, 2min));
        program.kill();
        // The counters never exceed the enqueued devices, or the pushes that FCM received.
        CHECK(data.ask("sent_count + failed_count + invalid_count <= enqueued_devices") == "t");
        CHECK(data.ask("sent_count + failed_count + invalid_count <= " + std::to_string(data.fcm.pushes())) ==
              "t");
    }
    data.make_due();
    Program last(data);
    last.start(); // gets the response `duplicate`
    REQUIRE(data.completes());
    check_whole(data);
    CHECK(data.ask("count(*)") == "1");
    CHECK(data.fcm.pushes() <= devices + kills * chunks_in_flight * chunk);
}

TEST_CASE("SIGTERM stops a broadcast at a safe point, and only pushes without a response are repeated",
    "[crash][broadcast]")
{
    Data data;
    {
        Program first(data);
        first.start();
        REQUIRE(eventually([&] { return data.fcm.pushes() >= devices / 4; }));
        CHECK(first.terminate() == 0);
    }
    CHECK(data.world.postgres.query("SELECT count(*) FROM jobs WHERE lease_owner IS NOT NULL") == "0");
    auto const open = data.fcm.pushes() - std::stoll(data.ask("sent_count + failed_count + invalid_count"));
    CHECK(open >= 0);
    CHECK(open <= 4 * streams);
    Program next(data);
    REQUIRE(data.completes());
    check_whole(data);
    CHECK(data.fcm.pushes() == devices + open);
}

TEST_CASE("two replicas share a broadcast and send each push once", "[crash][broadcast]")
{
    Data data;
    data.fcm.script({{"delay", 20}});
    Program one(data);
    Program two(data);
    one.start();
    REQUIRE(data.completes());
    check_whole(data);
    CHECK(data.fcm.pushes() == devices);
    CHECK(one.chunks_ended() > 0);
    CHECK(two.chunks_ended() > 0);
}

TEST_CASE("a killed replica delays a broadcast but loses no device", "[crash][broadcast]")
{
    Data data;
    data.fcm.script({{"delay", 20}});
    Program survivor(data);
    {
        Program victim(data);
        survivor.start();
        REQUIRE(eventually([&] { return victim.chunks_ended() > 0; }, 2min));
        victim.kill();
    }
    REQUIRE(data.completes()); // when the leases of the killed replica have ended
    check_whole(data);
    CHECK(data.fcm.pushes() <= devices + chunks_in_flight * chunk);
}

TEST_CASE("a crash of PostgreSQL delays a broadcast but loses no device", "[crash][broadcast]")
{
    Data data;
    Program program(data);
    program.start();
    REQUIRE(eventually([&] { return data.fcm.pushes() >= devices / 4; }));
    data.world.postgres.kill9();
    data.world.postgres.start();
    REQUIRE(eventually(
        [&] {
            try {
                return data.ask("completed_at IS NOT NULL") == "t";
            } catch (std::exception const&) { // PostgreSQL is recovering
                return false;
            }
        },
        3min));
    check_whole(data);
    CHECK(data.fcm.pushes() <= devices + 2 * chunks_in_flight * chunk);
}
