#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/event.hpp"
#include "pg/tx.hpp"

#include <span>
#include <string>
#include <string_view>

/// The table `event_claims`. A scope has each claim at most once, so a claim deduplicates an event by its id.
/// event_archive::insert inserts the claim of an event together with its row.
namespace billing::event_claims {

/// The claim of an event: a hash of its provider and id.
core::Uuid claim_of(Provider provider, std::string_view event_id);

/// The claim that all events waiting for this subscription share.
core::Uuid claim_of_waiting(std::string_view subscription_id);

/// The claim that says that the user of this subscription was erased because the account was deleted.
core::Uuid claim_of_erased(std::string_view subscription_id);

/// Inserts the claim `claim_of_erased`, unless it exists. It is kept forever, because events of the
/// subscription may arrive at any time.
void insert_erased(pg::Tx& tx, core::ScopeId scope_id, std::string_view subscription_id);

/// The claim that says that the user of the payment with this id was erased because the account was deleted.
/// The id is that of a charge, a payment intent, an invoice, or a checkout session.
core::Uuid claim_of_erased_payment(std::string_view id);

/// Inserts the claims `claim_of_erased_payment`, unless they exist. They are kept as long as archived events.
void insert_erased_payments(pg::Tx& tx, core::ScopeId scope_id, std::span<std::string const> ids);

bool exists(pg::Tx& tx, core::ScopeId scope_id, core::Uuid claim);

/// Whether one of the claims exists.
bool exists_any(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> claims);

} // namespace billing::event_claims
