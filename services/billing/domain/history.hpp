#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/entitlement.hpp"
#include "domain/event.hpp"
#include "domain/subscription_entitlements.hpp"

#include <span>
#include <string>
#include <vector>

namespace billing {

/// The entitlements of a user that result from the events of both providers. `events` may have any order.
/// Events of other users and skipped events are ignored. Ordered by creation, newest first, then by id.
std::vector<Entitlement> entitlements_after(core::ScopeId scope_id, core::UserId const& user_id,
    std::span<Event const> events, PaymentSettings const& settings);

/// The entitlements that a user had at time `at`. The time of an event is the time that its provider states.
/// `now` contains the user's current entitlements, and `folded` the entitlements that result from the events
/// up to `at`. A current entitlement is used unchanged if the event that decided its state is not later than
/// `at`. All other entitlements come from `folded`. A manual entitlement that was granted at or before `at`
/// and revoked after `at` is active. Ordered by creation, newest first, then by id.
std::vector<Entitlement> entitlements_as_of(
    core::Time at, std::vector<Entitlement> const& now, std::vector<Entitlement> const& folded);

} // namespace billing
