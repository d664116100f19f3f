#include "domain/broadcast.hpp"

#include "core/backoff.hpp"

#include <algorithm>

namespace notify {

namespace {

constexpr std::chrono::seconds first_pause{4};

static_assert(first_pause * ((1 << max_broadcast_retries) - 1) < broadcast_retry_window,
    "all retries fit into the window");

} // namespace

std::optional<core::Time> next_device_attempt(DeviceAttempts const& attempts, core::Time now,
    std::optional<std::chrono::seconds> retry_after, core::Time wait_end, std::uint64_t entropy) noexcept
{
    if (attempts.made > max_broadcast_retries) return std::nullopt;
    auto const made = static_cast<unsigned>(std::max<std::int64_t>(attempts.made, 1));
    core::Time const ours = now + core::backoff(made - 1, first_pause, broadcast_retry_window, entropy);
    core::Time const end = attempts.first.value_or(now) + broadcast_retry_window;
    if (!retry_after) return ours > end ? std::nullopt : std::optional(ours);
    core::Time const next =
        std::max(ours, now + std::min<std::chrono::seconds>(*retry_after, chunk_carrier_wait));
    return next > std::max(end, wait_end) ? std::nullopt : std::optional(next);
}

} // namespace notify
