#pragma once

#include "core/clock.hpp"
#include "core/config.hpp"
#include "domain/answer.hpp"
#include "domain/push_payload.hpp"
#include "providers/credential.hpp"

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
    std::string fcm_base_url; ///< FCM_BASE_URL: `https://fcm.googleapis.com`
    std::string
        fcm_token_url; ///< FCM_TOKEN_URL: `https://oauth2.googleapis.com/token`; also the assertion's `aud`
    std::string apns_base_url;    ///< APNS_BASE_URL; empty: Apple's host of the credential's environment
    std::string ca_file;          ///< OUTBOUND_CA_FILE, which the caller fills in; empty: the system's roots
    unsigned max_connections = 4; ///< of a credential
    std::size_t max_channels = 1'000; ///< credentials that have connections, tokens and queues at once
    std::size_t max_queued = 100'000; ///< devices that batches of all credentials may wait for at once
    std::chrono::milliseconds answer_timeout{10'000}; ///< from when a push is sent to its answer

    /// Faults are recorded in `config`. An `http` address means HTTP/2 in cleartext with prior knowledge.
    static PushOptions read(core::Config& config);
};

/// One device.
struct PushTarget {
    std::int64_t device_id = 0;
    PlatformKind kind = PlatformKind::fcm;
    std::string token;
};

/// What became of a push to one device. `unknown` does not occur: a push whose fate is not known (the
/// connection was lost, or no answer came in time) is `transient`, because it is sent again under the same
/// apns-id, collapse id and tag, and a device shows it once.
struct PushAnswer : Answer {
    /// With `gone`, if the carrier said so: since when. A device that was registered later is not to be
    /// removed.
    std::optional<core::Time> gone_since;
    bool handed_out = false; ///< to a connection: the carrier may have been asked

    /// Whether it says that a device is gone which was registered at `registered_at` for the last time.
    bool is_gone(core::Time registered_at) const noexcept
    {
        return verdict == Verdict::gone && !(gone_since && *gone_since < registered_at);
    }
};

/// Reasons that are ours and no carrier's.
namespace push_reasons {
inline constexpr std::string_view connect = "CONNECT_FAILED"; ///< nobody answers, or not in HTTP/2
inline constexpr std::string_view lost = "CONNECTION_LOST";   ///< broke while the push was under way
inline constexpr std::string_view timeout = "TIMEOUT";        ///< no answer in time
inline constexpr std::string_view not_sent =
    "NOT_SENT_IN_TIME"; ///< the batch's deadline passed before its turn
inline constexpr std::string_view too_large = "PAYLOAD_TOO_LARGE"; ///< our own check of `max_push_bytes`
inline constexpr std::string_view stopped = "STOPPED"; ///< stop was requested, or we are going away
inline constexpr std::string_view busy =
    "BUSY"; ///< `max_queued` is reached, or `max_channels` with pushes under way in each
inline constexpr std::string_view nonsense = "UNEXPECTED_ANSWER"; ///< not the carrier's language
} // namespace push_reasons

using SharedPush = std::shared_ptr<RenderedPush const>;

/// A push to devices of one credential's kind, handed over as a whole.
struct PushBatch {
    Credential::Ptr credential;
    SharedPush push;
    std::vector<PushTarget> targets;
    /// Pushes of this batch that were not sent until then are `transient`; those that were get their time to
    /// be answered.
    std::chrono::steady_clock::time_point deadline;
    /// A bulk batch goes after all others of its credential, and leaves some streams free for them.
    bool bulk = false;
    bool keep_provider_ids = true; ///< whether accepted answers say the carrier's name for the message
    std::stop_token stop;          ///< once requested, as `send_all` says

    std::vector<PushAnswer> answers; ///< filled in; in the order of `targets`

    /// Called once every target has its answer, on the thread of Push, or within `send` when the batch cannot
    /// be taken. Must neither block nor throw.
    std::function<void(std::unique_ptr<PushBatch>)> done;
};

/// A scope's credentials; null where it has none.
struct PushCredentials {
    Credential::Ptr fcm, apns;

    Credential::Ptr const& of(PlatformKind kind) const noexcept
    {
        return kind == PlatformKind::fcm ? fcm : apns;
    }
};

/// Carries pushes to FCM and APNs. One thread of its own holds all HTTP/2 connections: one to four a
/// credential, as many streams on each as the carrier allows. Tokens that the carriers want are made or
/// fetched once per credential and kept. Safe from any thread.
///
/// What a carrier provably did not process (refused streams, those above the last one of a GOAWAY) is sent
/// again at once; everything else that failed is the caller's to repeat. A Retry-After of a carrier holds all
/// pushes of that credential back; those whose deadline comes first are `throttled`.
///
/// What is kept for credentials has a bound: with `max_channels` in use a new one takes the place of the one
/// that has been idle longest, whose connections are closed; its token, and a Retry-After, are learnt anew
/// when it comes back.
class Push {
public:
    /// Told of each batch that is done, whatever became of it, before its `done` is called and in the same
    /// place: neither blocks nor throws.
    using Answered = std::function<void(PushBatch const&)>;

    /// `client`, to addresses the operator configured, fetches access tokens. All outlive this object.
    Push(PushOptions options, http::Client& client, core::Clock const& clock, observe::Logger& logger,
        Answered answered = {});

    /// What is under way is answered `transient` (`STOPPED`).
    ~Push();
    Push(Push const&) = delete;
    Push& operator=(Push const&) = delete;

    /// Takes a batch and returns at once. Throws std::invalid_argument when a target is of another kind than
    /// the credential.
    ///
    /// Back-pressure: a batch that does not fit into `max_queued`, or finds no channel idle whose place it
    /// could take, is done at once, all `transient` (`BUSY`).
    /// A caller with much to send keeps a few batches under way and sends the next one when one is done.
    void send(std::unique_ptr<PushBatch> batch);

    /// Sends to targets of either kind and waits for all answers, in the order of `targets`: for worker
    /// threads. Throws std::invalid_argument when a target's credential is not there. Once `stop` is
    /// requested what was not sent is `transient` (`STOPPED`), and answers are awaited for two seconds.
    std::vector<PushAnswer> send_all(PushCredentials const& credentials, SharedPush const& push,
        std::span<PushTarget const> targets, std::chrono::milliseconds patience,
        std::stop_token const& stop = {});

    /// The same for one device; resumes on the caller's executor.
    asio::awaitable<PushAnswer> send_one(
        Credential::Ptr credential, SharedPush push, PushTarget target, std::chrono::milliseconds patience);

    struct Stats {
        std::size_t queued = 0;      ///< devices that wait for their answer, those under way included
        std::size_t connections = 0; ///< open ones
    };

    Stats stats() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace notify
