#pragma once
// Private to the workers.

#include "core/backoff.hpp"
#include "crypto/random.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace jobs {

/// What a worker knows of its contact with the database. While the database is away no worker can renew a
/// lease or write an outcome. So for a grace period after an outage a worker claims no job whose lease ended
/// during it: the worker that ran the job writes its outcome first. Used by one thread.
class Contact {
public:
    using Milliseconds = std::chrono::milliseconds;
    using Clock = std::chrono::steady_clock;

    /// `grace`: unset, a quarter of the lease.
    Contact(Milliseconds lease, std::optional<Milliseconds> grace)
        : lease_(lease), grace_(grace.value_or(lease / 4))
    {
    }

    /// Whether to claim jobs whose lease has ended, too.
    bool may_take_abandoned() const { return Clock::now() >= abandoned_from_ && !was_away(); }

    /// The database answered. A failed claim does not count as contact.
    void heard()
    {
        auto const now = Clock::now();
        if (was_away()) abandoned_from_ = now + grace_;
        last_ = now;
    }

private:
    /// Half of a lease is less than a renewed lease has left.
    bool was_away() const { return !last_ || Clock::now() - *last_ > lease_ / 2; }

    Milliseconds lease_, grace_;
    std::optional<Clock::time_point> last_;
    Clock::time_point abandoned_from_{};
};

/// The pause before the next attempt while the database is away: short beside the grace period.
inline std::chrono::milliseconds outage_pause(unsigned failures, std::chrono::milliseconds lease)
{
    constexpr std::chrono::milliseconds base{100}, longest{3'000};
    return core::backoff(failures, base, std::clamp(lease / 20, base, longest), crypto::random_u64());
}

} // namespace jobs
