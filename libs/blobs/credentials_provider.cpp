#include "blobs/credentials_provider.hpp"

#include "core/backoff.hpp"
#include "core/error.hpp"
#include "crypto/random.hpp"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

namespace blobs {

namespace {

using Steady = std::chrono::steady_clock;

/// The refresh interval of credentials without an expiry, because the source may still replace them.
constexpr std::chrono::minutes endless_refresh{60};

} // namespace

core::Time refresh_time(core::Time now, core::Time expires, std::chrono::seconds ahead)
{
    return std::max(expires - ahead, now + (expires - now) / 2);
}

struct CredentialsProvider::Impl {
    Impl(Fetch f, core::Clock const& c, OnFailure e, RefreshOptions o)
        : fetch(std::move(f)), clock(c), on_failure(std::move(e)), options(o)
    {
    }

    void run(std::stop_token const& stop)
    {
        unsigned failures = 0;
        while (!stop.stop_requested()) {
            bool const worked = attempt(stop);
            failures = worked ? 0 : failures + 1;
            if (worked)
                pause_until(stop, due);
            else
                pause(stop,
                    core::backoff(failures - 1, options.retry_min, options.retry_max, crypto::random_u64()));
        }
    }

    bool attempt(std::stop_token const& stop)
    {
        try {
            auto fetched = std::make_shared<AwsCredentials const>(fetch(stop));
            core::Time const now = clock.now();
            if (fetched->expires && *fetched->expires <= now)
                throw std::runtime_error("the credentials had expired when they were issued");
            due = fetched->expires ? refresh_time(now, *fetched->expires, options.ahead)
                                   : now + endless_refresh;
            // A source may return the same credentials until shortly before their expiry. The minimum
            // interval avoids fetching in a tight loop.
            due = std::max<core::Time>(due, now + options.retry_min);
            std::lock_guard const lock(mutex);
            held = std::move(fetched);
        } catch (std::exception const& e) {
            if (on_failure && !stop.stop_requested()) on_failure(e.what());
            return false;
        }
        changed.notify_all();
        return true;
    }

    void pause(std::stop_token const& stop, std::chrono::milliseconds time)
    {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, stop, time, [] { return false; });
    }

    /// Waits until the clock reaches `then`. The clock may be changed during the wait, so it is checked at
    /// intervals.
    void pause_until(std::stop_token const& stop, core::Time then)
    {
        while (!stop.stop_requested() && clock.now() < then)
            pause(stop, options.poll);
    }

    /// The current credentials; null if there are none or if they have expired.
    std::shared_ptr<AwsCredentials const> usable() const
    {
        bool const good = held && (!held->expires || *held->expires > clock.now());
        return good ? held : nullptr;
    }

    Fetch const fetch;
    core::Clock const& clock;
    OnFailure const on_failure;
    RefreshOptions const options;
    core::Time due; ///< time of the next refresh; used only by the thread

    mutable std::mutex mutex;
    std::condition_variable_any changed;
    std::shared_ptr<AwsCredentials const> held;
    std::jthread thread; ///< none for fixed credentials
};

CredentialsProvider::CredentialsProvider(AwsCredentials fixed, core::Clock const& clock)
    : impl_(std::make_unique<Impl>(Fetch(), clock, OnFailure(), RefreshOptions()))
{
    impl_->held = std::make_shared<AwsCredentials const>(std::move(fixed));
}

CredentialsProvider::CredentialsProvider(
    Fetch fetch, core::Clock const& clock, OnFailure on_failure, RefreshOptions options)
    : impl_(std::make_unique<Impl>(std::move(fetch), clock, std::move(on_failure), options))
{
    impl_->thread = std::jthread([impl = impl_.get()](std::stop_token const& stop) { impl->run(stop); });
}

CredentialsProvider::~CredentialsProvider() = default;

std::shared_ptr<AwsCredentials const> CredentialsProvider::current() const
{
    std::lock_guard const lock(impl_->mutex);
    if (auto usable = impl_->usable()) return usable;
    throw core::Error::unavailable("The attachment store has no valid credentials now. Retry later.");
}

std::shared_ptr<AwsCredentials const> CredentialsProvider::wait() const
{
    {
        std::unique_lock lock(impl_->mutex);
        if (impl_->fetch)
            impl_->changed.wait_for(lock, impl_->options.patience, [this] { return impl_->held != nullptr; });
    }
    return current();
}

std::chrono::duration<double> CredentialsProvider::remaining() const
{
    using Seconds = std::chrono::duration<double>;
    std::lock_guard const lock(impl_->mutex);
    auto const usable = impl_->usable();
    if (!usable) return Seconds(0);
    if (!usable->expires) return Seconds(std::numeric_limits<double>::infinity());
    return std::max(Seconds(0), Seconds(*usable->expires - impl_->clock.now()));
}

} // namespace blobs
