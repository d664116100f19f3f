#pragma once

#include "blobs/sigv4.hpp"
#include "core/clock.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace blobs {

/// Keys of AWS and until when they are good.
struct Issued {
    sigv4::Credentials keys;
    std::optional<core::Time> expires; ///< nullopt: no end is known
};

struct RefreshOptions {
    std::chrono::seconds ahead{
        20 * 60}; ///< begin to refresh so long before the end, or at half of a shorter life
    std::chrono::milliseconds retry_min{1'000};
    std::chrono::milliseconds retry_max{60'000};
    std::chrono::milliseconds look{1'000};     ///< how often the clock is looked at
    std::chrono::milliseconds patience{5'000}; ///< how long `wait` waits for the first ones
};

/// The credentials that requests are signed with: fixed ones, or short-lived ones that a thread of its own
/// refreshes before they end. While that fails the last ones stay in use until their end, and their source is
/// asked again with back-off. One fetch is under way at a time. Safe from any thread.
class Credentials {
public:
    /// Asks the source; throws when it cannot be had. Runs on this object's thread and may block for some
    /// seconds, until `stop` is requested.
    using Fetch = std::function<Issued(std::stop_token const& stop)>;
    /// Told of each failed fetch, on this object's thread.
    using OnFailure = std::function<void(std::string const& what)>;

    /// Those and no others.
    explicit Credentials(Issued fixed, core::Clock const& clock);

    /// Begins to fetch at once, in the background. `clock` outlives this object.
    Credentials(Fetch fetch, core::Clock const& clock, OnFailure on_failure, RefreshOptions options = {});

    /// Ends a fetch under way.
    ~Credentials();
    Credentials(Credentials const&) = delete;
    Credentials& operator=(Credentials const&) = delete;

    /// Credentials that have not ended. Throws core::Error UNAVAILABLE when there are none. Never waits.
    std::shared_ptr<Issued const> current() const;

    /// The same, but waits for the first ones, at most `patience`: for worker threads.
    std::shared_ptr<Issued const> wait() const;

    /// How long the current ones are still good; 0 when there are none, infinite when no end is known.
    std::chrono::duration<double> remaining() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// When credentials that were issued at `now` and end at `expires` are to be refreshed: `ahead` of their end,
/// or at half of what is left of their life when that is shorter.
core::Time refresh_time(core::Time now, core::Time expires, std::chrono::seconds ahead);

} // namespace blobs
