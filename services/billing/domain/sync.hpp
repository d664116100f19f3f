#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/entitlement.hpp"
#include "domain/event.hpp"
#include "domain/subscriber.hpp"
#include "domain/subscription.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <optional>
#include <span>

/// The rules of a sync, which sets a user's entitlements to the state at a provider. What a sync finds
/// becomes events of this service, type SYNC (own_event.hpp).
namespace billing {

/// When a provider was asked about a user.
struct SyncTimes {
    core::Time asked_at;  ///< just before the request, by the clock of this process
    core::Time watermark; ///< time of the request for the order of events: `watermark_of`
    core::Time sent_at;   ///< before the request, by the clock of the database
    /// When the purchases that are no longer listed moved to another user; nullopt: unknown.
    std::optional<core::Time> moved_at;
};

/// If the clocks of the provider and of this process differ by more, the clock of this process is used.
inline constexpr std::chrono::minutes max_clock_difference{5};

/// The time of a request for the order of events: by the provider's clock, if the provider states a plausible
/// time.
core::Time watermark_of(std::optional<core::Time> platform_time, core::Time asked_at) noexcept;

/// The position of a sync among events. `last` is the position of the last stored event, and `updated_at`
/// when it was received; nullopt: none is stored. An event that was received before the request is
/// superseded, even if the clocks differ. An event that was received later stays later, unless its position
/// is before the watermark. The caller sets `period_end` and `event_id`.
EventOrder order_of_sync(core::Time watermark, core::Time sent_at, std::optional<EventOrder> const& last,
    core::Time updated_at) noexcept;

/// The result of a sync with the purchase provider in the environment of `scope_id`: one event per purchase
/// and store, including purchases that have not changed. The caller sets `event_id` of the facts. `stored`:
/// all entitlements of the user from purchases in this environment.
///
/// - The first rule that matches decides the status: a refunded purchase is expired; a purchase that resumes
///   later is paused; a purchase with a billing issue is expired, unless a grace period is in effect; a
///   purchase whose period and grace period have ended is expired; any other purchase is active.
/// - A stored entitlement that the provider does not list expires, in each store. It stays unchanged if it
///   was written after the request, and a consumable also if the document does not list consumables.
/// - What the document does not state, such as the quantity, is taken from the stored entitlement.
SyncEvent decide_sync(core::ScopeId scope_id, core::UserId const& user_id, Subscriber const& subscriber,
    std::span<Entitlement const> stored, SyncTimes const& times);

/// Whether an event of a sync states what is stored of the purchase in its store, so that it would change
/// only the position of the last event. `stored`: as for `decide_sync`.
bool is_confirmation(core::ScopeId scope_id, PurchaseEvent const& event, std::span<Entitlement const> stored);

/// Whether a sync changed more than the position of the last event, or the entitlement is new.
bool is_changed_by_sync(EntitlementChange const& change) noexcept;

/// A subscription that the payments provider does not know any more, as an object of the provider that has
/// ended at `ended_at`.
boost::json::value ended_subscription(
    Subscription const& stored, core::Environment environment, core::Time ended_at);

} // namespace billing
