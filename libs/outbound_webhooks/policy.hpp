#pragma once

#include "core/clock.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outbound_webhooks {

/// How long a delivery is retried.
inline constexpr std::chrono::hours retry_window{72};
/// How long deliveries are kept.
inline constexpr std::chrono::hours retention{30 * 24};
/// How long deliveries are signed with a replaced secret in addition to the new one.
inline constexpr std::chrono::hours rotation_overlap{24};
/// Maximum duration of an attempt.
inline constexpr std::chrono::seconds attempt_timeout{15};
/// How long an attempt may continue after its process was told to stop. An attempt that takes longer is
/// aborted, and another process repeats it.
inline constexpr std::chrono::seconds stop_grace{5};
/// The precision with which the time of an endpoint's last accepted delivery is recorded.
inline constexpr std::chrono::hours acceptance_precision{1};
/// Interval between checks whether the tenant of a waiting delivery is still suspended.
inline constexpr std::chrono::minutes suspended_pause{5};

/// The response of an endpoint.
struct Answer {
    unsigned status = 0; ///< 0 if there was no response
    std::optional<std::chrono::seconds> retry_after;
};

enum class AttemptOutcome { delivered, retry, failed };

/// Whether a failed delivery disables its endpoint.
enum class Disable {
    no,
    unless_accepting, ///< disables it if it has accepted no delivery during the retry window
    now,
};

struct Decision {
    AttemptOutcome outcome = AttemptOutcome::retry;
    core::Time next_attempt_at;      ///< set only for `retry`
    Disable disable = Disable::no;   ///< set only for `failed`
    std::string_view disable_reason; ///< set unless `disable` is `no`
};

/// Decides what follows from an attempt. After a 2xx, the delivery is delivered. After a 410, the delivery
/// has failed and the endpoint is disabled. After any other response, including redirects, and without a
/// response, the delivery is retried. The pause is 5 s after the first attempt and doubles up to 6 h, with
/// jitter. After 429 and 503, the retry is not before their Retry-After. The last attempt is at the end of
/// the retry window, `expires_at`. If that attempt fails, the delivery has failed, and the endpoint is
/// disabled unless it has accepted another delivery during the window. `runs` is the number of the attempt,
/// from 1. `entropy` is any random number.
Decision decide(Answer const& answer, unsigned runs, core::Time now, core::Time expires_at,
    std::uint64_t entropy) noexcept;

} // namespace outbound_webhooks
