#include "batcher_fixture.hpp"
#include "support/gate.hpp"
#include "support/run_awaitable.hpp"

#include <pqxx/except>

#include <algorithm>

using namespace std::chrono_literals;
using namespace batcher_test;

namespace {

using Ask = pg::Batcher<int, std::string>;

/// Runs `ioc` until `condition` holds. Returns whether it did in time.
template <class Condition> bool run_until(asio::io_context& ioc, Condition condition)
{
    return testing::eventually([&] {
        ioc.restart();
        ioc.poll();
        return condition();
    });
}

/// The events that a Database reported.
class Events {
public:
    std::function<void(std::string const&)> listener()
    {
        return [this](std::string const& event) {
            std::lock_guard const lock(mutex_);
            events_.push_back(event);
        };
    }

    std::ptrdiff_t count(std::string_view part) const
    {
        std::lock_guard const lock(mutex_);
        return std::ranges::count_if(events_, [&](auto const& e) { return e.find(part) != e.npos; });
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> events_;
};

/// Queries the server over the connection of its batch.
pg::Batch<std::string> ask(pg::BatchConnection& connection, std::span<int const> inputs)
{
    co_await connection.run({}, "SELECT length($1)", {"text"});
    co_return std::vector<std::string>(inputs.size(), "answered");
}

struct FewConnections {
    ~FewConnections() { postgres.query("ALTER ROLE notes_service CONNECTION LIMIT -1"); }

    Events events;
    testing::Postgres postgres = notes_database();
};

} // namespace

TEST_CASE_METHOD(FewConnections, "if the server allows no more connections, batches wait for existing ones")
{
    pg::Database database(
        {.url = postgres.service_url(), .threads = 1, .queue_timeout = 60s, .report = events.listener()});
    REQUIRE(testing::eventually([&] { return database.healthy(); }));
    postgres.query("ALTER ROLE notes_service CONNECTION LIMIT 2"); // one for the thread, and one for batches
    testing::Gate gate;
    Ask holding(database, [&](pg::BatchConnection&, std::span<int const> inputs) -> pg::Batch<std::string> {
        co_await gate.pass();
        co_return std::vector<std::string>(inputs.size(), "held");
    });
    Ask other(database, ask);
    asio::io_context ioc(1);
    Outcome held, waited;
    start(ioc, holding, 1, held);
    REQUIRE(run_until(ioc, [&] { return gate.arrived() == 1; }));
    start(ioc, other, 1, waited);
    REQUIRE(run_until(ioc, [&] { return events.count("cannot connect") == 1; }));
    CHECK_FALSE(waited.done);
    gate.open();
    CHECK(run_until(ioc, [&] { return held.done && waited.done; }));
    CHECK_FALSE(waited.failure);
    CHECK(waited.value == "answered");
    CHECK(events.count("cannot connect") == 1);
}

TEST_CASE_METHOD(FewConnections, "a batch is refused if there is no connection at all")
{
    pg::Database database({.url = postgres.service_url(), .threads = 1, .report = events.listener()});
    REQUIRE(testing::eventually([&] { return database.healthy(); }));
    postgres.query("ALTER ROLE notes_service CONNECTION LIMIT 1");
    Ask asking(database, ask);
    asio::io_context ioc(1);
    for (int i = 0; i < 3; ++i)
        CHECK(error_code_of([&] { testing::run_awaitable(ioc, asking.run(i)); }) == "UNAVAILABLE");
    CHECK(events.count("cannot connect") == 1); // not one line per attempt
    postgres.query("ALTER ROLE notes_service CONNECTION LIMIT -1");
    CHECK(testing::run_awaitable(ioc, asking.run(1)) == "answered");
    CHECK(events.count("connected again") == 1);
}

TEST_CASE_METHOD(Fixture, "a batch does not fail if a migration has invalidated a prepared statement")
{
    Ask bodies(
        database, [](pg::BatchConnection& connection, std::span<int const> inputs) -> pg::Batch<std::string> {
            co_await connection.run(core::ScopeId{2}, "SELECT body FROM notes WHERE scope_id = $1", {2});
            co_return std::vector<std::string>(inputs.size(), "read");
        });
    asio::io_context ioc(1);
    auto const read = [&] { return error_code_of([&] { testing::run_awaitable(ioc, bodies.run(1)); }); };
    REQUIRE(read().empty());
    postgres.query("DROP TRIGGER die ON notes; ALTER TABLE notes ALTER COLUMN body TYPE varchar(1000)");
    CHECK(read().empty());
    postgres.query("ALTER TABLE notes ALTER COLUMN body TYPE text");
    CHECK(read().empty());
}

TEST_CASE_METHOD(Fixture, "a failing statement does not end the connection")
{
    Ask failing(
        database, [](pg::BatchConnection& connection, std::span<int const>) -> pg::Batch<std::string> {
            co_await connection.run({}, "SELECT fail_with($1)", {"23505"});
            co_return std::vector<std::string>();
        });
    Ask asking(database, ask);
    asio::io_context ioc(1);
    CHECK_THROWS_AS(testing::run_awaitable(ioc, failing.run(1)), pqxx::unique_violation);
    CHECK(testing::run_awaitable(ioc, asking.run(1)) == "answered");
}

TEST_CASE("an outage and its end are reported, without the address")
{
    Events events;
    auto postgres = notes_database();
    pg::Database database({.url = postgres.service_url(), .threads = 4, .report = events.listener()});
    Ask asking(database, ask);
    asio::io_context ioc(1);
    REQUIRE(testing::run_awaitable(ioc, asking.run(1)) == "answered");
    postgres.stop();
    CHECK(testing::eventually([&] { return events.count("cannot connect") > 0; }));
    for (int i = 0; i < 10; ++i)
        CHECK(error_code_of([&] { testing::run_awaitable(ioc, asking.run(i)); }) == "UNAVAILABLE");
    CHECK(events.count("a connection was lost: ") == 1);
    CHECK(events.count("cannot connect") == 1);
    CHECK(events.count(".s.PGSQL") == 0);
    CHECK(events.count(postgres.service_role()) == 0);
    postgres.start();
    CHECK(testing::eventually([&] { return events.count("connected again") > 0; }));
    CHECK(testing::eventually(
        [&] { return error_code_of([&] { testing::run_awaitable(ioc, asking.run(1)); }).empty(); }));
}

TEST_CASE_METHOD(Fixture, "if a full batch hangs, the callers that wait behind it run in another batch")
{
    testing::Gate gate;
    Ask hanging(database, [&](pg::BatchConnection&, std::span<int const> inputs) -> pg::Batch<std::string> {
        if (inputs.size() == Ask::batch_limit) co_await gate.pass();
        co_return std::vector<std::string>(inputs.size(), "done");
    });
    asio::io_context ioc(1);
    std::vector<Outcome> outcomes(Ask::batch_limit + 1);
    for (auto& outcome : outcomes)
        start(ioc, hanging, 1, outcome);
    CHECK(run_until(ioc, [&] { return outcomes.back().done; }));
    CHECK_FALSE(outcomes.front().done);
    gate.open();
    CHECK(run_until(ioc, [&] { return std::ranges::all_of(outcomes, &Outcome::done); }));
}

TEST_CASE_METHOD(Fixture, "callers overtake a batch that hangs, even after the batch before it has ended")
{
    testing::Gate first, second;
    Ask hanging(database, [&](pg::BatchConnection&, std::span<int const> inputs) -> pg::Batch<std::string> {
        if (inputs.front() == 1) co_await first.pass();
        if (inputs.front() == 2) co_await second.pass();
        co_return std::vector<std::string>(inputs.size(), "done");
    });
    asio::io_context ioc(1);
    std::vector<Outcome> outcomes(3);
    start(ioc, hanging, 1, outcomes[0]);
    REQUIRE(run_until(ioc, [&] { return first.arrived() == 1; }));
    start(ioc, hanging, 2, outcomes[1]);
    REQUIRE(run_until(ioc, [&] { return second.arrived() == 1; }));
    first.open();
    REQUIRE(run_until(ioc, [&] { return outcomes[0].done; }));
    start(ioc, hanging, 3, outcomes[2]);
    CHECK(run_until(ioc, [&] { return outcomes[2].done; }));
    CHECK_FALSE(outcomes[1].done);
    second.open();
    CHECK(run_until(ioc, [&] { return outcomes[1].done; }));
}
