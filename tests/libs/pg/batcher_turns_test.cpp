// Callers of one I/O thread take turns by tenant and environment, and have shares of the places. Scope 2 is a
// tenant's production, 3 its sandbox, 4 another tenant's production.
#include "batcher_fixture.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

using namespace std::chrono_literals;
using namespace batcher_test;

namespace {

struct Call {
    core::ScopeId scope_id;
};

/// Calls of a Batcher. The test decides when its batches end.
struct Gated {
    using Batch = std::vector<core::ScopeId>; ///< the scopes of its calls

    explicit Gated(pg::DatabaseOptions options)
        : database([&] {
              options.url = postgres.service_url();
              return options;
          }()),
          calls(
              database, [this](pg::BatchConnection&, std::span<Call const> inputs) -> pg::Batch<std::string> {
                  auto& batch = batches.emplace_back();
                  for (Call const& call : inputs)
                      batch.push_back(call.scope_id);
                  if (locked && std::ranges::count(batch, *locked) != 0)
                      throw pg::Stalled(
                          pg::Stalled::Cause::scope_lock, {*std::exchange(locked, std::nullopt)});
                  co_await passage();
                  co_return std::vector<std::string>(inputs.size(), "answered");
              })
    {
    }

    ~Gated() { database.stop(); }

    Gated(Gated const&) = delete;
    Gated& operator=(Gated const&) = delete;

    asio::awaitable<void> passage()
    {
        if (is_open) co_return;
        asio::steady_timer gate(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
        gates.push_back(&gate);
        boost::system::error_code opened;
        co_await gate.async_wait(asio::redirect_error(asio::use_awaitable, opened));
    }

    /// Ends the oldest running batch.
    void end_batch()
    {
        gates.front()->cancel();
        gates.pop_front();
    }

    /// Starts a call. When this function returns, the call has been refused or waits.
    Outcome& call(core::ScopeId scope_id)
    {
        auto& outcome = outcomes.emplace_back();
        start(ioc, calls, Call{scope_id}, outcome);
        poll();
        return outcome;
    }

    std::vector<Outcome*> call(core::ScopeId scope_id, std::size_t count)
    {
        std::vector<Outcome*> begun;
        for (std::size_t i = 0; i < count; ++i)
            begun.push_back(&call(scope_id));
        return begun;
    }

    void poll()
    {
        ioc.restart();
        ioc.poll();
    }

    template <class Condition> bool run_until(Condition condition)
    {
        return testing::eventually([&] {
            poll();
            return condition();
        });
    }

    bool begins(std::size_t count)
    {
        return run_until([&] { return batches.size() == count; });
    }

    /// Starts as many batches as may run at a time, so that further callers wait.
    void occupy(core::ScopeId scope_id)
    {
        for (std::size_t i = 1; i <= Calls::parallel_batches; ++i) {
            call(scope_id);
            REQUIRE(begins(i));
        }
    }

    /// Ends every batch, so that all callers get a result.
    void finish()
    {
        is_open = true;
        while (!gates.empty())
            end_batch();
        CHECK(run_until([&] { return std::ranges::all_of(outcomes, &Outcome::done); }));
    }

    static bool is_refused(Outcome const& outcome)
    {
        return outcome.failure &&
               error_code_of([&] { std::rethrow_exception(outcome.failure); }) == "UNAVAILABLE";
    }

    static std::ptrdiff_t count_refused(std::vector<Outcome*> const& outcomes)
    {
        return std::ranges::count_if(outcomes, [](Outcome const* o) { return is_refused(*o); });
    }

    using Calls = pg::Batcher<Call, std::string>;

    testing::Postgres postgres = notes_database();
    pg::Database database;
    std::deque<Outcome> outcomes;
    std::vector<Batch> batches;            ///< in the order in which they started
    std::deque<asio::steady_timer*> gates; ///< timers for which the running batches wait
    bool is_open = false;
    std::optional<core::ScopeId> locked; ///< the next batch that contains this scope finds its lock held
    Calls calls;
    asio::io_context ioc{1};
};

} // namespace

TEST_CASE("too many calls of one environment delay and refuse only its own calls")
{
    auto const other = core::ScopeId{GENERATE(2, 4)}; // the tenant's other environment, another tenant
    CAPTURE(core::number(other));
    Gated f({.threads = 1, .queue_limit = 20'000, .queue_timeout = 20s});
    f.occupy(core::ScopeId{3});
    constexpr std::size_t count = 64 * Gated::Calls::batch_limit;
    auto const flood = f.call(core::ScopeId{3}, count);
    CHECK(Gated::count_refused(flood) == 0); // the duration of batches is not known yet
    // The running batches take at least 200 ms, so 64 batches are expected to take more than half of 20 s.
    std::this_thread::sleep_for(200ms);
    f.end_batch();
    f.end_batch();
    REQUIRE(f.begins(4));

    CHECK(Gated::is_refused(f.call(core::ScopeId{3})));
    auto const others = f.call(other, 10);
    CHECK(Gated::count_refused(others) == 0);
    f.end_batch();
    REQUIRE(f.begins(5));
    CHECK(f.batches.back().size() == Gated::Calls::batch_limit);
    CHECK(std::ranges::count(f.batches.back(), other) == 10);
    f.end_batch();
    f.end_batch();
    CHECK(f.run_until([&] { return std::ranges::all_of(others, &Outcome::done); }));
    CHECK(std::ranges::all_of(others, [](Outcome* o) { return o->value == "answered"; }));
    f.finish();
}

TEST_CASE("an environment that fills its share leaves places to the tenant's other one, and a tenant leaves "
          "places to other tenants")
{
    Gated f({.threads = 1, .queue_limit = 64, .queue_timeout = 1h});
    f.occupy(core::ScopeId{3});
    CHECK(
        Gated::count_refused(f.call(core::ScopeId{3}, 100)) == 100 - 36); // three quarters of the tenant's 48
    CHECK(Gated::count_refused(f.call(core::ScopeId{2}, 100)) ==
          100 - 12); // the tenant has three quarters of 64: 48
    CHECK(Gated::count_refused(f.call(core::ScopeId{4}, 100)) == 100 - 16);
    CHECK(Gated::is_refused(f.call(core::ScopeId{6})));
    f.finish();
}

TEST_CASE("calls without a scope have no share limit, and take turns like one more tenant")
{
    Gated f({.threads = 1, .queue_limit = 400, .queue_timeout = 1h});
    f.occupy(core::ScopeId{3});
    CHECK(Gated::count_refused(f.call(core::ScopeId{0}, 300)) == 0);
    CHECK(Gated::count_refused(f.call(core::ScopeId{2}, 101)) == 1);
    f.end_batch();
    REQUIRE(f.begins(3));
    CHECK(std::ranges::count(f.batches.back(), core::ScopeId{0}) == 64);
    CHECK(std::ranges::count(f.batches.back(), core::ScopeId{2}) == 64);
    f.finish();
}

TEST_CASE("a call that has waited too long for its turn is refused")
{
    Gated f({.threads = 1, .queue_limit = 1'000, .queue_timeout = 3s});
    f.occupy(core::ScopeId{2});
    auto const early = f.call(core::ScopeId{2}, 150);
    std::this_thread::sleep_for(3s);
    auto const late = f.call(core::ScopeId{4}, 100);
    f.end_batch();
    REQUIRE(f.begins(3));
    CHECK(std::ranges::count(f.batches.back(), core::ScopeId{4}) == 100);
    CHECK(f.run_until([&] { return std::ranges::all_of(early, &Outcome::done); }));
    CHECK(Gated::count_refused(early) == 150);
    CHECK(Gated::count_refused(late) == 0);
    f.finish();
}

TEST_CASE("calls of a scope that runs separately are refused according to the duration of its own batches")
{
    Gated f({.threads = 1, .queue_limit = 20'000, .queue_timeout = 20s});
    f.locked = core::ScopeId{3};
    f.call(core::ScopeId{3});
    REQUIRE(f.begins(2)); // the scope runs separately
    f.call(core::ScopeId{3}, 64 * Gated::Calls::batch_limit);
    std::this_thread::sleep_for(200ms);
    f.end_batch();
    REQUIRE(f.begins(3));
    CHECK(Gated::is_refused(f.call(core::ScopeId{3})));
    CHECK_FALSE(Gated::is_refused(f.call(core::ScopeId{2})));
    REQUIRE(f.begins(4));
    CHECK(f.batches.back() == Gated::Batch{core::ScopeId{2}});
    f.finish();
}
