#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/event_outcome.hpp"
#include "ingest/ingest_event.hpp"
#include "pg/tx.hpp"
#include "storage/event_archive.hpp"

#include <optional>
#include <string>

/// Refunds and lost disputes whose purchase is unknown, because no archived event connects their payment
/// intent with an invoice. If the tenant has `paymentsApiKey`, the provider's API is asked for the invoice:
/// at once by the webhook's handler, and later by a job, which covers failures.
namespace billing::ingest {

/// The queue of the jobs. `ref` of a job is the event's claim.
inline constexpr char const* unknown_charges_queue = "unknown-charges";

/// The id of the payment intent of a refund or lost dispute; empty if the event is neither, or states no id.
std::string payment_intent_of(Event const& event);

/// Enqueues the job, if the tenant has `paymentsApiKey`. The transaction must see both scopes of the tenant.
void look_up_later(pg::Tx& tx, core::ScopeId scope_id, core::Uuid claim);

/// Archives that the payment intent has paid the invoice, and applies the reversals of this payment. Takes
/// the scope's lock.
void connect_payment(pg::Tx& tx, ReplayContext const& context, std::string const& payment_intent_id,
    std::string const& invoice_id);

} // namespace billing::ingest
