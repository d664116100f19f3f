#pragma once

#include "core/clock.hpp"
#include "domain/credential.hpp"
#include "domain/push_payload.hpp"
#include "domain/send_result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

struct WebSubscription; // domain/web_subscription.hpp

/// One device to push to.
struct PushTarget {
    std::int64_t device_id = 0;
    Carrier carrier = Carrier::fcm;
    std::string token;
    /// For Web Push: the subscription; null if it cannot be decrypted.
    std::shared_ptr<WebSubscription const> web{};
};

/// The result of a push to one device. `unknown` does not occur: if the connection was lost or no response
/// came in time, the verdict is `transient`. A repeated push has the same apns-id, collapse id and tag, so a
/// device shows the push once.
struct PushResult : SendResult {
    /// When the token became invalid, if the carrier stated this time; set only for `gone`. A device that was
    /// registered after this time must not be removed.
    std::optional<core::Time> gone_since;
    bool handed_out = false; ///< a connection took the push, so the carrier may have received it
    bool probe = false;      ///< the push was sent to find out whether the carrier works again

    /// Whether the result counts as an attempt. It does not if the push was not handed out, if it was a probe
    /// that failed, if the carrier throttles, or if this process stopped waiting for the response.
    bool counts() const noexcept;

    /// Whether this process is the reason of the result: it is stopping, its queue is full, or it had no
    /// time.
    bool is_ours() const noexcept;

    /// Whether the push keeps its place, because it was not sent and the result does not count.
    bool untried() const noexcept
    {
        return (verdict == Verdict::transient || verdict == Verdict::throttled) && !counts();
    }

    /// Whether the result is "gone" for a device that was last registered at `registered_at`.
    bool is_gone(core::Time registered_at) const noexcept
    {
        return verdict == Verdict::gone && !(gone_since && *gone_since < registered_at);
    }
};

inline PushResult push_result(
    Verdict verdict, std::string reason = {}, std::optional<std::chrono::seconds> retry_after = {})
{
    PushResult result;
    result.verdict = verdict;
    result.reason = std::move(reason);
    result.retry_after = retry_after;
    return result;
}

/// Reasons that this service sets itself.
namespace push_reasons {
/// The carrier's URL is invalid.
inline constexpr std::string_view connect = "CONNECT_FAILED";
/// The carrier does not connect, does not respond, or responds to everything with an error of the server.
inline constexpr std::string_view down = "CARRIER_DOWN";
/// The carrier throttles the credential, the project or the device.
inline constexpr std::string_view throttled = "CARRIER_THROTTLED";
/// The connection broke while the push was in flight.
inline constexpr std::string_view lost = "CONNECTION_LOST";
/// The carrier did not respond within `PushOptions::response_timeout`.
inline constexpr std::string_view timeout = "TIMEOUT";
/// The batch's deadline passed before the push was sent.
inline constexpr std::string_view not_sent = "NOT_SENT_IN_TIME";
/// The push exceeds `max_push_bytes`; checked before sending.
inline constexpr std::string_view too_large = "PAYLOAD_TOO_LARGE";
/// Stop was requested, or the PushSender is being destroyed.
inline constexpr std::string_view stopped = "STOPPED";
/// `max_queued` would be exceeded, or `max_clients` clients are in use.
inline constexpr std::string_view busy = "BUSY";
/// The device was removed after the push was queued (`PushSender::drop_devices`).
inline constexpr std::string_view removed = "DEVICE_REMOVED";
/// The file of PUSH_OUTBOX cannot be written.
inline constexpr std::string_view outbox = "OUTBOX";
/// The subscription of a web device cannot be decrypted.
inline constexpr std::string_view no_subscription = "SUBSCRIPTION_UNREADABLE";
/// The scope no longer has the key that a web device registered under.
inline constexpr std::string_view no_key = "VAPID_KEY_MISSING";
/// WEB_PUSH_HOSTS no longer has the host of a subscription's endpoint.
inline constexpr std::string_view host = "HOST_NOT_ALLOWED";
/// The host of a subscription's endpoint has only addresses that are not allowed (OUTBOUND_ALLOW_PRIVATE).
inline constexpr std::string_view address = "ADDRESS_NOT_ALLOWED";
/// The response does not follow the carrier's protocol.
inline constexpr std::string_view unexpected = "UNEXPECTED_ANSWER";
} // namespace push_reasons

inline bool PushResult::is_ours() const noexcept
{
    return reason == push_reasons::stopped || reason == push_reasons::busy ||
           reason == push_reasons::not_sent;
}

inline bool PushResult::counts() const noexcept
{
    return handed_out && !probe && verdict != Verdict::throttled && reason != push_reasons::stopped;
}

using SharedPush = std::shared_ptr<RenderedPush const>;

/// One push to many devices of one credential, queued as a unit.
struct PushBatch {
    Credential::Ptr credential;
    /// When the credential was stored. A refusal of the credential does not apply to a credential that was
    /// stored later, even if it is equal.
    core::Time stored_at{};
    SharedPush push;
    std::vector<PushTarget> targets;
    /// Pushes that are not sent before this time get the verdict `transient`. For pushes that were sent
    /// before this time, the response is still awaited.
    std::chrono::steady_clock::time_point deadline;
    /// Bulk batches are sent after all other batches of the credential. They leave some HTTP/2 streams free
    /// for the other batches.
    bool bulk = false;
    bool keep_provider_ids = true; ///< whether accepted results contain the carrier's message id
    std::stop_token stop;          ///< after a stop request, unsent pushes end with STOPPED

    std::vector<PushResult> results; ///< set by PushSender, in the order of `targets`

    /// Called when every target has a result. Runs on PushSender's thread, or within `send` if the batch is
    /// refused. Must neither block nor throw.
    std::function<void(std::unique_ptr<PushBatch>)> done;

    /// Gives every target the same result.
    void set_all(PushResult const& result) { results.assign(targets.size(), result); }
};

} // namespace notify
