#pragma once

#include "core/scope.hpp"
#include "jobs/queue.hpp"
#include "pg/database.hpp"
#include "support/database_clock.hpp"
#include "support/postgres.hpp"

namespace jobs_test {

using namespace std::chrono_literals;

/// A migrated database, and a clock that only the test moves. The database uses the same clock.
struct Fixture {
    Fixture() { testing::rule_database(clock, postgres); }

    testing::Postgres postgres = testing::Postgres::migrated({&jobs::migrations()}, "jobs");
    pg::Database database{{.url = postgres.service_url(), .application_name = "test", .threads = 4}};
    testing::FakeClock clock;

    template <class Work> auto tx(Work work)
    {
        return database.transact_blocking(pg::Scopes{}, std::move(work));
    }

    core::Uuid add(core::ScopeId scope, core::Time::duration in = {}, std::string const& queue = "q")
    {
        core::Uuid const ref = core::Uuid::v7();
        add(scope, ref, in, queue);
        return ref;
    }

    void add(core::ScopeId scope, core::Uuid const& ref, core::Time::duration in = {},
        std::string const& queue = "q")
    {
        tx([&](pg::Tx& t) { jobs::enqueue(t, queue, scope, ref, clock.now() + in); });
    }

    /// Adds a job that is due in an hour to each of these scopes.
    void add_later(std::int64_t first_scope, std::int64_t last_scope)
    {
        tx([&](pg::Tx& t) {
            t.run(R"(
                INSERT INTO jobs (scope_id, queue, ref, run_at)
                SELECT s, 'q', gen_random_uuid(), $1::timestamptz + interval '1 hour'
                FROM generate_series($2::bigint, $3::bigint) AS s)",
                {clock.now(), first_scope, last_scope});
        });
    }

    /// Claims repeatedly until the end of a round. Returns the number of jobs from each claim.
    std::vector<std::size_t> round(jobs::ClaimRequest request)
    {
        std::vector<std::size_t> found;
        for (bool end = false; !end;) {
            auto const result = claim(request);
            found.push_back(result.claims.size());
            request.after_scope = result.next_scope;
            end = result.end;
        }
        return found;
    }

    jobs::ClaimResult claim(jobs::ClaimRequest const& request)
    {
        return tx([&](pg::Tx& t) { return jobs::claim(t, request); });
    }

    std::vector<jobs::Claim> claim_up_to(std::size_t limit, std::chrono::milliseconds lease = 60s)
    {
        return claim({.queue = "q", .limit = limit, .max_per_scope = limit, .running = {}, .lease = lease})
            .claims;
    }

    bool complete(jobs::Claim const& c)
    {
        return tx([&](pg::Tx& t) { return jobs::complete(t, c); });
    }

    int jobs_left() const { return std::stoi(postgres.query("SELECT count(*) FROM jobs")); }
};

} // namespace jobs_test
