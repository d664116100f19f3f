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

/// Credentials of AWS, and their expiry.
struct AwsCredentials {
    sigv4::Credentials keys;
    std::optional<core::Time> expires; ///< nullopt if the expiry is not known
};

struct RefreshOptions {
    std::chrono::seconds ahead{20 * 60}; ///< refresh this long before the expiry, see `refresh_time`
    std::chrono::milliseconds retry_min{1'000};
    std::chrono::milliseconds retry_max{60'000};
    std::chrono::milliseconds poll{1'000};     ///< interval at which the clock is checked
    std::chrono::milliseconds patience{5'000}; ///< how long `wait` waits for the first credentials
};

/// Provides the credentials with which requests are signed: fixed credentials, or short-lived credentials
/// that this object's thread refreshes before they expire. If a refresh fails, the last credentials stay in
/// use until they expire, and the fetch is retried with backoff. One fetch runs at a time. Thread-safe.
class CredentialsProvider {
public:
    /// Fetches credentials. Throws on failure. Runs on this object's thread and may block for some seconds.
    /// Must return soon after a stop is requested.
    using Fetch = std::function<AwsCredentials(std::stop_token const& stop)>;
    /// Called for each failed fetch, on this object's thread.
    using OnFailure = std::function<void(std::string const& what)>;

    /// Fixed credentials.
    explicit CredentialsProvider(AwsCredentials fixed, core::Clock const& clock);

    /// Starts the first fetch in the background. `clock` must outlive this object.
    CredentialsProvider(
        Fetch fetch, core::Clock const& clock, OnFailure on_failure, RefreshOptions options = {});

    /// Requests a stop of the running fetch and waits for its end.
    ~CredentialsProvider();
    CredentialsProvider(CredentialsProvider const&) = delete;
    CredentialsProvider& operator=(CredentialsProvider const&) = delete;

    /// Credentials that have not expired. Throws core::Error UNAVAILABLE if there are none. Never waits.
    std::shared_ptr<AwsCredentials const> current() const;

    /// As `current`, but waits for the first credentials, for at most `patience`. For worker threads only,
    /// because it blocks.
    std::shared_ptr<AwsCredentials const> wait() const;

    /// The remaining lifetime of the current credentials; 0 if there are none, infinite if they have no known
    /// expiry.
    std::chrono::duration<double> remaining() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The time at which to refresh credentials that were issued at `now` and expire at `expires`. It is `ahead`
/// before the expiry, or half of the lifetime after `now` if that is later.
core::Time refresh_time(core::Time now, core::Time expires, std::chrono::seconds ahead);

} // namespace blobs
