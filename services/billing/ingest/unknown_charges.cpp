#include "ingest/unknown_charges.hpp"

#include "domain/own_event.hpp"
#include "domain/settings.hpp"
#include "ingest/own_events.hpp"
#include "ingest/publish.hpp"
#include "jobs/queue.hpp"
#include "tenancy/settings.hpp"

#include <chrono>

namespace billing::ingest {

namespace {

using namespace std::chrono_literals;

/// The webhook's handler asks the provider first.
constexpr auto delay = 30s;

} // namespace

std::string payment_intent_of(Event const& event)
{
    auto const* reversal = std::get_if<ReversalEvent>(&event.data);
    return reversal == nullptr ? std::string() : reversal->payment_intent_id;
}

void look_up_later(pg::Tx& tx, core::ScopeId scope_id, core::Uuid claim)
{
    auto const home = core::Scope::of(core::tenant_of(scope_id), core::Environment::production, {});
    if (!settings::has_payments_api_key(tenancy::settings::read(tx, home).document)) return;
    jobs::enqueue(tx, unknown_charges_queue, scope_id, claim, jobs::now(tx) + delay);
}

void connect_payment(pg::Tx& tx, ReplayContext const& context, std::string const& payment_intent_id,
    std::string const& invoice_id)
{
    pg::lock_scope(tx, context.scope_id);
    auto event = new_own_event(context.scope_id, link_type, std::nullopt, context.now);
    event.references = {payment_intent_id, invoice_id};
    event.data = Skipped{"connects_payments"};
    auto payload = own_payload(event);
    OwnEventContext const own{context.scope_id, context.settings, context.now};
    auto const applied = ingest_own(tx, own, std::move(event), std::move(payload));
    publish_changes(
        tx, context.scope_id, context.settings, context.traceparent, applied.changes, context.now);
}

} // namespace billing::ingest
