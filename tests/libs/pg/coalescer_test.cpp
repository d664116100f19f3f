#include "pg/coalescer.hpp"
#include "pg/row.hpp"
#include "schema.hpp"
#include "testing/eventually.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <pqxx/except>

#include <atomic>
#include <map>
#include <set>
#include <thread>

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

struct Note {
    std::int64_t scope;
    core::Uuid id;
    std::string body;
};

using Key = std::pair<std::int64_t, core::Uuid>;
using Insert = pg::Coalescer<Note, std::string>;
using Get = pg::Coalescer<Key, std::optional<std::string>>;

/// The parameters of a batch: scopes and ids, and whose rows it touches.
struct Columns {
    void add(std::int64_t scope, core::Uuid id)
    {
        scopes.push_back(scope);
        ids.push_back(id.to_string());
    }

    pg::Scopes visible() const
    {
        std::set<std::int64_t> const distinct(scopes.begin(), scopes.end());
        return pg::Scopes(std::vector<std::int64_t>(distinct.begin(), distinct.end()));
    }

    std::vector<std::int64_t> scopes;
    std::vector<std::string> ids;
};

/// Remembers how large the batches were.
struct Sizes {
    void add(std::size_t size)
    {
        std::lock_guard const lock(mutex);
        sizes.push_back(size);
    }

    std::mutex mutex;
    std::vector<std::size_t> sizes;
};

struct Fixture {
    explicit Fixture(pg::DatabaseOptions options = {.threads = 2})
        : database([&] {
              options.url = postgres.service_url();
              return options;
          }())
    {
    }

    /// Answers with the stored body.
    Insert inserter()
    {
        return Insert(
            database, [this](pg::Session& session, std::span<Note const> notes) -> pg::Batch<std::string> {
                sizes.add(notes.size());
                Columns columns;
                std::vector<std::string> bodies;
                for (Note const& note : notes) {
                    columns.add(note.scope, note.id);
                    bodies.push_back(note.body);
                }
                pg::Rows const rows = co_await session.run(columns.visible(),
                    "INSERT INTO notes (scope_id, id, body) SELECT * FROM unnest($1::bigint[], $2::uuid[], "
                    "$3::text[])"
                    " RETURNING scope_id, id, body",
                    {columns.scopes, columns.ids, bodies});
                std::map<Key, std::string> stored;
                for (pg::Row const row : rows) {
                    pg::RowReader reader(row);
                    auto const scope = reader.integer();
                    auto const id = reader.uuid();
                    stored[{scope, id}] = reader.text();
                }
                std::vector<std::string> out;
                for (Note const& note : notes)
                    out.push_back(stored.at({note.scope, note.id}));
                co_return out;
            });
    }

    Get getter()
    {
        return Get(database,
            [this](pg::Session& session, std::span<Key const> keys) -> pg::Batch<std::optional<std::string>> {
                sizes.add(keys.size());
                Columns columns;
                for (auto const& [scope, id] : keys)
                    columns.add(scope, id);
                pg::Rows const rows = co_await session.run(columns.visible(),
                    "SELECT scope_id, id, body FROM notes"
                    " JOIN unnest($1::bigint[], $2::uuid[]) AS q(s, i) ON scope_id = s AND id = i",
                    {columns.scopes, columns.ids});
                std::map<Key, std::string> found;
                for (pg::Row const row : rows) {
                    pg::RowReader reader(row);
                    auto const scope = reader.integer();
                    auto const id = reader.uuid();
                    found[{scope, id}] = reader.text();
                }
                std::vector<std::optional<std::string>> out;
                for (Key const& key : keys) {
                    auto const known = found.find(key);
                    out.push_back(known == found.end() ? std::nullopt : std::optional(known->second));
                }
                co_return out;
            });
    }

    /// Keeps every database thread busy until `ioc` has had the chance to queue its callers.
    void occupy(std::vector<std::thread>& threads, std::atomic<bool>& go)
    {
        std::atomic<unsigned> busy = 0;
        for (unsigned i = 0; i < database.options().threads; ++i) {
            threads.emplace_back([&] {
                database.transact_blocking({}, [&](pg::Tx&) {
                    ++busy;
                    go.wait(false);
                });
            });
        }
        REQUIRE(testing::eventually([&] { return busy == database.options().threads; }));
    }

    testing::Postgres postgres = notes_database();
    Sizes sizes;
    pg::Database database;
};

struct OneThread : Fixture {
    OneThread() : Fixture({.threads = 1}) {}
};

/// What became of one caller.
struct Outcome {
    std::string value;
    std::exception_ptr failure;
    bool done = false;
};

} // namespace

template <class In>
static void start(
    asio::io_context& ioc, pg::Coalescer<In, std::string>& coalescer, In input, Outcome& outcome)
{
    asio::co_spawn(ioc, coalescer.run(std::move(input)), [&](std::exception_ptr failure, std::string value) {
        outcome = {std::move(value), std::move(failure), true};
    });
}

TEST_CASE_METHOD(OneThread, "callers that wait become one batch, of at most 128, and each gets its own row")
{
    auto insert = inserter();
    asio::io_context ioc(1);
    std::vector<Outcome> outcomes(300);
    std::vector<std::thread> blocked;
    std::atomic<bool> go = false;
    occupy(blocked, go);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        start(ioc, insert,
            Note{static_cast<std::int64_t>(2 + i % 5), core::Uuid::v7(), "note " + std::to_string(i)},
            outcomes[i]);
    ioc.poll();
    go = true;
    go.notify_all();
    ioc.run();
    for (auto& thread : blocked)
        thread.join();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        REQUIRE_FALSE(outcomes[i].failure);
        CHECK(outcomes[i].value == "note " + std::to_string(i));
    }
    CHECK(sizes.sizes == std::vector<std::size_t>{128, 128, 44});
    CHECK(postgres.query("SELECT count(*) FROM notes") == "300");
}

TEST_CASE_METHOD(Fixture, "a caller alone is a batch of one and does not wait for others")
{
    auto insert = inserter();
    asio::io_context ioc(1);
    Outcome outcome;
    start(ioc, insert, Note{2, core::Uuid::v7(), "alone"}, outcome);
    ioc.run();
    CHECK(outcome.value == "alone");
    CHECK(sizes.sizes == std::vector<std::size_t>{1});
}

TEST_CASE_METHOD(OneThread, "a bad row in a batch hurts only itself")
{
    auto insert = inserter();
    asio::io_context ioc(1);
    std::vector<Outcome> outcomes(20);
    std::vector<std::thread> blocked;
    std::atomic<bool> go = false;
    occupy(blocked, go);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        start(ioc, insert, Note{2, core::Uuid::v7(), i == 7 ? "forbidden" : "fine"}, outcomes[i]);
    ioc.poll();
    go = true;
    go.notify_all();
    ioc.run();
    for (auto& thread : blocked)
        thread.join();
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

TEST_CASE_METHOD(OneThread, "what is wrong with the server is told to the whole batch at once")
{
    int calls = 0;
    pg::Coalescer<int, std::string> failing(
        database, [&](pg::Session& session, std::span<int const> inputs) -> pg::Batch<std::string> {
            ++calls;
            co_await session.run({}, "SELECT fail_with($1)", {"53100"}); // disk full
            co_return std::vector<std::string>(inputs.size());
        });
    asio::io_context ioc(1);
    std::vector<Outcome> outcomes(10);
    std::vector<std::thread> blocked;
    std::atomic<bool> go = false;
    occupy(blocked, go);
    for (auto& outcome : outcomes)
        start(ioc, failing, 0, outcome);
    ioc.poll();
    go = true;
    go.notify_all();
    ioc.run();
    for (auto& thread : blocked)
        thread.join();
    for (auto const& outcome : outcomes) {
        CHECK(error_code_of([&] { std::rethrow_exception(outcome.failure); }) == "UNAVAILABLE");
    }
    CHECK(calls == 1);
}

TEST_CASE_METHOD(OneThread, "a statement that loses a race is run again within its batch")
{
    postgres.query("CREATE SEQUENCE tries; GRANT USAGE ON tries TO PUBLIC");
    pg::Coalescer<int, std::string> racing(
        database, [](pg::Session& session, std::span<int const> inputs) -> pg::Batch<std::string> {
            pg::Rows const rows = co_await session.run(
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

TEST_CASE_METHOD(OneThread, "work that answers too few is an error, not a wait without end")
{
    pg::Coalescer<int, std::string> wrong(
        database, [](pg::Session&, std::span<int const>) -> pg::Batch<std::string> {
            co_return std::vector<std::string>();
        });
    asio::io_context ioc(1);
    Outcome outcome;
    start(ioc, wrong, 1, outcome);
    ioc.run();
    REQUIRE(outcome.done);
    CHECK_THROWS_AS(std::rethrow_exception(outcome.failure), std::logic_error);
}

TEST_CASE("callers beyond the queue's limit are refused at once")
{
    Fixture fixture({.threads = 1, .queue_limit = 10});
    auto insert = fixture.inserter();
    asio::io_context ioc(1);
    std::vector<Outcome> outcomes(25);
    std::vector<std::thread> blocked;
    std::atomic<bool> go = false;
    fixture.occupy(blocked, go);
    for (auto& outcome : outcomes)
        start(ioc, insert, Note{2, core::Uuid::v7(), "x"}, outcome);
    ioc.poll();
    auto const refused = [&] {
        return std::ranges::count_if(outcomes, [](auto const& o) { return o.failure != nullptr; });
    };
    CHECK(refused() == 15);
    go = true;
    go.notify_all();
    ioc.run();
    for (auto& thread : blocked)
        thread.join();
    CHECK(refused() == 15);
    CHECK(fixture.postgres.query("SELECT count(*) FROM notes") == "10");
    for (auto const& outcome : outcomes) {
        if (outcome.failure)
            CHECK(error_code_of([&] { std::rethrow_exception(outcome.failure); }) == "UNAVAILABLE");
    }
}

TEST_CASE_METHOD(Fixture, "rows written by many threads are read back by many threads, each on its own")
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
                std::int64_t const scope = 2 + n % 7;
                for (int round = 0; round < rounds; ++round) {
                    core::Uuid const id = core::Uuid::v7();
                    std::string const body =
                        std::to_string(t) + "/" + std::to_string(n) + "/" + std::to_string(round);
                    auto const here = std::this_thread::get_id();
                    std::string const stored = co_await insert.run(Note{scope, id, body});
                    auto const found = co_await get.run({scope, id});
                    auto const foreign = co_await get.run({scope + 100, id});
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

TEST_CASE("one coroutine's failure leaving the context does not lose the others of its batch")
{
    OneThread fixture;
    auto insert = fixture.inserter();
    asio::io_context ioc(1);
    std::vector<std::thread> blocked;
    std::atomic<bool> go = false;
    fixture.occupy(blocked, go);
    Outcome last;
    asio::co_spawn(ioc, insert.run(Note{2, core::Uuid::v7(), "a"}),
        [](std::exception_ptr, std::string) { throw std::runtime_error("the owner's own"); });
    start(ioc, insert, Note{2, core::Uuid::v7(), "b"}, last);
    ioc.poll();
    go = true;
    go.notify_all();
    CHECK_THROWS_AS(ioc.run(), std::runtime_error);
    ioc.run();
    for (auto& thread : blocked)
        thread.join();
    CHECK(last.value == "b");
}

TEST_CASE("callers that are still waiting at shutdown are answered, or dropped with their context")
{
    bool const run_on = GENERATE(true, false);
    std::vector<Outcome> outcomes(5);
    {
        asio::io_context ioc(1);
        std::vector<std::thread> blocked;
        std::atomic<bool> go = false;
        OneThread fixture;
        auto insert = std::make_unique<Insert>(fixture.inserter());
        fixture.occupy(blocked, go);
        for (auto& outcome : outcomes)
            start(ioc, *insert, Note{2, core::Uuid::v7(), "x"}, outcome);
        ioc.poll();
        insert.reset(); // what is under way does not need it
        go = true;
        go.notify_all();
        for (auto& thread : blocked)
            thread.join();
        fixture.database.stop();
        if (run_on) ioc.run();
    }
    for (auto const& outcome : outcomes)
        CHECK(outcome.done == run_on);
}

TEST_CASE_METHOD(OneThread, "after the database has stopped callers are refused")
{
    auto insert = inserter();
    database.stop();
    asio::io_context ioc(1);
    Outcome outcome;
    start(ioc, insert, Note{2, core::Uuid::v7(), "x"}, outcome);
    ioc.run();
    REQUIRE(outcome.failure);
    CHECK(error_code_of([&] { std::rethrow_exception(outcome.failure); }) == "UNAVAILABLE");
    CHECK(sizes.sizes.empty());
}
