#pragma once

#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/entitlement.hpp"
#include "domain/event.hpp"
#include "domain/event_outcome.hpp"
#include "domain/subscription_entitlements.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <string>
#include <vector>

namespace billing::ingest {

/// The effect of an event on its scope.
struct AppliedEvent {
    EventOutcome outcome;
    std::vector<EntitlementChange> changes;
    std::optional<core::UserId> user_id; ///< the event's user, if only stored rows name the user
    bool is_repeat = false;              ///< the same event decided the stored state
};

/// Decides an event by the stored rows of its scope, and writes its subscription and its entitlements. Does
/// not write the event's archive row. The caller holds the scope's lock.
AppliedEvent apply_event(
    pg::Tx& tx, core::ScopeId scope_id, EventData const& data, PaymentSettings const& settings);

} // namespace billing::ingest
