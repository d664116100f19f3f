#pragma once

#include "core/clock.hpp"
#include "domain/answer.hpp"
#include "domain/notification.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace notify {

namespace failures {
inline constexpr std::string_view suppressed = "SUPPRESSED"; ///< the recipient wants none of them
inline constexpr std::string_view attachment_missing = "ATTACHMENT_MISSING";
inline constexpr std::string_view platform_missing = "PLATFORM_NOT_CONFIGURED"; ///< the device's
inline constexpr std::string_view device_removed = "DEVICE_REMOVED"; ///< it is not the user's any more
inline constexpr std::string_view internal = "INTERNAL";             ///< ours, and in the log
inline constexpr std::string_view overtaken = "ALREADY_DELIVERED";   ///< at another device, or withdrawn
} // namespace failures

/// After its first attempt a notification is tried again this often.
inline constexpr std::int64_t max_retries = 8;
/// And this long, from when its first attempt was due.
inline constexpr std::chrono::hours retry_window{1};

/// How an attempt that did not succeed stands.
struct Failed {
    std::int64_t attempts = 1; ///< made so far, this one included
    core::Time due;            ///< when the first one was due (`Notification::due_at`)
    core::Time began;          ///< when this one began
    core::Time now;
    std::optional<std::chrono::seconds> retry_after; ///< what the provider asked for
};

/// When the next attempt is made; nullopt: there is none. The n-th retry waits 12 s * 2^(n-1), the half of
/// which is jitter, so that all eight lie within the hour, and not less than the provider asked for. One that
/// could only be made after the hour is not made; where the hour had passed before an attempt began (the
/// service was away), it counts from that attempt. `entropy` is any random number.
std::optional<core::Time> next_attempt(Failed const& failed, std::uint64_t entropy) noexcept;

/// What follows from an answer about an email or a text message.
enum class Next : std::uint8_t { sent, again, failed };

/// `may_retry`: whether `next_attempt` has a time for it. What may have gone out is not sent again. A refused
/// credential is the operator's here, and as passing as any other trouble.
Next next_of(Verdict verdict, bool may_retry) noexcept;

/// What follows from an answer about a push to one device. `may_wait`: whether there is time left to wait for
/// another credential.
DeliveryStatus delivery_after(Verdict verdict, bool may_retry, bool may_wait) noexcept;

/// A platform whose credential was refused is paused this long, or until it gets another one.
inline constexpr std::chrono::hours platform_pause{1};

/// Until when a push waits for a platform that is paused; it fails there then. `due` as above.
constexpr core::Time patience_end(core::Time due) noexcept
{
    return due + platform_pause;
}

} // namespace notify
