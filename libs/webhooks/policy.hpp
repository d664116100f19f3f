#pragma once

#include "core/clock.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace webhooks {

/// A delivery is retried this long.
inline constexpr std::chrono::hours retry_window{72};
/// Deliveries are kept this long.
inline constexpr std::chrono::hours retention{30 * 24};
/// A replaced secret signs this long beside its successor.
inline constexpr std::chrono::hours rotation_overlap{24};
/// An attempt may take this long.
inline constexpr std::chrono::seconds attempt_timeout{15};
/// And this long once the process was told to stop: it is then made again by another.
inline constexpr std::chrono::seconds farewell{5};
/// How exactly it is known when an endpoint last accepted something.
inline constexpr std::chrono::hours acceptance_precision{1};
/// Deliveries of a suspended tenant are looked at this often.
inline constexpr std::chrono::minutes suspended_pause{5};

/// What an endpoint's answer was.
struct Answer {
    unsigned status = 0; ///< 0: there was none
    std::optional<std::chrono::seconds> retry_after;
};

enum class Verdict { delivered, retry, failed };

/// Whether a failed delivery disables its endpoint.
enum class Disable {
    no,
    unless_accepting, ///< when the endpoint has accepted nothing for as long as a delivery is retried
    now,
};

struct Decision {
    Verdict verdict = Verdict::retry;
    core::Time next_attempt_at;      ///< retry only
    Disable disable = Disable::no;   ///< failed only
    std::string_view disable_reason; ///< with `disable`: why
};

/// What follows from an attempt. 2xx: delivered. 410: failed, and the endpoint is disabled. Anything else,
/// redirects included: again after 5 s, doubling to 6 h, with jitter; 429 and 503 not before their
/// Retry-After; the last time when the window ends at `expires_at`. Then the delivery has failed, and the
/// endpoint is disabled unless it accepts other deliveries. `runs` counts from 1; `entropy` is any random
/// number.
Decision decide(Answer const& answer, unsigned runs, core::Time now, core::Time expires_at,
    std::uint64_t entropy) noexcept;

} // namespace webhooks
