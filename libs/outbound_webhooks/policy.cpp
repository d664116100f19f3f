#include "outbound_webhooks/policy.hpp"

#include "core/backoff.hpp"

#include <algorithm>

namespace outbound_webhooks {

namespace {

constexpr std::chrono::seconds first_pause{5};
constexpr std::chrono::hours longest_pause{6};

} // namespace

Decision decide(Answer const& answer, unsigned runs, core::Time now, core::Time expires_at,
    std::uint64_t entropy) noexcept
{
    if (answer.status >= 200 && answer.status < 300) return {.outcome = AttemptOutcome::delivered};
    if (answer.status == 410) {
        return {.outcome = AttemptOutcome::failed,
            .disable = Disable::now,
            .disable_reason = "the endpoint answered 410 Gone"};
    }
    if (now >= expires_at) {
        return {.outcome = AttemptOutcome::failed,
            .disable = Disable::unless_accepting,
            .disable_reason = "a delivery failed for 3 days"};
    }
    core::Time next = now + core::backoff(std::max(runs, 1U) - 1, first_pause, longest_pause, entropy);
    bool const asked = answer.status == 429 || answer.status == 503;
    if (asked && answer.retry_after)
        next = std::max(next, now + std::min<std::chrono::seconds>(*answer.retry_after, retry_window));
    return {.outcome = AttemptOutcome::retry, .next_attempt_at = std::min(next, expires_at)};
}

} // namespace outbound_webhooks
