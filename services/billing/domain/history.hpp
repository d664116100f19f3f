#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/entitlement.hpp"
#include "domain/event.hpp"
#include "domain/subscription_entitlements.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace billing {

/// What is stored now, to complete a history: the archive may have dropped events, and refunds name the
/// payment but not the purchase.
struct Known {
    std::vector<Entitlement> entitlements;   ///< of the user
    std::vector<Subscription> subscriptions; ///< that belong to the user or have belonged to the user
    /// The provider's product id by the id that a checkout names.
    std::map<std::string, std::string> checkout_products;
};

/// The entitlements of a user that result from the events of all providers. `events` may have any order.
/// Events of other users and skipped events are ignored. Of `known`, only events up to `until` count. Ordered
/// by creation, newest first, then by id.
std::vector<Entitlement> entitlements_after(core::ScopeId scope_id, core::UserId const& user_id,
    std::span<Event const> events, Known const& known = {}, core::Time until = core::Time::max());

/// The entitlements that a user had at time `at`. The time of an event is the time that its provider states.
/// `events`: those up to `at`. A current entitlement is used unchanged if the event that decided its state is
/// not later than `at`. Ordered as by `entitlements_after`.
std::vector<Entitlement> entitlements_as_of(core::ScopeId scope_id, core::UserId const& user_id,
    core::Time at, std::span<Event const> events, Known const& known);

} // namespace billing
