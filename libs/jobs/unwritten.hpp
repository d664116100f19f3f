#pragma once
// Private to the asynchronous worker.

#include "jobs/settle.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace jobs {

/// The endings of runs that are not yet written to the database, and the pauses after failed writes. Not safe
/// from several threads.
class Unwritten {
public:
    using Clock = std::chrono::steady_clock;

    /// `lease`: bounds the pauses (`outage_pause`).
    explicit Unwritten(std::chrono::milliseconds lease) : lease_(lease) {}

    void push(Ending ending) { endings_.push_back(std::move(ending)); }

    /// The next endings to write: of scopes that have no pause, or of one scope whose pause is over. Empty
    /// when there are none; then `until` is at most the end of the next pause.
    std::vector<Ending> next(Clock::time_point now, Clock::time_point& until);

    /// Keeps the endings until the database may be back. Returns true for the first failure of an outage.
    bool wait_for_database(std::vector<Ending> endings);

    /// Keeps the endings of one scope for a pause of its own.
    void set_aside(std::int64_t scope, std::vector<Ending> endings);

    bool in_outage() const noexcept { return outage_.failures > 0; }

    /// These endings were written: the outage and the pauses of their scopes are over.
    void written(std::vector<Ending> const& endings);

    /// Removes and returns all.
    std::deque<Ending> drop_all() { return std::exchange(endings_, {}); }

private:
    struct Pause {
        unsigned failures = 0;
        Clock::time_point until{};
    };

    /// Of one scope whose pause is over.
    std::vector<Ending> take_paused(Clock::time_point now, Clock::time_point& until);

    template <class Condition> std::vector<Ending> take(Condition condition);
    void extend(Pause& pause) const;
    void put_back(std::vector<Ending> endings);

    std::chrono::milliseconds lease_;
    std::deque<Ending> endings_;
    std::map<std::int64_t, Pause> paused_; ///< scopes
    Pause outage_;
    bool is_turn_of_paused_ = false;
};

} // namespace jobs
