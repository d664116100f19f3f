#pragma once

#include "storage/apply.hpp"
#include "storage/archive_rows.hpp"

#include <string>
#include <string_view>

/// Shared by `take_in` and `take_in_batch`; for storage/apply only.
namespace billing::apply {

/// The claim of an event in its scope.
core::Uuid claim_of(Incoming const& incoming);

/// The archive row of an event, without time of receipt and outcome.
archive::Row row_of(Incoming const& incoming);

/// The outcome of a decision. Precondition: the decision is not `needs_history`.
Outcome outcome_of(PaymentDecision::Kind kind);
Outcome outcome_of(PurchaseDecision const& decision);

} // namespace billing::apply
