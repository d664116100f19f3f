#include "domain/retry.hpp"

#include "core/backoff.hpp"

#include <algorithm>

namespace notify {

namespace {

constexpr std::chrono::seconds first_pause{12};

static_assert(first_pause * ((1 << max_retries) - 1) <= retry_window, "all retries fit into the window");

constexpr std::chrono::milliseconds shortest_sms_pause = std::chrono::seconds(1);
constexpr std::chrono::milliseconds longest_sms_pause = std::chrono::minutes(15);

} // namespace

std::chrono::milliseconds sms_limit_pause(
    std::chrono::milliseconds waited, std::chrono::milliseconds retry_after) noexcept
{
    return std::clamp(std::max(waited, retry_after), shortest_sms_pause, longest_sms_pause);
}

std::optional<core::Time> next_attempt(FailedAttempt const& failed, std::uint64_t entropy) noexcept
{
    if (failed.attempts > max_retries) return std::nullopt;
    auto const made = static_cast<unsigned>(std::max<std::int64_t>(failed.attempts, 1));
    std::chrono::microseconds wait = core::backoff(made - 1, first_pause, retry_window, entropy);
    if (failed.retry_after)
        wait = std::max<std::chrono::microseconds>(
            wait, std::min<std::chrono::seconds>(*failed.retry_after, std::chrono::hours(24)));
    core::Time const end = failed.due + retry_window;
    core::Time const next = failed.now + wait;
    if (next > (failed.began <= end ? end : failed.began + retry_window)) return std::nullopt;
    return next;
}

NextStep next_step(Verdict verdict, bool may_retry) noexcept
{
    switch (verdict) {
    case Verdict::accepted:
        return NextStep::sent;
    case Verdict::gone:
    case Verdict::refused:
    case Verdict::unknown:
        return NextStep::failed;
    case Verdict::credential:
    case Verdict::throttled:
    case Verdict::transient:
        break;
    }
    return may_retry ? NextStep::retry : NextStep::failed;
}

DeliveryStatus delivery_status_after(Verdict verdict, bool may_retry, bool may_wait) noexcept
{
    if (verdict == Verdict::gone) return DeliveryStatus::invalid;
    bool const may_go_on = verdict == Verdict::credential ? may_wait : may_retry;
    switch (next_step(verdict, may_go_on)) {
    case NextStep::sent:
        return DeliveryStatus::sent;
    case NextStep::retry:
        return DeliveryStatus::pending;
    case NextStep::failed:
        break;
    }
    return DeliveryStatus::failed;
}

} // namespace notify
