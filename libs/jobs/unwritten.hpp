#pragma once
// Internal to the asynchronous worker.

#include "jobs/settle.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace jobs {

/// Endings that are not yet written to the database, and the pauses after failed writes. Not thread-safe.
class Unwritten {
public:
    using Clock = std::chrono::steady_clock;

    /// `lease` limits the pauses (`outage_pause`).
    explicit Unwritten(std::chrono::milliseconds lease) : lease_(lease) {}

    void push(Ending ending) { endings_.push_back(std::move(ending)); }

    /// Returns the next endings to write: endings of all scopes without a pause, or endings of one scope
    /// whose pause has ended. If no ending can be written now, returns an empty list. In this case `until`
    /// becomes the end of the next pause, if that is earlier.
    std::vector<Ending> next(Clock::time_point now, Clock::time_point& until);

    /// Puts the endings back and pauses all writes, because the database is down. Returns true for the first
    /// failed write of an outage.
    bool wait_for_database(std::vector<Ending> endings);

    /// Puts the endings of one scope back and pauses the writes of this scope.
    void set_aside(std::int64_t scope, std::vector<Ending> endings);

    bool in_outage() const noexcept { return outage_.failures > 0; }

    /// Records that these endings were written. This ends the outage and the pauses of their scopes.
    void written(std::vector<Ending> const& endings);

    /// Removes and returns all endings.
    std::deque<Ending> drop_all() { return std::exchange(endings_, {}); }

private:
    struct Pause {
        unsigned failures = 0;
        Clock::time_point until{};
    };

    /// Returns endings of one scope whose pause is over.
    std::vector<Ending> take_paused(Clock::time_point now, Clock::time_point& until);

    template <class Condition> std::vector<Ending> take(Condition condition);
    void extend(Pause& pause) const;
    void put_back(std::vector<Ending> endings);

    std::chrono::milliseconds lease_;
    std::deque<Ending> endings_;
    std::map<std::int64_t, Pause> paused_; ///< per scope
    Pause outage_;
    bool is_turn_of_paused_ = false;
};

} // namespace jobs
