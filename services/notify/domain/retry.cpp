#include "domain/retry.hpp"

#include "core/backoff.hpp"

#include <algorithm>

namespace notify {

namespace {

constexpr std::chrono::seconds first_pause{12};

static_assert(first_pause * ((1 << max_retries) - 1) <= retry_window, "all retries fit into the window");

} // namespace

std::optional<core::Time> next_attempt(Failed const& failed, std::uint64_t entropy) noexcept
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

Next next_of(Verdict verdict, bool may_retry) noexcept
{
    switch (verdict) {
    case Verdict::accepted:
        return Next::sent;
    case Verdict::gone:
    case Verdict::refused:
    case Verdict::unknown:
        return Next::failed;
    case Verdict::credential:
    case Verdict::throttled:
    case Verdict::transient:
        break;
    }
    return may_retry ? Next::again : Next::failed;
}

DeliveryStatus delivery_after(Verdict verdict, bool may_retry, bool may_wait) noexcept
{
    if (verdict == Verdict::gone) return DeliveryStatus::invalid;
    bool const may_go_on = verdict == Verdict::credential ? may_wait : may_retry;
    switch (next_of(verdict, may_go_on)) {
    case Next::sent:
        return DeliveryStatus::sent;
    case Next::again:
        return DeliveryStatus::pending;
    case Next::failed:
        break;
    }
    return DeliveryStatus::failed;
}

} // namespace notify
