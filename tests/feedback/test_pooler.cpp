#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

// The whole service behind a PgBouncer in transaction mode. With TETRAD_TEST_POOLER, the other tests also run
// behind a PgBouncer.

namespace {

std::string sessions_of(World const& world, std::string const& application)
{
    return world.postgres.query(R"(
        SELECT count(*)
        FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = ')" +
                                application + "'");
}

unsigned readiness(World const& world)
{
    testing::HttpClient operations("http://127.0.0.1:" + std::to_string(world.host->ops_port()));
    return operations.get("/readyz").status;
}

} // namespace

TEST_CASE("behind a pooler many callers share few sessions, and the listener has its own session", "[pooler]")
{
    World const world{World::Pooled()};
    constexpr int callers = 16, each = 10;
    auto const key = world.key();
    std::atomic<int> made = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < callers; ++i)
        threads.emplace_back([&] {
            auto backend = world.with(key);
            for (int n = 0; n < each; ++n) {
                auto const r = backend.post(
                    "/v1/feedbacks", R"({"category":"bug","title":"Export","body":"Nothing happens"})");
                made += static_cast<int>(r.status == 201 && backend.get(r.header("location")).status == 200);
            }
        });
    for (auto& thread : threads)
        thread.join();
    CHECK(made == callers * each);
    CHECK(world.postgres.query("SELECT count(*) FROM feedbacks") == std::to_string(callers * each));
    CHECK(std::stoul(sessions_of(world, "feedback")) <= World::pooler_sessions);
    CHECK(sessions_of(world, "listener") == "1");
}

TEST_CASE("a service behind a pooler is ready only while the server is up", "[pooler]")
{
    World world{World::Pooled()};
    auto backend = world.as_backend();
    CHECK(testing::eventually([&] { return readiness(world) == 200; }));
    world.postgres.stop();
    CHECK(testing::eventually([&] { return readiness(world) == 503; }));
    world.postgres.start();
    CHECK(testing::eventually([&] { return readiness(world) == 200; }));
    CHECK(testing::eventually([&] {
        return backend
                   .post("/v1/feedbacks", R"({"category":"bug","title":"Export","body":"Nothing happens"})")
                   .status == 201;
    }));
}
