#pragma once

#include "core/clock.hpp"
#include "http_client/async_client.hpp"
#include "jobs/async_worker.hpp"
#include "outbound_webhooks/admission.hpp"
#include "outbound_webhooks/attempt_rows.hpp"
#include "outbound_webhooks/policy.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <vector>

namespace crypto {
class Keyring;
}

namespace pg {
class Database;
}

namespace outbound_webhooks {

/// Sends the deliveries that `publish` has written, according to Standard Webhooks
/// (https://www.standardwebhooks.com). It handles the jobs of `outbound_webhooks::queue`. No thread waits for
/// an endpoint. An attempt takes at most 15 s. When the worker is stopped, an attempt may continue for 5 s.
/// An attempt that has not ended by then is aborted and does not count, and its delivery is due at once.
/// While a tenant is suspended, its deliveries wait and are not sent.
///
///     outbound_webhooks::Sender sender(db, clock, keyring, client);
///     jobs::AsyncWorker worker(db, clock, outbound_webhooks::Sender::options(), sender.handler());
///
/// Stop the worker before the client and the sender are destroyed.
class Sender {
public:
    /// Callbacks, which run on any thread. Empty functions are not called.
    struct Hooks {
        std::function<void(unsigned status)> answered;  ///< an attempt ended; 0 means no response
        std::function<void(Admission::Reason)> put_off; ///< a delivery was put off without an attempt
    };

    /// The current number of deliveries.
    struct Load {
        std::size_t in_flight = 0;
        std::size_t slow = 0;    ///< deliveries in flight to endpoints whose last attempt timed out
        std::size_t waiting = 0; ///< waiting in memory until their host has capacity
    };

    /// The references must outlive the sender. The AddressPolicy of `client` decides which addresses are
    /// allowed. `timeout` is the time limit of an attempt.
    Sender(pg::Database& database, core::Clock const& clock, crypto::Keyring const& keyring,
        http_client::AsyncClient& client, Hooks hooks = {},
        std::chrono::milliseconds timeout = attempt_timeout);

    /// Returns the handler for the worker. The handler refers to this object, which must outlive the worker.
    jobs::AsyncHandler handler();

    /// Returns the options of the worker.
    static jobs::AsyncWorkerOptions options();

    Load load() const;

private:
    using Steady = std::chrono::steady_clock;

    /// A delivery that was claimed and has not ended.
    struct Delivery {
        jobs::Claim claim;
        store::Attempt attempt;
        jobs::AsyncWorker& worker;
        std::stop_token stop;
        Steady::time_point begun{};
    };

    using DeliveryPtr = std::shared_ptr<Delivery>;
    /// The claims of one batch, by scope and delivery.
    using Claims = std::map<std::pair<core::ScopeId, core::Uuid>, jobs::Claim>;

    struct Loaded {
        std::vector<store::Attempt> attempts;
        std::set<core::TenantId> suspended; ///< ids of tenants
    };

    void begin(std::vector<jobs::Claim>&& claims, jobs::AsyncWorker& worker, std::stop_token const& stop);
    Loaded load(std::vector<jobs::Claim> const& claims) const;
    void begin_one(jobs::Claim claim, store::Attempt attempt, bool suspended, jobs::AsyncWorker& worker,
        std::stop_token const& stop);
    void offer(DeliveryPtr delivery);
    void apply(std::vector<Admission::Verdict> const& verdicts);
    void start(Admission::Id id, DeliveryPtr const& delivery);
    void put_off(DeliveryPtr const& delivery, Admission::Verdict const& verdict);
    void finished(Admission::Id id, DeliveryPtr const& delivery, bool timed_out);
    void answered(Admission::Id id, DeliveryPtr const& delivery, http_client::Result result);
    void end_waiting();

    pg::Database& database_;
    core::Clock const& clock_;
    crypto::Keyring const& keyring_;
    http_client::AsyncClient& client_;
    Hooks const hooks_;
    std::chrono::milliseconds const timeout_;

    mutable std::mutex mutex_;
    Admission admission_;
    std::map<Admission::Id, DeliveryPtr> waiting_;
    Admission::Id next_id_ = 1;
};

} // namespace outbound_webhooks
