// A held lock or a slow statement of one scope must not delay other scopes.
#include "blocked_scope_fixture.hpp"

#include <map>
#include <optional>

using namespace std::chrono_literals;
using namespace batcher_test;

TEST_CASE_METHOD(Blocked, "a scope whose lock is held does not delay other callers of its batch")
{
    auto insert = inserter();
    HeldLock held(postgres, HeldLock::lock_of(scope_of(1)));
    Outcome& blocked = create(insert, scope_of(1));
    std::vector<Outcome*> others;
    for (std::size_t i = 2; i < 8; ++i)
        others.push_back(&create(insert, scope_of(i)));
    REQUIRE(run_until([&] { return std::ranges::all_of(others, &Outcome::done); }));
    for (std::size_t i = 0; i < others.size(); ++i)
        CHECK(others[i]->value == "of " + core::to_string(scope_of(i + 2)));
    CHECK_FALSE(blocked.done);

    // Callers of other scopes do not wait for the lock.
    Outcome const& later = create(insert, scope_of(9));
    CHECK(run_until([&] { return later.done; }));
    CHECK_FALSE(later.failure);
    CHECK_FALSE(blocked.done);

    held.release();
    CHECK(run_until([&] { return blocked.done; }));
    CHECK(blocked.value == "of 2");
}

TEST_CASE_METHOD(Impatient, "only callers of a scope that is locked for too long are refused")
{
    auto insert = inserter();
    HeldLock held(postgres, HeldLock::lock_of(scope_of(1)));
    std::vector<Outcome*> blocked, others;
    for (std::size_t i = 0; i < 3; ++i) {
        blocked.push_back(&create(insert, scope_of(1)));
        others.push_back(&create(insert, scope_of(2 + i)));
    }
    REQUIRE(run_until([&] { return std::ranges::all_of(outcomes, &Outcome::done); }));
    CHECK(std::ranges::all_of(blocked, [](Outcome* o) { return is_unavailable(*o); }));
    CHECK(std::ranges::none_of(others, [](Outcome* o) { return o->failure != nullptr; }));
    held.release();
    Outcome const& later = create(insert, scope_of(1));
    CHECK(run_until([&] { return later.done; }));
    CHECK(later.value == "of 2");
    CHECK(postgres.query("SELECT count(*) FROM notes") == "4");
}

TEST_CASE_METHOD(Blocked, "scopes that wait for their locks leave connections to other scopes")
{
    // Twice as many as the connections of an I/O thread, in several batchers.
    std::deque<HeldLock> held;
    for (std::size_t i = 1; i <= 8; ++i)
        held.emplace_back(postgres, HeldLock::lock_of(scope_of(i)));
    std::deque<Create> inserters;
    for (std::size_t i = 1; i <= 8; ++i) {
        create(inserters.emplace_back(inserter()), scope_of(i));
        create(inserters.back(), sandbox_of(i)); // the tenant's other scope
    }
    auto const done = [&] { return std::ranges::count_if(outcomes, &Outcome::done); };
    REQUIRE(run_until([&] { return done() == 8; }));
    for (int i = 0; i < 50; ++i) {
        Outcome const& free = create(inserters[static_cast<std::size_t>(i) % 8], core::ScopeId{100 + i});
        REQUIRE(run_until([&] { return free.done; }));
        REQUIRE_FALSE(free.failure);
    }
    CHECK(done() == 58);
    for (auto& one : held)
        one.release();
    CHECK(run_until([&] { return done() == 66; }));
    CHECK(std::ranges::none_of(outcomes, [](Outcome const& o) { return o.failure != nullptr; }));
}

TEST_CASE_METHOD(Blocked, "busy scopes do not keep a scope that waited for its lock from running")
{
    constexpr std::size_t busy = 4; // more than may run separately at a time
    std::map<core::ScopeId, std::size_t> batches;
    bool endless = false;
    std::optional<Create> insert;
    insert.emplace(inserter([&](std::span<Draft const> drafts) {
        auto const scope = drafts.front().scope_id;
        // A caller that arrives during a batch waits when the batch ends, so the scope continues to run
        // separately.
        if (endless && scope != scope_of(1)) create(*insert, scope);
        ++batches[scope];
    }));
    HeldLock stuck(postgres, HeldLock::lock_of(scope_of(1)));
    std::deque<HeldLock> held;
    Outcome const& waiting = create(*insert, scope_of(1));
    for (std::size_t i = 2; i < 2 + busy; ++i) {
        held.emplace_back(postgres, HeldLock::lock_of(scope_of(i)));
        create(*insert, scope_of(i));
    }
    REQUIRE(run_until([&] { return *database.separate_callers() == 1 + busy; }));
    endless = true;
    for (auto& one : held)
        one.release();
    batches.clear();
    auto const all_are_served = [&] {
        for (std::size_t i = 2; i < 2 + busy; ++i)
            if (batches[scope_of(i)] < 10) return false;
        return true;
    };
    CHECK(run_until(all_are_served));
    CHECK_FALSE(waiting.done);

    stuck.release();
    CHECK(run_until([&] { return waiting.done; }));
    CHECK(waiting.value == "of 2");
    endless = false;
    CHECK(run_until([&] { return std::ranges::all_of(outcomes, &Outcome::done); }));
    CHECK(std::ranges::none_of(outcomes, [](Outcome const& o) { return o.failure != nullptr; }));
}

TEST_CASE_METHOD(Blocked, "a scope runs separately for a short time after its lock has become free")
{
    std::vector<std::size_t> sizes;
    auto insert = inserter([&](std::span<Draft const> drafts) { sizes.push_back(drafts.size()); });
    // On a busy machine the short time may end before the next caller arrives, so the test repeats this.
    CHECK(testing::eventually([&] {
        HeldLock held(postgres, HeldLock::lock_of(scope_of(1)));
        Outcome const& first = create(insert, scope_of(1));
        REQUIRE(run_until([&] { return *database.separate_callers() == 1; }));
        held.release();
        REQUIRE(run_until([&] { return first.done; }));
        sizes.clear();
        Outcome const& again = create(insert, scope_of(1));
        Outcome const& other = create(insert, scope_of(2));
        REQUIRE(run_until([&] { return again.done && other.done; }));
        return sizes == std::vector<std::size_t>{1, 1};
    }));
}

TEST_CASE("callers of a blocked scope do not fill the whole queue")
{
    Blocked f({.threads = 2, .queue_limit = 64, .queue_timeout = 1h, .statement_timeout = 1h});
    auto insert = f.inserter();
    HeldLock held(f.postgres, HeldLock::lock_of(scope_of(1)));
    auto const of_blocked = [&] {
        return std::ranges::count_if(f.outcomes, [](auto const& o) { return o.failure != nullptr; });
    };
    for (int i = 0; i < 500; ++i) {
        f.create(insert, scope_of(1));
        f.ioc.restart();
        f.ioc.poll();
    }
    REQUIRE(f.run_until([&] { return of_blocked() >= 500 - 64 / 8; }));
    std::vector<Outcome*> others;
    for (std::size_t i = 0; i < 32; ++i)
        others.push_back(&f.create(insert, scope_of(2 + i)));
    CHECK(f.run_until([&] { return std::ranges::all_of(others, &Outcome::done); }));
    CHECK(std::ranges::none_of(others, [](Outcome* o) { return o->failure != nullptr; }));
    held.release();
    CHECK(f.run_until([&] { return std::ranges::all_of(f.outcomes, &Outcome::done); }));
}

TEST_CASE("the blocked environments of a tenant share its limit, and each keeps a part of it")
{
    Blocked f({.threads = 2, .queue_limit = 64, .queue_timeout = 1h, .statement_timeout = 1h});
    auto insert = f.inserter();
    core::ScopeId const production = scope_of(1), sandbox = sandbox_of(1);
    HeldLock sandbox_lock(f.postgres, HeldLock::lock_of(sandbox));
    HeldLock production_lock(f.postgres, HeldLock::lock_of(production));
    // Makes calls until many are refused. Returns whether exactly `expected` of the calls wait.
    auto const fill = [&](core::ScopeId scope_id, std::ptrdiff_t expected) {
        std::vector<Outcome const*> calls;
        auto const done = [&] { return std::ranges::count_if(calls, &Outcome::done); };
        CHECK(f.run_until([&] {
            calls.push_back(&f.create(insert, scope_id));
            return done() > 20;
        }));
        return f.run_until([&] { return std::ssize(calls) - done() == expected; });
    };
    CHECK(fill(sandbox, 6)); // three quarters of an eighth of 64
    CHECK(fill(production, 2));
    sandbox_lock.release();
    production_lock.release();
    CHECK(f.run_until([&] { return std::ranges::all_of(f.outcomes, &Outcome::done); }));
    CHECK(f.postgres.query("SELECT count(*) FROM notes") == "8");
}

TEST_CASE_METHOD(Impatient, "a row that another transaction holds delays only its own scope")
{
    auto insert = inserter();
    // Calls that arrive while `fresh` makes its first connection become one batch.
    pg::Database fresh(database.options());
    auto update = updater(fresh);
    std::vector<core::Uuid> ids;
    for (std::size_t i = 0; i < 5; ++i) {
        ids.push_back(core::Uuid::v7());
        create(insert, scope_of(1 + i / 2), ids.back()); // two of scope 2, two of scope 4, one of scope 6
    }
    REQUIRE(run_until([&] { return std::ranges::all_of(outcomes, &Outcome::done); }));
    HeldLock const held(postgres, "SELECT FROM notes WHERE id = '" + ids[0].to_string() + "' FOR UPDATE");
    std::vector<Outcome*> updated;
    for (std::size_t i = 0; i < 5; ++i)
        updated.push_back(&create(update, scope_of(1 + i / 2), ids[i]));
    CHECK(run_until([&] { return std::ranges::all_of(updated, &Outcome::done); }));
    CHECK(is_unavailable(*updated[0]));
    for (std::size_t i = 1; i < 5; ++i)
        CHECK(updated[i]->value == "of " + core::to_string(scope_of(1 + i / 2)));
}

TEST_CASE("if one scope makes a statement too slow, the statement runs again for each scope separately")
{
    Blocked f({.threads = 2, .statement_timeout = 1s});
    auto slow = f.statement(R"(
        SELECT u.id, u.body || pg_sleep(CASE WHEN u.scope_id = 2 THEN 60 ELSE 0 END)
        FROM unnest($1::bigint[], $2::uuid[], $3::text[]) AS u(scope_id, id, body))",
        false);
    for (std::size_t i = 1; i < 5; ++i)
        f.create(slow, scope_of(i));
    REQUIRE(f.run_until([&] { return std::ranges::all_of(f.outcomes, &Outcome::done); }));
    CHECK(Blocked::is_unavailable(f.outcomes[0]));
    for (std::size_t i = 1; i < 4; ++i)
        CHECK(f.outcomes[i].value == "of " + core::to_string(scope_of(i + 1)));
}

TEST_CASE_METHOD(
    Blocked, "a scope commits in the order of the times in its rows, even if callers wait for its lock")
{
    auto insert = inserter();
    auto again = inserter(); // a second Batcher has its own batches for the same scopes
    std::atomic<bool> stop = false;
    std::atomic<int> late = 0;
    std::thread reader([&] { // a newly committed time is never older than an earlier one
        pqxx::connection connection(postgres.superuser_url());
        std::string newest = "-infinity";
        std::string count = "0";
        while (!stop) {
            pqxx::work tx(connection);
            auto const row =
                tx.exec("SELECT coalesce(max(created_at), '-infinity'), count(*), count(*) FILTER "
                        "(WHERE created_at <= '" +
                        newest + "') FROM notes WHERE scope_id = 2")[0];
            if (row[2].as<std::string>() != count) ++late;
            newest = row[0].as<std::string>();
            count = row[1].as<std::string>();
        }
    });
    for (int i = 0; i < 300; ++i) {
        Outcome const& one = create(i % 2 == 0 ? insert : again, scope_of(1));
        create(insert, scope_of(2 + static_cast<std::size_t>(i) % 5));
        if (i % 10 == 0) run_until([&] { return one.done; });
    }
    CHECK(run_until([&] { return std::ranges::all_of(outcomes, &Outcome::done); }));
    stop = true;
    reader.join();
    CHECK(late == 0);
    CHECK(std::ranges::none_of(outcomes, [](Outcome const& o) { return o.failure != nullptr; }));
}
