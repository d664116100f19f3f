#pragma once
// Internal to the workers.

#include "core/backoff.hpp"
#include "crypto/random.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace jobs {

/// Tracks a worker's contact with the database. During an outage of the database no worker can renew a lease
/// or write an outcome. So for a grace period after an outage, a worker claims no job whose lease has ended.
/// This gives the worker that ran the job time to write the outcome. Used by one thread.
class Contact {
public:
    using Milliseconds = std::chrono::milliseconds;
    using Clock = std::chrono::steady_clock;

    /// `grace`: unset means a quarter of the lease.
    Contact(Milliseconds lease, std::optional<Milliseconds> grace)
        : lease_(lease), grace_(grace.value_or(lease / 4))
    {
    }

    /// Whether a claim may include jobs whose lease has ended.
    bool may_take_abandoned() const { return Clock::now() >= abandoned_from_ && !was_away(); }

    /// Records an answer of the database. A failed claim does not count as contact.
    void heard()
    {
        auto const now = Clock::now();
        if (was_away()) abandoned_from_ = now + grace_;
        last_ = now;
    }

private:
    /// Leases are renewed every third of a lease, so a lease cannot end while the last contact is at most
    /// half a lease ago.
    bool was_away() const { return !last_ || Clock::now() - *last_ > lease_ / 2; }

    Milliseconds lease_, grace_;
    std::optional<Clock::time_point> last_;
    Clock::time_point abandoned_from_{};
};

/// The pause before the next attempt while the database is down. It is short compared with the grace period.
inline std::chrono::milliseconds outage_pause(unsigned failures, std::chrono::milliseconds lease)
{
    constexpr std::chrono::milliseconds base{100}, longest{3'000};
    return core::backoff(failures, base, std::clamp(lease / 20, base, longest), crypto::random_u64());
}

} // namespace jobs
