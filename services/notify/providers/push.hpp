#pragma once

#include "core/clock.hpp"
#include "core/config.hpp"
#include "domain/answer.hpp"
#include "domain/credential.hpp"
#include "domain/push_payload.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace http {
class Client;
}

namespace observe {
class Logger;
}

namespace notify {

namespace asio = boost::asio;

struct PushOptions {
    std::string outbox;       ///< PUSH_OUTBOX: the file to write pushes to; if empty, pushes are sent
    std::string fcm_base_url; ///< FCM_BASE_URL, such as `https://fcm.googleapis.com`
    /// FCM_TOKEN_URL, such as `https://oauth2.googleapis.com/token`; also the `aud` of the assertion.
    std::string fcm_token_url;
    std::string apns_base_url;        ///< APNS_BASE_URL; if empty, Apple's host for the environment
    std::string ca_file;              ///< OUTBOUND_CA_FILE, set by the caller; if empty, the system's roots
    unsigned max_connections = 4;     ///< maximum per credential
    std::size_t max_channels = 1'000; ///< maximum of credentials with connections, tokens and queues
    std::size_t max_queued = 100'000; ///< maximum of devices in the queues of all credentials together
    std::chrono::milliseconds answer_timeout{10'000}; ///< from sending a push to its answer

    /// Reads the variables. Errors are collected in `config`. An `http` URL means cleartext HTTP/2 with prior
    /// knowledge.
    static PushOptions read(core::Config& config);
};

/// One device to push to.
struct PushTarget {
    std::int64_t device_id = 0;
    PlatformKind kind = PlatformKind::fcm;
    std::string token;
};

/// The result of a push to one device. `unknown` does not occur: if the connection was lost or no answer came
/// in time, the verdict is `transient`. A repeated push has the same apns-id, collapse id and tag, so a
/// device shows the push once.
struct PushAnswer : Answer {
    /// When the token became invalid, if the carrier stated this time; set only for `gone`. A device that was
    /// registered after this time must not be removed.
    std::optional<core::Time> gone_since;
    bool handed_out = false; ///< a connection took the push, so the carrier may have received it

    /// Whether the answer says "gone" for a device that was last registered at `registered_at`.
    bool is_gone(core::Time registered_at) const noexcept
    {
        return verdict == Verdict::gone && !(gone_since && *gone_since < registered_at);
    }
};

/// Reasons that this service sets itself.
namespace push_reasons {
/// No connection to the carrier could be made, or the server does not support HTTP/2.
inline constexpr std::string_view connect = "CONNECT_FAILED";
/// The connection broke while the push was in flight.
inline constexpr std::string_view lost = "CONNECTION_LOST";
/// The carrier did not answer within `PushOptions::answer_timeout`.
inline constexpr std::string_view timeout = "TIMEOUT";
/// The batch's deadline passed before the push was sent.
inline constexpr std::string_view not_sent = "NOT_SENT_IN_TIME";
/// The push exceeds `max_push_bytes`; checked before sending.
inline constexpr std::string_view too_large = "PAYLOAD_TOO_LARGE";
/// Stop was requested, or Push is being destroyed.
inline constexpr std::string_view stopped = "STOPPED";
/// `max_queued` would be exceeded, or all `max_channels` channels are in use.
inline constexpr std::string_view busy = "BUSY";
/// The file of PUSH_OUTBOX cannot be written.
inline constexpr std::string_view outbox = "OUTBOX";
/// The answer does not follow the carrier's protocol.
inline constexpr std::string_view nonsense = "UNEXPECTED_ANSWER";
} // namespace push_reasons

using SharedPush = std::shared_ptr<RenderedPush const>;

/// One push to many devices of one credential, queued as a unit.
struct PushBatch {
    Credential::Ptr credential;
    SharedPush push;
    std::vector<PushTarget> targets;
    /// Pushes that are not sent before this time get the verdict `transient`. For pushes that were sent
    /// before this time, the answer is still awaited.
    std::chrono::steady_clock::time_point deadline;
    /// Bulk batches are sent after all other batches of the credential. They leave some HTTP/2 streams free
    /// for the other batches.
    bool bulk = false;
    bool keep_provider_ids = true; ///< whether accepted answers contain the carrier's message id
    std::stop_token stop;          ///< a stop request; see `send_all`

    std::vector<PushAnswer> answers; ///< set by Push, in the order of `targets`

    /// Called when every target has an answer. Runs on Push's thread, or within `send` if the batch is
    /// refused. Must neither block nor throw.
    std::function<void(std::unique_ptr<PushBatch>)> done;
};

/// A scope's credentials; null for a carrier without a credential.
struct PushCredentials {
    Credential::Ptr fcm, apns;

    Credential::Ptr const& of(PlatformKind kind) const noexcept
    {
        return kind == PlatformKind::fcm ? fcm : apns;
    }
};

/// Sends pushes to FCM and APNs, or to a file (`PushOptions::outbox`). One thread holds all HTTP/2
/// connections: one to four per credential, with as many streams each as the carrier allows. Access tokens
/// are made or fetched once per credential and cached. Thread-safe.
///
/// Pushes that a carrier provably did not process (refused streams, and streams above the last stream id of a
/// GOAWAY) are sent again at once. Push does not repeat other failures; the caller may. If the carrier sends
/// a Retry-After that applies to a credential, no push of the credential is sent until the Retry-After has
/// passed, but for at most one hour. Pushes whose deadline is earlier get the verdict `throttled`.
///
/// The state per credential is bounded by `max_channels`. At the limit, a new credential replaces the
/// credential that has been idle longest. The connections of the replaced credential are closed, and its
/// access token and Retry-After are forgotten.
class Push {
public:
    /// Called for each finished batch, before its `done` and on the same thread. Must neither block nor
    /// throw.
    using Answered = std::function<void(PushBatch const&)>;

    /// `client` fetches access tokens and may reach the URLs that the operator configured. All arguments
    /// outlive this object.
    Push(PushOptions options, http::Client& client, core::Clock const& clock, observe::Logger& logger,
        Answered answered = {});

    /// Answers all unfinished pushes with `transient` (`STOPPED`).
    ~Push();
    Push(Push const&) = delete;
    Push& operator=(Push const&) = delete;

    /// Queues a batch and returns at once. Throws std::invalid_argument if a target's kind differs from the
    /// credential's.
    ///
    /// Back-pressure: a batch is answered at once with `transient` (`BUSY`) if its devices and the queued
    /// devices together exceed `max_queued` (unless nothing is queued), or if it needs a new channel,
    /// `max_channels` is reached and no channel is idle. A caller with many devices should keep a few batches
    /// in flight, and send the next batch when one is done.
    void send(std::unique_ptr<PushBatch> batch);

    /// Sends to targets of both kinds and waits for all answers, in the order of `targets`. The call blocks,
    /// so make it on a worker thread. Throws std::invalid_argument if a target has no credential. Once `stop`
    /// is requested, unsent pushes become `transient` (`STOPPED`), and outstanding answers are awaited for
    /// two seconds.
    std::vector<PushAnswer> send_all(PushCredentials const& credentials, SharedPush const& push,
        std::span<PushTarget const> targets, std::chrono::milliseconds patience,
        std::stop_token const& stop = {});

    /// Sends to one device. Resumes on the caller's executor.
    asio::awaitable<PushAnswer> send_one(
        Credential::Ptr credential, SharedPush push, PushTarget target, std::chrono::milliseconds patience);

    struct Stats {
        std::size_t queued = 0;      ///< devices without an answer, queued or in flight
        std::size_t connections = 0; ///< open connections
    };

    Stats stats() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace notify
