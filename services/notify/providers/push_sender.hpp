#pragma once

#include "core/clock.hpp"
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

/// A scope's credentials; null for a carrier without a credential.
struct PushCredentials {
    Credential::Ptr fcm, apns;

    Credential::Ptr const& of(Carrier carrier) const noexcept { return carrier == Carrier::fcm ? fcm : apns; }
};

/// Sends pushes to FCM and APNs, or to a file (`PushOptions::outbox`). One thread holds all HTTP/2
/// connections: one to four per credential, with as many streams each as the carrier allows. Access tokens
/// are made or fetched once per credential and cached. Thread-safe.
///
/// Pushes that a carrier provably did not process (refused streams, and streams above the last stream id of a
/// GOAWAY) are sent again at once. PushSender does not repeat other failures; the caller may. If a carrier
/// sends a Retry-After for a credential, PushSender waits that long, at most one hour, and sends no push of
/// the credential. Pushes whose deadline is earlier get the verdict `throttled`.
///
/// The state per credential is bounded by `max_clients`. At the limit, a new credential replaces the
/// credential that has been idle longest. The connections of the replaced credential are closed, and its
/// access token and Retry-After are forgotten.
class PushSender {
public:
    /// Called for each finished batch, before its `done` and on the same thread. Must neither block nor
    /// throw.
    using Observer = std::function<void(PushBatch const&)>;

    /// `client` fetches access tokens and may reach the URLs that the operator configured. All arguments
    /// outlive this object.
    PushSender(PushOptions options, http_client::Client& client, core::Clock const& clock,
        observe::Logger& logger, Observer observer = {});

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

    /// Sends to targets of both carriers and waits for all results, in the order of `targets`. The call
    /// blocks, so make it on a worker thread. Throws std::invalid_argument if a target has no credential.
    /// Once `stop` is requested, unsent pushes become `transient` (`STOPPED`), and outstanding responses are
    /// awaited for two seconds.
    std::vector<PushResult> send_all(PushCredentials const& credentials, SharedPush const& push,
        std::span<PushTarget const> targets, std::chrono::milliseconds send_timeout,
        std::stop_token const& stop = {});

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

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace notify
