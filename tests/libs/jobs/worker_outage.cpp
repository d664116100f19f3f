// The database is down or read-only when the worker writes the outcome of a handler.
#include "support/eventually.hpp"
#include "worker.hpp"

#include <atomic>
#include <thread>

using namespace jobs_test;
using jobs::Claim;
using jobs::Outcome;
using jobs::Worker;
using jobs::WorkerOptions;
using testing::eventually;

namespace {

/// Makes the server refuse writes with SQLSTATE 25006, like a standby. This also affects connections that are
/// already open.
class ReadOnly {
public:
    explicit ReadOnly(testing::Postgres const& postgres) : postgres_(postgres) { set("on"); }

    ~ReadOnly() { set("off"); }

private:
    void set(std::string const& value) const
    {
        postgres_.query("ALTER SYSTEM SET default_transaction_read_only = " + value);
        postgres_.query("SELECT pg_reload_conf()");
        CHECK(eventually([&] { return postgres_.query("SHOW default_transaction_read_only") == value; }));
    }

    testing::Postgres const& postgres_;
};

/// Two replicas with separate connections. They use the system clock.
struct Replicas {
    testing::Postgres postgres = testing::Postgres::migrated({&jobs::migrations()}, "jobs");
    pg::Database first{{.url = postgres.service_url(), .application_name = "first", .threads = 2}};
    pg::Database second{{.url = postgres.service_url(), .application_name = "second", .threads = 2}};
    core::SystemClock clock;
    Gate gate;
    std::atomic<int> runs = 0, complaints = 0;

    WorkerOptions options() const
    {
        WorkerOptions options = quick(1);
        options.lease = 4s;
        options.takeover_delay = 5s;
        return options;
    }

    jobs::Handler handler()
    {
        return [this](Claim const&, std::stop_token const&) {
            ++runs;
            gate.pass_blocking();
            return Outcome::done();
        };
    }

    jobs::Hooks hooks()
    {
        return {.failed = [this](std::string_view, Claim const* claim) { complaints += claim != nullptr; }};
    }

    void add()
    {
        first.transact_blocking(pg::Scopes{},
            [&](pg::Tx& tx) { jobs::enqueue(tx, "q", core::ScopeId{2}, core::Uuid::v7(), clock.now()); });
    }

    std::string left() const { return postgres.query("SELECT count(*) FROM jobs"); }

    /// Waits for `interval` by the database's clock.
    void pass(std::string const& interval) const
    {
        auto const begin = postgres.query("SELECT now()");
        REQUIRE(eventually([&] {
            return postgres.query(
                       "SELECT now() > '" + begin + "'::timestamptz + interval '" + interval + "'") == "t";
        }));
    }
};

} // namespace

TEST_CASE("a job does not run again if its outcome could not be written to a read-only server")
{
    Replicas f;
    f.add();
    Worker const worker(f.first, f.clock, f.options(), f.handler(), f.hooks());
    OpenAtEnd const guard{f.gate};
    REQUIRE(eventually([&] { return f.gate.arrived() == 1; }));
    {
        ReadOnly const refusing(f.postgres);
        f.gate.open();
        REQUIRE(eventually([&] { return f.complaints > 0; }));
        f.pass("1 second");
    }
    CHECK(eventually([&] { return f.left() == "0"; }));
    f.pass("5 seconds"); // long enough for a lease to end
    CHECK(f.runs == 1);
    CHECK(f.postgres.query("SELECT count(*) FROM dead_jobs") == "0");
}

TEST_CASE("an outcome that waits for the database is written before another replica starts the job")
{
    Replicas f;
    f.add();
    Worker const worker(f.first, f.clock, f.options(), f.handler(), f.hooks());
    OpenAtEnd const guard{f.gate};
    REQUIRE(eventually([&] { return f.gate.arrived() == 1; }));
    Worker const other(f.second, f.clock, f.options(), f.handler());
    bool const stops = GENERATE(false, true);
    CAPTURE(stops);
    {
        ReadOnly const refusing(f.postgres);
        if (stops) f.postgres.stop();
        f.gate.open();
        REQUIRE(eventually([&] { return f.complaints > 0; }));
        // Waits longer than the lease. `f.pass` cannot be used, because a stopped server cannot tell the
        // time.
        std::this_thread::sleep_for(6s);
        if (stops) f.postgres.start();
    }
    CHECK(eventually([&] { return f.left() == "0"; }));
    CHECK(f.runs == 1);
}

TEST_CASE("a new replica gives running workers time to write their outcomes")
{
    Replicas f;
    f.add();
    Worker const worker(f.first, f.clock, f.options(), f.handler(), f.hooks());
    OpenAtEnd const guard{f.gate};
    REQUIRE(eventually([&] { return f.gate.arrived() == 1; }));
    std::optional<Worker> other;
    {
        ReadOnly const refusing(f.postgres);
        f.gate.open();
        REQUIRE(eventually([&] { return f.complaints > 0; }));
        f.pass("6 seconds"); // longer than the lease
    }
    other.emplace(f.second, f.clock, f.options(), f.handler());
    CHECK(eventually([&] { return f.left() == "0"; }));
    CHECK(f.runs == 1);
}
