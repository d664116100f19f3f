#pragma once

#include "core/clock.hpp"
#include "providers/breakers.hpp"
#include "providers/push_batch.hpp"
#include "providers/push_options.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace http_client {
class Client;
}

namespace observe {
class Logger;
}

namespace notify {

namespace asio = boost::asio;

class PushQuota; // providers/push_quota.hpp

/// Whether a carrier takes the pushes of a credential.
struct CarrierStatus {
    enum class State : std::uint8_t { ok, throttled, down };

    State state = State::ok;
    std::optional<core::Time> since{}; ///< nullopt for `ok`
    std::chrono::milliseconds wait{0}; ///< until pushes may be sent; 0 if a push may be sent now
};

constexpr auto enum_names(CarrierStatus::State)
{
    return std::to_array<std::string_view>({"ok", "throttled", "down"});
}

/// Functions that PushSender calls on its thread. They must neither block nor throw. Empty functions are not
/// called.
struct PushObservers {
    std::function<void(PushBatch const&)> finished{}; ///< for each finished batch, before its `done`
    Breakers::Observer breaker{};                     ///< when a breaker opens or closes
};

/// Sends pushes to FCM and APNs, or to a file (`PushOptions::outbox`). One thread holds all HTTP/2
/// connections: as many per credential as its backlog needs, with as many streams each as the carrier allows.
/// Access tokens are made or fetched once per credential and cached. Thread-safe.
///
/// Pushes that a carrier provably did not process (refused streams, and streams above the last stream id of a
/// GOAWAY) are sent again at once. PushSender does not repeat other failures; the caller may.
///
/// A push that was not handed to a carrier is finished at once, untried (`PushResult::handed_out`), in these
/// cases; `retry_after` then says when to send it again:
/// - The breaker of the carrier's origin is open (`CarrierBreaker`), which belongs to all tenants, or the
///   breaker of the credential; for Web Push, of the scope at this origin.
/// - The carrier has throttled the credential, for its Retry-After, else for 60 s, at most one hour. After a
///   429 response of FCM, this applies to all keys of the tenant for this project, in all replicas.
/// - APNs has throttled the device, for its Retry-After, else for a second, at most one hour.
/// - The carrier, or its authorization server, has refused the credential.
///
/// Pushes to FCM are paced to the quota of their project (`PushQuota`).
///
/// The state per credential is bounded by `max_clients`. At the limit, a new credential replaces the
/// credential that has been idle longest. The connections of the replaced credential are closed. Its access
/// token, its Retry-After, and the devices that APNs throttles are forgotten.
class PushSender {
public:
    /// `client` fetches access tokens and may reach the URLs that the operator configured. If `quota` is
    /// null, the pushes are not paced. All arguments outlive this object.
    PushSender(PushOptions options, http_client::Client& client, PushQuota* quota, core::Clock const& clock,
        observe::Logger& logger, PushObservers observers = {});

    /// Finishes all pushes with the result `transient` (`STOPPED`).
    ~PushSender();
    PushSender(PushSender const&) = delete;
    PushSender& operator=(PushSender const&) = delete;

    /// Queues a batch and returns at once. Throws std::invalid_argument if a target's carrier differs from
    /// the credential's.
    ///
    /// Back-pressure: a batch is finished at once with `transient` (`BUSY`) in two cases:
    /// - The batch's devices and the queued devices together exceed `max_queued`, and the queue is not empty.
    /// - The batch needs a new client, `max_clients` is reached, and no client is idle.
    ///
    /// A caller with many devices should keep a few batches in flight, and send the next batch when a batch
    /// is done.
    void send(std::unique_ptr<PushBatch> batch);

    /// Sends to one device. Resumes on the caller's executor.
    asio::awaitable<PushResult> send_one(Credential::Ptr credential, SharedPush push, PushTarget target,
        std::chrono::milliseconds send_timeout);

    /// Sends no more pushes to these devices. Queued pushes to them, and pushes that are queued within the
    /// next two minutes, are finished with `refused` (`DEVICE_REMOVED`). Pushes that a connection has taken
    /// are not affected. Returns at once.
    void drop_devices(std::vector<std::int64_t> device_ids);

    struct Stats {
        std::size_t queued = 0;      ///< devices without a result, queued or in flight
        std::size_t connections = 0; ///< open connections
    };

    Stats stats() const noexcept;

    /// The shortest time that the carrier has taken to respond lately (LatencyFloor); 0 if it is unknown.
    std::chrono::microseconds least_latency(Carrier carrier) const noexcept;

    /// The open breakers of this process.
    std::vector<Breakers::Open> open_breakers() const;

    /// Whether the carrier takes the pushes of this credential now, as this process knows. `scope_id`: for
    /// Web Push, the scope that sends.
    CarrierStatus status_of(Credential const& credential, core::ScopeId scope_id = core::no_scope) const;

    /// As `status_of`, and whether FCM has throttled the tenant's project in any replica (`PushQuota`). Must
    /// be called on a thread with a connection to Redis.
    asio::awaitable<CarrierStatus> find_status(core::ScopeId scope_id, Credential::Ptr credential) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace notify
