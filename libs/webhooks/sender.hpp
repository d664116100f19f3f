#pragma once

#include "core/clock.hpp"
#include "http/async_client.hpp"
#include "jobs/async_worker.hpp"
#include "pg/database.hpp"
#include "webhooks/admission.hpp"
#include "webhooks/attempts.hpp"
#include "webhooks/policy.hpp"

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

namespace webhooks {

/// Delivers what `publish` wrote, following Standard Webhooks (https://www.standardwebhooks.com): what the
/// jobs of `webhooks::queue` do. No thread waits for an endpoint. An attempt takes at most 15 s, or 5 s from
/// when the worker is told to stop: one that is cut off then does not count and is due at once. While the
/// tenant is suspended nothing is sent, and the delivery waits.
///
///     webhooks::Sender sender(db, clock, keyring, client);
///     jobs::AsyncWorker worker(db, clock, webhooks::Sender::options(), sender.handler());
///
/// The worker is stopped before the client and the sender end.
class Sender {
public:
    /// What it tells about itself, from any thread; empty ones are not called.
    struct Hooks {
        std::function<void(unsigned status)> answered;  ///< the status of each answer; 0: there was none
        std::function<void(Admission::Reason)> put_off; ///< a delivery was put off before it was tried
    };

    /// Deliveries at this moment.
    struct Load {
        std::size_t in_flight = 0;
        std::size_t slow = 0;    ///< of them, to endpoints whose last attempt timed out
        std::size_t waiting = 0; ///< in memory, for their host
    };

    /// References outlive the sender. `client`'s AddressPolicy decides where deliveries may go. `patience`:
    /// for an attempt.
    Sender(pg::Database& database, core::Clock const& clock, crypto::Keyring const& keyring,
        http::AsyncClient& client, Hooks hooks = {}, std::chrono::milliseconds patience = attempt_timeout);

    /// For the worker; refers to this.
    jobs::AsyncHandler handler();

    /// How its worker claims.
    static jobs::AsyncWorkerOptions options();

    Load load() const;

private:
    using Steady = std::chrono::steady_clock;

    /// A delivery that was claimed and not ended yet.
    struct Delivery {
        jobs::Claim claim;
        store::Attempt attempt;
        jobs::AsyncWorker& worker;
        std::stop_token stop;
        Steady::time_point begun{};
    };

    using DeliveryPtr = std::shared_ptr<Delivery>;
    /// Of one claim, by what they deliver.
    using Claims = std::map<std::pair<std::int64_t, core::Uuid>, jobs::Claim>;

    struct Loaded {
        std::vector<store::Attempt> attempts;
        std::set<std::int64_t> suspended; ///< tenants
    };

    void begin(std::vector<jobs::Claim>&& claims, jobs::AsyncWorker& worker, std::stop_token const& stop);
    Loaded load(std::vector<jobs::Claim> const& claims) const;
    void begin_one(jobs::Claim claim, store::Attempt attempt, bool suspended, jobs::AsyncWorker& worker,
        std::stop_token const& stop);
    void offer(DeliveryPtr delivery);
    void follow(std::vector<Admission::Verdict> const& verdicts);
    void start(Admission::Id id, DeliveryPtr const& delivery);
    void put_off(DeliveryPtr const& delivery, Admission::Verdict const& verdict);
    void finished(Admission::Id id, DeliveryPtr const& delivery, bool timed_out);
    void answered(Admission::Id id, DeliveryPtr const& delivery, http::OutboundResult result);
    void end_waiting();

    pg::Database& database_;
    core::Clock const& clock_;
    crypto::Keyring const& keyring_;
    http::AsyncClient& client_;
    Hooks const hooks_;
    std::chrono::milliseconds const patience_;

    mutable std::mutex mutex_;
    Admission admission_;
    std::map<Admission::Id, DeliveryPtr> waiting_;
    Admission::Id next_id_ = 1;
};

} // namespace webhooks
