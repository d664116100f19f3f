#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/event.hpp"
#include "pg/tx.hpp"

#include <string_view>

/// The table `event_claims`. A scope has each claim at most once, so a claim deduplicates an event by its id.
/// event_archive::insert inserts the claim of an event together with its row.
namespace billing::event_claims {

/// The claim of an event: a hash of its provider and id.
core::Uuid claim_of(Provider provider, std::string_view event_id);

/// The claim that all events waiting for this subscription share.
core::Uuid claim_of_waiting(std::string_view subscription_id);

bool exists(pg::Tx& tx, core::ScopeId scope_id, core::Uuid claim);

} // namespace billing::event_claims
