// Callers that are refused, and callers that wait at shutdown.
#include "batcher_fixture.hpp"

using namespace batcher_test;

TEST_CASE("callers beyond the limit of the queue are refused at once")
{
    Fixture fixture({.threads = 1, .queue_limit = 10});
    auto insert = fixture.inserter();
    asio::io_context ioc(1);
    std::vector<Outcome> outcomes(25);
    Occupation busy(fixture.database);
    for (auto& outcome : outcomes)
        start(ioc, insert, Note{core::ScopeId{2}, core::Uuid::v7(), "x"}, outcome);
    ioc.poll();
    auto const refused = [&] {
        return std::ranges::count_if(outcomes, [](auto const& o) { return o.failure != nullptr; });
    };
    CHECK(refused() == 15);
    busy.end();
    ioc.run();
    CHECK(refused() == 15);
    CHECK(fixture.postgres.query("SELECT count(*) FROM notes") == "10");
    for (auto const& outcome : outcomes) {
        if (outcome.failure)
            CHECK(error_code_of([&] { std::rethrow_exception(outcome.failure); }) == "UNAVAILABLE");
    }
}

TEST_CASE("an exception that escapes from one coroutine does not affect other callers of its batch")
{
    OneThread fixture;
    auto insert = fixture.inserter();
    asio::io_context ioc(1);
    Occupation busy(fixture.database);
    Outcome last;
    asio::co_spawn(ioc, insert.run(Note{core::ScopeId{2}, core::Uuid::v7(), "a"}),
        [](std::exception_ptr, std::string) { throw std::runtime_error("the owner's own"); });
    start(ioc, insert, Note{core::ScopeId{2}, core::Uuid::v7(), "b"}, last);
    ioc.poll();
    busy.end();
    CHECK_THROWS_AS(ioc.run(), std::runtime_error);
    ioc.run();
    CHECK(last.value == "b");
}

TEST_CASE("callers that wait at shutdown get a result, or are destroyed with their context")
{
    bool const run_on = GENERATE(true, false);
    std::vector<Outcome> outcomes(5);
    {
        asio::io_context ioc(1);
        OneThread fixture;
        auto insert = std::make_unique<Insert>(fixture.inserter());
        Occupation busy(fixture.database);
        for (auto& outcome : outcomes)
            start(ioc, *insert, Note{core::ScopeId{2}, core::Uuid::v7(), "x"}, outcome);
        ioc.poll();
        insert.reset(); // running batches do not need it
        busy.end();
        fixture.database.stop();
        if (run_on) ioc.run();
    }
    for (auto const& outcome : outcomes)
        CHECK(outcome.done == run_on);
}

TEST_CASE_METHOD(OneThread, "callers are refused after the database has stopped")
{
    auto insert = inserter();
    database.stop();
    asio::io_context ioc(1);
    Outcome outcome;
    start(ioc, insert, Note{core::ScopeId{2}, core::Uuid::v7(), "x"}, outcome);
    ioc.run();
    REQUIRE(outcome.failure);
    CHECK(error_code_of([&] { std::rethrow_exception(outcome.failure); }) == "UNAVAILABLE");
    CHECK(sizes.sizes.empty());
}
