#pragma once

#include "core/clock.hpp"
#include "domain/notification.hpp"
#include "domain/send_result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace notify {

namespace failures {
/// The recipient opted out.
inline constexpr std::string_view suppressed = "SUPPRESSED";
inline constexpr std::string_view attachment_missing = "ATTACHMENT_MISSING";
/// The scope has no credential for the device's carrier.
inline constexpr std::string_view carrier_missing = "PLATFORM_NOT_CONFIGURED";
/// The device no longer belongs to the user.
inline constexpr std::string_view device_removed = "DEVICE_REMOVED";
/// The tenant has sent all text messages that it may send on this day (limit `smsPerDay`).
inline constexpr std::string_view sms_daily_limit = "SMS_DAILY_LIMIT";
/// The shared sender of text messages had no place for the message within `longest_sms_wait`.
inline constexpr std::string_view sms_sender_limit = "SMS_SENDER_LIMIT";
/// The request for a text message got no response, or its response was not stored. The message may have been
/// sent, so it is not sent again.
inline constexpr std::string_view no_answer = "NO_ANSWER";
/// An error of the service; the service's log has the details.
inline constexpr std::string_view internal = "INTERNAL";
/// The notification was delivered, was opened or failed before the push was sent to this device.
inline constexpr std::string_view overtaken = "ALREADY_DELIVERED";
} // namespace failures

/// Maximum number of retries of a notification, after the first attempt.
inline constexpr std::int64_t max_retries = 8;
/// Retries are made within this time after the first attempt was due.
inline constexpr std::chrono::hours retry_window{1};

/// How long after it was due a text message may wait for the limits of the shared sender. Without a bound, a
/// tenant could queue more messages than the sender can ever send.
inline constexpr std::chrono::hours longest_sms_wait{24};

/// How long a text message that a limit of the shared sender has refused waits for its next attempt.
/// `waited`: the time since it was due. `retry_after`: the time until the limit allows a message.
///
/// The message waits at least for `retry_after`, and at least as long as it has waited before. So the
/// attempts of a tenant's queued messages become rare, however many they are: about nine in the first hour
/// of a message, and four in each later hour. The result is 1 second to 15 minutes. It is bounded, because an
/// operator may raise the limit.
std::chrono::milliseconds sms_limit_pause(
    std::chrono::milliseconds waited, std::chrono::milliseconds retry_after) noexcept;

/// The state of a notification after a failed attempt.
struct FailedAttempt {
    std::int64_t attempts = 1; ///< made so far, including this attempt
    core::Time due;            ///< when the first attempt was due (`Notification::due_at`)
    core::Time began;          ///< when this attempt began
    core::Time now;
    std::optional<std::chrono::seconds> retry_after; ///< as the provider requested
};

/// The time of the next attempt. Returns nullopt if the notification gets no further attempt. The n-th retry
/// waits a random time from 50 to 100 % of 12 s * 2^(n-1). So all eight retries lie within `retry_window`. A
/// retry is not made before `retry_after` has passed, and not after the end of the window. If the window had
/// ended before the attempt began, because the service was down, the window is counted from the start of the
/// attempt. `entropy` is any random number.
std::optional<core::Time> next_attempt(FailedAttempt const& failed, std::uint64_t entropy) noexcept;

/// The step after an attempt to send an email or a text message.
enum class NextStep : std::uint8_t { sent, retry, failed };

/// The step after `verdict` about an email or a text message. `may_retry` says whether `next_attempt`
/// returned a time. A message that may have been sent is not repeated. The credentials of these channels
/// belong to the operator, who can correct them, so a refused credential is retried like a transient error.
NextStep next_step(Verdict verdict, bool may_retry) noexcept;

/// The status of a push at one device after an attempt. `may_wait` says whether there is time left to wait
/// for a new credential.
DeliveryStatus delivery_status_after(Verdict verdict, bool may_retry, bool may_wait) noexcept;

/// How long a carrier is paused for a scope after it refused the scope's credential. A new credential ends
/// the pause.
inline constexpr std::chrono::hours carrier_pause{1};

/// The time until which a push waits for a paused carrier. After this time, the push fails. `due` is the
/// time when the push's first attempt was due.
constexpr core::Time carrier_wait_end(core::Time due) noexcept
{
    return due + carrier_pause;
}

} // namespace notify
