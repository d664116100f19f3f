#pragma once

#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/entitlement.hpp"
#include "domain/event.hpp"
#include "domain/event_outcome.hpp"
#include "domain/payment_links.hpp"
#include "ingest/rows.hpp"

#include <optional>
#include <vector>

namespace billing::ingest {

/// The effect of an event on its scope.
struct AppliedEvent {
    EventOutcome outcome;
    std::vector<EntitlementChange> changes;
    std::optional<core::UserId> user_id; ///< the event's user, if only stored rows name the user
    bool is_repeat = false;              ///< the stored state contains the event
    /// What the event states about a payment; without ids if nothing. To be stored with the event.
    PaymentNode node;
};

/// Decides an event by the stored rows of its scope, and writes its subscription and its entitlements. Does
/// not write the event's archive row. `archive_id`: of the event's archive row. The caller holds the scope's
/// lock.
AppliedEvent apply_event(Rows& rows, core::ScopeId scope_id, Event const& event, core::Uuid archive_id);

} // namespace billing::ingest
