#pragma once

#include "core/scope.hpp"
#include "fixture.hpp"
#include "jobs/async_worker.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

namespace jobs_test {

using jobs::AsyncWorker;
using jobs::Claim;
using jobs::FinishedRun;
using jobs::Outcome;

/// An AsyncWorker with a handler whose jobs run until the test ends them.
struct Async : Fixture {
    std::mutex mutex;
    std::vector<Claim> running;
    std::size_t most_at_once = 0;      ///< maximum number of jobs that one call started
    std::atomic<bool> at_once = false; ///< whether jobs end as soon as they are started
    std::atomic<int> begun = 0, finished = 0, dead = 0, lost = 0, failed = 0;
    std::function<void(pg::Tx&, std::span<FinishedRun const* const>)> record = [](auto&&...) {};
    std::chrono::milliseconds poll = 20ms;
    std::chrono::milliseconds gather = jobs::AsyncWorkerOptions{}.gather;
    std::optional<AsyncWorker> worker;

    void start(std::size_t capacity = 100, std::chrono::milliseconds lease = 60s)
    {
        jobs::AsyncWorkerOptions options{.queue = "q",
            .capacity = capacity,
            .lease = lease,
            .poll = poll,
            .gather = gather,
            .takeover_delay = 0ms};
        jobs::AsyncHandler handler{.begin = [this](std::vector<Claim> claims, AsyncWorker& self,
                                                std::stop_token const&) { begin(std::move(claims), self); },
            .record = [this](pg::Tx& tx, auto runs) { record(tx, runs); },
            .stop =
                [this](AsyncWorker& self) {
                    std::lock_guard const lock(mutex);
                    for (auto& claim : std::exchange(running, {}))
                        self.finish(put_back(std::move(claim)));
                }};
        worker.emplace(database, clock, options, handler,
            jobs::Hooks{.finished =
                            [this](Claim const&, Outcome::Kind kind, auto) {
                                ++finished;
                                dead += kind == Outcome::Kind::dead ? 1 : 0;
                            },
                .lost = [this](Claim const&) { ++lost; },
                .failed = [this](std::string_view, Claim const*) { ++failed; }});
    }

    void begin(std::vector<Claim> claims, AsyncWorker& self)
    {
        auto const count = static_cast<int>(claims.size());
        if (at_once) {
            for (auto& claim : claims)
                self.finish({.claim = std::move(claim)});
        } else {
            std::lock_guard const lock(mutex);
            most_at_once = std::max(most_at_once, claims.size());
            std::ranges::move(claims, std::back_inserter(running));
        }
        begun += count; // last, so that a reader of `begun` sees all other changes
    }

    static FinishedRun put_back(Claim claim)
    {
        auto const at = claim.run_at;
        return {.claim = std::move(claim),
            .kind = Outcome::Kind::retry,
            .run_at = at,
            .counted = false,
            .begun = false};
    }

    void end_all()
    {
        std::lock_guard const lock(mutex);
        for (auto& claim : std::exchange(running, {}))
            worker->finish({.claim = std::move(claim)});
    }

    /// Ends the oldest run.
    void end_first()
    {
        end_first_of([](Claim const&) { return true; });
    }

    /// Ends the oldest run of one scope.
    void end_first(core::ScopeId scope)
    {
        end_first_of([scope](Claim const& claim) { return claim.scope_id == scope; });
    }

    std::map<core::TenantId, int> by_tenant()
    {
        std::lock_guard const lock(mutex);
        std::map<core::TenantId, int> counts;
        for (auto const& claim : running)
            ++counts[core::tenant_of(claim.scope_id)];
        return counts;
    }

    void add_many(core::ScopeId scope, int count)
    {
        for (int i = 0; i < count; ++i)
            add(scope);
    }

private:
    template <class Condition> void end_first_of(Condition condition)
    {
        std::lock_guard const lock(mutex);
        auto const first = std::ranges::find_if(running, condition);
        if (first == running.end()) return;
        worker->finish({.claim = std::move(*first)});
        running.erase(first);
    }
};

} // namespace jobs_test
