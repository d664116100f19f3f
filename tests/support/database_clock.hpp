#pragma once

#include "support/fake_clock.hpp"
#include "support/postgres.hpp"

#include <string>

namespace testing {

/// Makes jobs and periodic tasks of a migrated database use the time of `clock`, by replacing the SQL
/// function `jobs_now()`. The database must exist until the last move of the clock.
inline void rule_database(FakeClock& clock, Postgres const& postgres)
{
    postgres.query(R"(
        CREATE TABLE test_clock (now timestamptz);
        INSERT INTO test_clock DEFAULT
        VALUES; GRANT
        SELECT ON test_clock TO PUBLIC; CREATE
            OR REPLACE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql STABLE AS
                'SELECT now FROM test_clock')");
    clock.follow([&postgres](core::Time now) {
        postgres.query("UPDATE test_clock SET now = timestamptz 'epoch' + " +
                       std::to_string(now.time_since_epoch().count()) + " * interval '1 microsecond'");
    });
}

/// Undoes `rule_database`: `jobs_now()` returns the database's own time again. For tests that start processes
/// with real clocks.
inline void free_database(Postgres const& postgres)
{
    postgres.query(
        "CREATE OR REPLACE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()'");
}

} // namespace testing
