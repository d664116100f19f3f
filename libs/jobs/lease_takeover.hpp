#pragma once
// Internal to the workers.

#include "core/backoff.hpp"
#include "crypto/random.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace jobs {

/// Tracks when a worker last reached the database. During an outage of the database no worker can renew a
/// lease or write an outcome. So for a delay after an outage, a worker claims no job whose lease has
/// ended. This gives the worker that ran the job time to write the outcome. Not thread-safe.
class LeaseTakeover {
public:
    using Milliseconds = std::chrono::milliseconds;
    using Clock = std::chrono::steady_clock;

    /// If `takeover_delay` is unset, the takeover delay is a quarter of the lease.
    LeaseTakeover(Milliseconds lease, std::optional<Milliseconds> takeover_delay)
        : lease_(lease), delay_(takeover_delay.value_or(lease / 4))
    {
    }

    /// Whether a claim may include jobs whose lease has ended.
    bool may_claim_expired() const { return Clock::now() >= expired_from_ && !was_out_of_contact(); }

    /// Records an answer of the database. A failed claim does not count as contact.
    void database_answered()
    {
        auto const now = Clock::now();
        if (was_out_of_contact()) expired_from_ = now + delay_;
        last_ = now;
    }

private:
    /// A worker renews its leases every third of a lease. So a contact at most half a lease ago shows that no
    /// lease has ended because of an outage.
    bool was_out_of_contact() const { return !last_ || Clock::now() - *last_ > lease_ / 2; }

    Milliseconds lease_, delay_;
    std::optional<Clock::time_point> last_;
    Clock::time_point expired_from_{};
};

/// Returns the pause before the next attempt while the database is down: about 0.1 s at first, then up to a
/// twentieth of a lease, but at most 3 s. So it is short compared with the takeover delay.
inline std::chrono::milliseconds outage_pause(unsigned failures, std::chrono::milliseconds lease)
{
    constexpr std::chrono::milliseconds base{100}, longest{3'000};
    return core::backoff(failures, base, std::clamp(lease / 20, base, longest), crypto::random_u64());
}

} // namespace jobs
