#include "fixture.hpp"
#include "pg/listener.hpp"
#include "pg/row.hpp"
#include "support/eventually.hpp"
#include "support/scopes.hpp"

#include <mutex>
#include <stdexcept>

using namespace jobs_test;

namespace {

bool withdraw(Fixture& f, core::ScopeId scope, core::Uuid const& ref, std::string const& queue = "q")
{
    return f.tx([&](pg::Tx& t) { return jobs::withdraw(t, queue, scope, ref); });
}

/// A statement like those of other libraries: several jobs of several scopes, each with its own time.
void enqueue_in_sql(Fixture& f, std::vector<core::ScopeId> const& scopes, std::vector<core::Uuid> const& refs,
    std::vector<core::Time> const& times)
{
    f.tx([&](pg::Tx& t) {
        auto const result = t.run("SELECT enqueue_jobs('q', $1::bigint[], $2::uuid[], $3::timestamptz[])",
            {scopes, pg::column(refs, [](core::Uuid const& ref) { return ref; }),
                pg::column(times, [](core::Time time) { return time; })});
        CHECK(pg::RowReader(result.front()).integer() == std::ssize(refs));
    });
}

} // namespace

TEST_CASE("a waiting job can be withdrawn once, and then does not run")
{
    Fixture f;
    auto const ref = f.add(core::ScopeId{2});
    auto const later = f.add(core::ScopeId{2}, 1h);
    CHECK(withdraw(f, core::ScopeId{2}, ref));
    CHECK_FALSE(withdraw(f, core::ScopeId{2}, ref));
    CHECK(f.claim_up_to(5).empty());
    CHECK(withdraw(f, core::ScopeId{2}, later));
    CHECK(f.jobs_left() == 0);
}

TEST_CASE("only the named job is withdrawn")
{
    Fixture f;
    auto const ref = f.add(core::ScopeId{2});
    CHECK_FALSE(withdraw(f, core::ScopeId{3}, ref));
    CHECK_FALSE(withdraw(f, core::ScopeId{2}, ref, "other"));
    CHECK_FALSE(withdraw(f, core::ScopeId{2}, core::Uuid::v7()));
    CHECK(f.jobs_left() == 1);
}

TEST_CASE("a job with a lease cannot be withdrawn, even if the lease has expired")
{
    Fixture f;
    auto const ref = f.add(core::ScopeId{2});
    auto const claims = f.claim_up_to(1, 30s);
    REQUIRE(claims.size() == 1);
    CHECK_FALSE(withdraw(f, core::ScopeId{2}, ref));
    f.clock.advance(31s);
    CHECK_FALSE(withdraw(f, core::ScopeId{2}, ref));
    CHECK(f.complete(claims[0]));
}

TEST_CASE("a postponed or released job can be withdrawn")
{
    Fixture f;
    auto const put_off = f.add(core::ScopeId{2});
    auto const given_back = f.add(core::ScopeId{3});
    auto const claims = f.claim_up_to(2);
    REQUIRE(claims.size() == 2);
    f.tx([&](pg::Tx& t) {
        CHECK(jobs::put_off(t, claims[0], 1min));
        jobs::give_back(t, std::span(&claims[1], 1));
    });
    CHECK(withdraw(f, core::ScopeId{2}, put_off));
    CHECK(withdraw(f, core::ScopeId{3}, given_back));
    CHECK(f.jobs_left() == 0);
}

TEST_CASE("a withdrawal that is rolled back has no effect")
{
    Fixture f;
    auto const ref = f.add(core::ScopeId{2});
    CHECK_THROWS_AS(f.tx([&](pg::Tx& t) {
        CHECK(jobs::withdraw(t, "q", core::ScopeId{2}, ref));
        throw std::runtime_error("no");
    }),
        std::runtime_error);
    CHECK(f.claim_up_to(1).size() == 1);
}

TEST_CASE("a statement can enqueue jobs of several scopes, each at its own time")
{
    Fixture f;
    auto const now = f.clock.now();
    std::vector const refs{core::Uuid::v7(), core::Uuid::v7(), core::Uuid::v7()};
    enqueue_in_sql(f, testing::scopes({5, 2, 2}), refs, {now, now + 10s, now});
    auto const due = f.claim_up_to(5);
    REQUIRE(due.size() == 2);
    CHECK(due[0].scope_id == core::ScopeId{2});
    CHECK(due[0].ref == refs[2]);
    CHECK(due[1].scope_id == core::ScopeId{5});
    CHECK(due[1].ref == refs[0]);
    f.clock.advance(10s);
    auto const rest = f.claim_up_to(5);
    REQUIRE(rest.size() == 1);
    CHECK(rest[0].ref == refs[1]);
}

TEST_CASE("a statement that enqueues handles existing jobs like jobs::enqueue")
{
    Fixture f;
    auto const now = f.clock.now();
    auto const running = f.add(core::ScopeId{2});
    auto const claims = f.claim_up_to(1);
    auto const waiting = f.add(core::ScopeId{2}, 1h);
    enqueue_in_sql(f, testing::scopes({2, 2}), {waiting, running}, {now + 5s, now + 7s});
    CHECK(f.complete(claims.at(0))); // the job runs once more
    f.clock.advance(5s);
    auto const first = f.claim_up_to(5);
    REQUIRE(first.size() == 1);
    CHECK(first[0].ref == waiting);
    f.clock.advance(2s);
    auto const second = f.claim_up_to(5);
    REQUIRE(second.size() == 1);
    CHECK(second[0].ref == running);
    CHECK(second[0].attempts == 1);
}

TEST_CASE("a statement that enqueues no job wakes no worker")
{
    Fixture f;
    std::mutex mutex;
    std::vector<std::string> heard;
    auto const so_far = [&] {
        std::lock_guard const lock(mutex);
        return heard;
    };
    pg::Listener listener(f.postgres.service_url(),
        {{jobs::channel,
            [&](std::string const& queue) {
                std::lock_guard const lock(mutex);
                heard.push_back(queue);
            }}},
        [] {});
    REQUIRE(testing::eventually([&] { return listener.live(); }));
    enqueue_in_sql(f, {}, {}, {});
    // Notifications arrive in commit order, so earlier ones have arrived before this one.
    f.add(core::ScopeId{2}, 0s, "afterwards");
    CHECK(testing::eventually([&] { return !so_far().empty(); }));
    CHECK(so_far() == std::vector<std::string>{"afterwards"});
    listener.stop();
}
