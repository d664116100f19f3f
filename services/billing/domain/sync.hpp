#pragma once

#include "core/clock.hpp"
#include "domain/entitlement.hpp"
#include "domain/subscriber.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The rules of a sync: what the purchase platform says of a user, made what the user has.
namespace billing {

/// `last_event_type` of what a sync decided.
inline constexpr std::string_view sync_type = "SYNC";

/// The entitlement that a purchase is at `asked_at`. Refunded: expired, no later than then. To be resumed
/// later: paused. With a billing issue: expired, unless there is a grace that goes on. Past its end: expired.
/// Else active.
Entitlement entitlement_after(
    Purchase const& purchase, std::int64_t scope_id, std::string const& user_id, core::Time asked_at);

/// What a sync writes of one entitlement.
struct Synced {
    std::optional<Entitlement> from; ///< as it was; nullopt: there was none
    Entitlement to;

    /// Whether anything but who decided it last is another.
    bool changed() const noexcept;
};

/// What a sync makes of one environment: `held` is all that the user has from the platform there, `asked_at`
/// the time before the platform was asked. What was decided later than that stays as it is; what the platform
/// does not speak of any more is expired. Everything else is decided by the sync from now on, so that an
/// event from before it, come late, finds itself stale. Ordered by id.
std::vector<Synced> decide_sync(std::int64_t scope_id, std::string const& user_id,
    Subscriber const& subscriber, std::span<Entitlement const> held, core::Time asked_at);

} // namespace billing
