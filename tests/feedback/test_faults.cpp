#include "support/eventually.hpp"
#include "support/program.hpp"
#include "support/user_markers.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

using namespace std::chrono_literals;

namespace {

/// The service as a separate program, on the data of a World.
class Program : public testing::Program {
public:
    explicit Program(World const& world) : testing::Program(FEEDBACK_PROGRAM, variables_of(world)) {}

    testing::HttpClient client(std::string const& key) const
    {
        return testing::Program::client("Bearer " + key, 40s);
    }

private:
    static testing::Variables variables_of(World const& world)
    {
        auto variables = world.variables();
        variables["BLOB_DIR"] = world.directory.path() + "/blobs";
        variables["EMAIL_OUTBOX"] = world.directory.path() + "/mails";
        return variables;
    }
};

/// Writers that create threads one after the other until `stop`, and counts of the outcomes.
class Load {
public:
    using MakeClient = std::function<testing::HttpClient()>;

    explicit Load(MakeClient const& make, int writers = 6)
    {
        for (int i = 0; i < writers; ++i)
            threads_.emplace_back([this, make] { write(make()); });
    }

    ~Load() { stop(); }

    void stop()
    {
        done_ = true;
        for (auto& thread : threads_)
            thread.join();
        threads_.clear();
    }

    std::vector<std::string> acknowledged; ///< ids; read after stop()
    std::atomic<int> created = 0, unavailable = 0, unexpected = 0, unanswered = 0;
    std::atomic<bool> without_retry_after = false;

private:
    void write(testing::HttpClient client)
    {
        while (!done_) {
            try {
                auto const r =
                    client.post("/v1/feedbacks", R"({"category":"bug","title":"load","body":"x"})");
                if (r.status == 201) {
                    std::lock_guard const lock(mutex_);
                    acknowledged.push_back(text(r.json(), "feedbackId"));
                    ++created;
                } else if (r.status == 503) {
                    ++unavailable;
                    if (r.header("retry-after").empty()) without_retry_after = true;
                    std::this_thread::sleep_for(5ms); // refusals are immediate; this avoids a tight loop
                } else {
                    ++unexpected;
                }
            } catch (std::runtime_error const&) {
                ++unanswered;
                std::this_thread::sleep_for(5ms);
            }
        }
    }

    std::atomic<bool> done_ = false;
    std::mutex mutex_;
    std::vector<std::thread> threads_;
};

/// The number of `ids` that are not in the table.
std::size_t missing(World const& world, std::vector<std::string> const& ids)
{
    std::string list;
    for (auto const& id : ids)
        list += (list.empty() ? "'" : ",'") + id + "'";
    auto const found =
        world.postgres.query("SELECT count(*) FROM feedbacks WHERE feedback_id IN (" + list + ")");
    return ids.size() - std::stoul(found);
}

} // namespace

TEST_CASE("kill -9 under load loses no acknowledged thread", "[faults]")
{
    World world;
    auto const key = world.key();
    std::vector<std::string> acknowledged;
    for (int round = 0; round < 3; ++round) {
        Program program(world);
        Load load([&] { return program.client(key); });
        REQUIRE(testing::eventually([&] { return load.created > 100 * (round + 1); }));
        program.kill();
        load.stop();
        CHECK(load.unexpected == 0);
        acknowledged.insert(acknowledged.end(), load.acknowledged.begin(), load.acknowledged.end());
    }
    CHECK(missing(world, acknowledged) == 0);
    Program again(world);
    auto client = again.client(key);
    CHECK(client.get("/v1/feedbacks/" + acknowledged.back()).status == 200);
}

TEST_CASE("at SIGTERM under load all accepted requests get a response, and the exit status is 0", "[faults]")
{
    World world;
    auto const key = world.key();
    Program program(world);
    Load load([&] { return program.client(key); });
    REQUIRE(testing::eventually([&] { return load.created > 200; }));
    CHECK(program.terminate() == 0);
    load.stop();
    CHECK(load.unexpected == 0);
    CHECK(missing(world, load.acknowledged) == 0);
    // Every row was acknowledged.
    CHECK(world.postgres.query("SELECT count(*) FROM feedbacks") == std::to_string(load.created));
}

TEST_CASE("during a restart of PostgreSQL requests get 503, then the service recovers by itself", "[faults]")
{
    World world;
    world.key();
    Load load([&] { return world.as_backend(); });
    REQUIRE(testing::eventually([&] { return load.created > 100; }));
    world.postgres.stop();
    int const during = load.unavailable;
    REQUIRE(testing::eventually([&] { return load.unavailable > during + 50; }));
    CHECK(world.as_backend().get("/v1/feedbacks").status == 503);
    world.postgres.start();
    int const before = load.created;
    REQUIRE(testing::eventually([&] { return load.created > before + 100; }));
    load.stop();
    CHECK(load.unexpected == 0);
    CHECK(load.unanswered == 0);
    CHECK_FALSE(load.without_retry_after);
    CHECK(missing(world, load.acknowledged) == 0);
}

TEST_CASE(
    "while PostgreSQL hangs the service is unready and answers 503, then it recovers by itself", "[faults]")
{
    World world;
    world.key();
    Load load([&] { return world.as_backend(); });
    testing::HttpClient operations("http://127.0.0.1:" + std::to_string(world.host->ops_port()));
    REQUIRE(testing::eventually([&] { return load.created > 100; }));
    REQUIRE(operations.get("/readyz").status == 200);
    world.postgres.pause();
    CHECK(testing::eventually([&] { return operations.get("/readyz").status == 503; }));
    // Each writer would see only one refusal if requests waited for the full statement time-out.
    int const during = load.unavailable;
    CHECK(testing::eventually([&] { return load.unavailable > during + 50; }));
    CHECK(world.as_backend().get("/v1/feedbacks").status == 503);
    world.postgres.resume();
    CHECK(testing::eventually([&] { return operations.get("/readyz").status == 200; }));
    int const before = load.created;
    CHECK(testing::eventually([&] { return load.created > before + 100; }));
    load.stop();
    CHECK(load.unexpected == 0);
    CHECK(load.unanswered == 0);
    CHECK_FALSE(load.without_retry_after);
    CHECK(missing(world, load.acknowledged) == 0);
}

TEST_CASE("a crash of PostgreSQL loses no acknowledged thread", "[faults]")
{
    World world;
    world.key();
    Load load([&] { return world.as_backend(); });
    REQUIRE(testing::eventually([&] { return load.created > 100; }));
    world.postgres.kill9();
    world.postgres.start();
    int const before = load.created;
    REQUIRE(testing::eventually([&] { return load.created > before + 100; }));
    load.stop();
    CHECK(load.unexpected == 0);
    CHECK(missing(world, load.acknowledged) == 0);
}

TEST_CASE("without Redis the service continues to work", "[faults]")
{
    World world;
    auto user = world.as_user(ada);
    auto const path = "/v1/feedbacks/" + new_thread(user);
    SECTION("Redis is stopped")
    {
        world.redis.stop();
    }
    SECTION("Redis hangs")
    {
        world.redis.pause();
    }
    for (int i = 0; i < 5; ++i)
        CHECK(user.get(path).status == 200);
    CHECK(new_thread(user).size() == 36);
    CHECK(world.as_backend().get(path).status == 200);
}

TEST_CASE("a revoked key is refused", "[faults]")
{
    World world;
    auto backend = world.as_backend();
    REQUIRE(backend.get("/v1/feedbacks").status == 200);
    REQUIRE(world.as_master().del("/v1/keys/" + world.key().substr(0, 12)).status == 200);
    CHECK(testing::eventually([&] { return backend.get("/v1/feedbacks").status == 401; }));
}

TEST_CASE("an erasure that was ended by kill -9 is completed when it is repeated", "[faults]")
{
    World world;
    std::string const eve = "eve-markerq7x";
    auto user = world.as_user(eve);
    auto const thread = new_thread(user, "markerq7x");
    REQUIRE(user.post("/v1/feedbacks/" + thread + "/replies", R"({"body":"markerq7x"})").status == 201);
    world.postgres.query(R"(
        INSERT INTO feedbacks (scope_id, feedback_id, created_at, updated_at, status, category, title, body, author_id,
                               author_role, user_id)
        SELECT scope_id, gen_random_uuid(), created_at, updated_at, status, category, title, body, author_id,
               author_role, user_id
        FROM feedbacks, generate_series(1, 1200))");
    std::function<unsigned(Program const&)> erase;
    SECTION("DELETE /v1/users/{userId}")
    {
        erase = [&](Program const& program) {
            return program.client(world.key()).del("/v1/users/" + eve).status;
        };
    }
    SECTION("POST /v1/erasures")
    {
        erase = [&](Program const& program) {
            return program.client(world.erasure_token(eve)).post("/v1/erasures", "").status;
        };
    }

    // A step after the first one waits for the lock of a thread.
    pqxx::connection connection(world.postgres.superuser_url());
    std::optional<pqxx::work> lock(connection);
    lock->exec("SELECT FROM feedbacks ORDER BY feedback_id DESC LIMIT 1 FOR UPDATE");
    std::optional<Program> program(world);
    std::thread interrupted([&] { CHECK_THROWS(erase(*program)); });
    auto const waits = [&] {
        return world.postgres.query(
                   "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
                   "wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%'") == "1";
    };
    CHECK(testing::eventually(waits));
    program->kill();
    interrupted.join();
    lock.reset();
    CHECK(world.postgres.query("SELECT count(*) FROM feedbacks") == "202");

    Program const again(world);
    CHECK(erase(again) == 200);
    CHECK(testing::find_marker(world.postgres, "markerq7x") == std::vector<testing::MarkedPlace>());
}
