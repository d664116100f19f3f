#include "batcher_fixture.hpp"

#include <boost/asio/detached.hpp>
#include <pqxx/except>

using namespace batcher_test;

TEST_CASE_METHOD(OneThread, "waiting callers form one batch of at most 128, and each gets its own row")
{
    auto insert = inserter();
    asio::io_context ioc(1);
    std::vector<Outcome> outcomes(300);
    Occupation busy(database);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        start(ioc, insert,
            Note{static_cast<core::ScopeId>(2 + i % 5), core::Uuid::v7(), "note " + std::to_string(i)},
            outcomes[i]);
    ioc.poll();
    busy.end();
    ioc.run();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        REQUIRE_FALSE(outcomes[i].failure);
        CHECK(outcomes[i].value == "note " + std::to_string(i));
    }
    CHECK(sizes.sizes == std::vector<std::size_t>{128, 128, 44});
    CHECK(postgres.query("SELECT count(*) FROM notes") == "300");
}

TEST_CASE_METHOD(Fixture, "a single caller is a batch of one and does not wait for others")
{
    auto insert = inserter();
    asio::io_context ioc(1);
    Outcome outcome;
    start(ioc, insert, Note{core::ScopeId{2}, core::Uuid::v7(), "alone"}, outcome);
    ioc.run();
    CHECK(outcome.value == "alone");
    CHECK(sizes.sizes == std::vector<std::size_t>{1});
}

TEST_CASE_METHOD(OneThread, "an invalid row in a batch fails only for its caller")
{
    auto insert = inserter();
    asio::io_context ioc(1);
    std::vector<Outcome> outcomes(20);
    Occupation busy(database);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        start(ioc, insert, Note{core::ScopeId{2}, core::Uuid::v7(), i == 7 ? "forbidden" : "fine"},
            outcomes[i]);
    ioc.poll();
    busy.end();
    ioc.run();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        REQUIRE(outcomes[i].done);
        if (i == 7)
            CHECK_THROWS_AS(std::rethrow_exception(outcomes[i].failure), pqxx::check_violation);
        else
            CHECK(outcomes[i].value == "fine");
    }
    CHECK(sizes.sizes.front() == 20);
    CHECK(postgres.query("SELECT count(*) FROM notes") == "19");
}

TEST_CASE_METHOD(OneThread, "a failure of the server is reported to the whole batch at once")
{
    int calls = 0;
    pg::Batcher<int, std::string> failing(database,
        [&](pg::BatchConnection& connection, std::span<int const> inputs) -> pg::Batch<std::string> {
            ++calls;
            co_await connection.run({}, "SELECT fail_with($1)", {"53100"}); // disk full
            co_return std::vector<std::string>(inputs.size());
        });
    asio::io_context ioc(1);
    std::vector<Outcome> outcomes(10);
    Occupation busy(database);
    for (auto& outcome : outcomes)
        start(ioc, failing, 0, outcome);
    ioc.poll();
    busy.end();
    ioc.run();
    for (auto const& outcome : outcomes) {
        CHECK(error_code_of([&] { std::rethrow_exception(outcome.failure); }) == "UNAVAILABLE");
    }
    CHECK(calls == 1);
}

TEST_CASE_METHOD(
    OneThread, "a statement that fails because of a concurrent change runs again within its batch")
{
    postgres.query("CREATE SEQUENCE tries; GRANT USAGE ON tries TO PUBLIC");
    pg::Batcher<int, std::string> racing(
        database, [](pg::BatchConnection& connection, std::span<int const> inputs) -> pg::Batch<std::string> {
            pg::Rows const rows = co_await connection.run(
                {}, "SELECT CASE WHEN nextval('tries') < 3 THEN fail_with($1) ELSE 7 END", {"40001"});
            co_return std::vector<std::string>(
                inputs.size(), std::to_string(pg::RowReader(rows[0]).integer()));
        });
    asio::io_context ioc(1);
    Outcome outcome;
    start(ioc, racing, 0, outcome);
    ioc.run();
    REQUIRE_FALSE(outcome.failure);
    CHECK(outcome.value == "7");
}

TEST_CASE_METHOD(OneThread, "work that returns too few results is an error and does not hang")
{
    pg::Batcher<int, std::string> wrong(
        database, [](pg::BatchConnection&, std::span<int const>) -> pg::Batch<std::string> {
            co_return std::vector<std::string>();
        });
    asio::io_context ioc(1);
    Outcome outcome;
    start(ioc, wrong, 1, outcome);
    ioc.run();
    REQUIRE(outcome.done);
    CHECK_THROWS_AS(std::rethrow_exception(outcome.failure), std::logic_error);
}

TEST_CASE_METHOD(Fixture, "many threads write rows, and each thread reads its own rows")
{
    static constexpr int threads = 3;
    static constexpr int coroutines = 40;
    static constexpr int rounds = 15;
    auto insert = inserter();
    auto get = getter();
    std::atomic<int> right = 0;
    std::vector<std::thread> io;
    for (int t = 0; t < threads; ++t) {
        io.emplace_back([&, t] {
            asio::io_context ioc(1);
            auto const caller = [&](int n) -> asio::awaitable<void> {
                core::ScopeId const scope{2 + n % 7};
                for (int round = 0; round < rounds; ++round) {
                    core::Uuid const id = core::Uuid::v7();
                    std::string const body =
                        std::to_string(t) + "/" + std::to_string(n) + "/" + std::to_string(round);
                    auto const here = std::this_thread::get_id();
                    std::string const stored = co_await insert.run(Note{scope, id, body});
                    auto const found = co_await get.run({scope, id});
                    auto const foreign = co_await get.run({core::ScopeId{core::number(scope) + 100}, id});
                    bool const same_thread = std::this_thread::get_id() == here;
                    if (stored == body && found == body && !foreign && same_thread) ++right;
                }
            };
            for (int n = 0; n < coroutines; ++n)
                asio::co_spawn(ioc, caller(n), asio::detached);
            ioc.run();
        });
    }
    for (auto& thread : io)
        thread.join();
    CHECK(right == threads * coroutines * rounds);
    CHECK(postgres.query("SELECT count(*) FROM notes") == std::to_string(threads * coroutines * rounds));
    CHECK(*std::ranges::max_element(sizes.sizes) > 1);
}
