#pragma once
// Internal to the asynchronous worker.

#include "core/scope.hpp"
#include "jobs/end_claims.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace jobs {

/// Finished runs whose outcomes are not yet written to the database, and the pauses after failed writes. Not
/// thread-safe.
class OutcomeBuffer {
public:
    using Clock = std::chrono::steady_clock;

    /// `lease` limits the pauses (`outage_pause`).
    explicit OutcomeBuffer(std::chrono::milliseconds lease) : lease_(lease) {}

    /// Whether the runs are fewer than `next` returns at most.
    bool are_few() const noexcept;

    void push(FinishedRun run) { runs_.push_back(std::move(run)); }

    /// Returns the next runs to write: runs of all scopes without a pause, or runs of one scope
    /// whose pause has ended. If no run can be written now, returns an empty list. In this case `until`
    /// becomes the end of the next pause, if that is earlier.
    std::vector<FinishedRun> next(Clock::time_point now, Clock::time_point& until);

    /// Puts the runs back and pauses all writes, because the database is down. Returns true for the first
    /// failed write of an outage.
    bool wait_for_database(std::vector<FinishedRun> runs);

    /// Puts the runs of one scope back and pauses the writes of this scope.
    void set_aside(core::ScopeId scope, std::vector<FinishedRun> runs);

    bool in_outage() const noexcept { return outage_.failures > 0; }

    /// Records that these runs were written. This ends the outage and the pauses of their scopes.
    void written(std::vector<FinishedRun> const& runs);

    /// Removes and returns all runs.
    std::deque<FinishedRun> drop_all() { return std::exchange(runs_, {}); }

private:
    struct Pause {
        unsigned failures = 0;
        Clock::time_point until{};
    };

    /// Returns runs of one scope whose pause is over.
    std::vector<FinishedRun> take_paused(Clock::time_point now, Clock::time_point& until);

    template <class Condition> std::vector<FinishedRun> take(Condition condition);
    void extend(Pause& pause) const;
    void put_back(std::vector<FinishedRun> runs);

    std::chrono::milliseconds lease_;
    std::deque<FinishedRun> runs_;
    std::map<core::ScopeId, Pause> paused_; ///< per scope
    Pause outage_;
    bool is_turn_of_paused_ = false;
};

} // namespace jobs
