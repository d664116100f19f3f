#pragma once

#include "storage/apply.hpp"
#include "storage/archive_rows.hpp"

#include <string>
#include <string_view>

/// What both ways of taking events in have in common; for storage/apply alone.
namespace billing::apply {

/// What an event claims in its scope.
core::Uuid claim_of(Incoming const& incoming);

/// The row of the archive, with nothing yet of when it was received or what came of it.
archive::Row row_of(Incoming const& incoming);

/// What is said of an event whose decision is not `needs_history`.
Outcome outcome_of(PaymentDecision::Kind kind);
Outcome outcome_of(PurchaseDecision const& decision);

} // namespace billing::apply
