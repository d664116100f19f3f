#pragma once

#include "core/clock.hpp"

#include <chrono>
#include <optional>

namespace billing {

/// The settings of a tenant that decide access. They apply when an entitlement is read, so a change affects
/// all entitlements at once.
struct AccessSettings {
    bool past_due_is_active = false;           ///< whether `past_due` subscriptions give access
    std::chrono::seconds renewal_leeway{3600}; ///< how long access continues while a renewal is awaited

    friend bool operator==(AccessSettings const&, AccessSettings const&) = default;
};

/// Until when an entitlement gives access if no further event arrives. Does not depend on settings.
struct Access {
    /// The end of the paid period or, if it is later, of the provider's grace period; or the earlier time at
    /// which an event ended access. core::Time::max(): never.
    core::Time until = core::Time::max();
    /// Set if a renewal is expected: access continues until this time plus the leeway, but not beyond
    /// `leeway_ends_at`, the time of the event that ended access.
    std::optional<core::Time> renewal_until, leeway_ends_at;
    /// The end of an unpaid period, until which `past_due_is_active` gives access; or the earlier time at
    /// which a refund or lost dispute ended access.
    std::optional<core::Time> past_due_until;
    /// Whether an event has ended access: expiration, refund, deletion, transfer, or a status without access.
    /// Then access does not continue until `until`, even if the event's time is in the future.
    bool is_ended = false;

    friend bool operator==(Access const&, Access const&) = default;
};

/// The time at which access ends if no further event arrives. core::Time::max(): never.
core::Time end_of(Access const& access, AccessSettings const& settings) noexcept;

/// As `end_of`; nullopt: never.
std::optional<core::Time> access_until(Access const& access, AccessSettings const& settings) noexcept;

/// Whether access has not ended by `now`.
bool is_active(Access const& access, AccessSettings const& settings, core::Time now) noexcept;

/// `access`, ended by an event at time `at`.
Access ended(Access access, core::Time at) noexcept;

/// The access of a user who has both `a` and `b`. If both await a renewal, the result has the leeway of only
/// one of them: of the renewal that no event has ended, otherwise of the later one.
Access combined(Access const& a, Access const& b) noexcept;

} // namespace billing
