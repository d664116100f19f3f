#include "api/charge_lookup.hpp"

#include "core/keyed_limiter.hpp"
#include "core/thread_pool.hpp"
#include "domain/settings.hpp"
#include "ingest/unknown_charges.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "providers/payments_api.hpp"
#include "storage/event_archive.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace billing {

namespace {

using namespace std::chrono_literals;

constexpr auto time_limit = 5s; // the provider waits for the response to its webhook

/// The id of the invoice that the payment intent has paid. nullopt: there is none, or the request failed.
asio::awaitable<std::optional<std::string>> invoice_of(
    http::Request const& req, Deps& deps, tenancy::Tenant const& tenant, std::string const& payment_intent_id)
{
    auto const& document = tenant.settings(core::Environment::production).document;
    auto const slot = deps.upstream_limiter.enter(core::number(tenant.id));
    if (slot == nullptr || !settings::has_payments_api_key(document)) co_return std::nullopt;
    auto const api_key = settings::payments_api_key(document, tenant.id, deps.keyring);
    auto const ask = [&] {
        return deps.payments_api.invoice_of(
            payment_intent_id, {.api_key = api_key,
                                   .traceparent = req.context.traceparent,
                                   .retries = {.attempts = 1},
                                   .deadline = std::chrono::steady_clock::now() + time_limit});
    };
    try {
        co_return co_await deps.upstream.run(ask);
    } catch (ProviderApiError const& e) {
        deps.logger.warn("a request to the payments provider failed",
            {{"tenant", req.scope().slug}, {"why", e.what()}, {"traceId", req.context.trace_id}});
        co_return std::nullopt;
    }
}

} // namespace

asio::awaitable<EventOutcome> look_up_charge(http::Request const& req, Deps& deps,
    tenancy::Tenant const& tenant, ingest::IncomingEvent const& incoming, EventOutcome outcome)
{
    auto const payment_intent_id = ingest::payment_intent_of(incoming.event);
    if (outcome.reason != unknown_charge || payment_intent_id.empty()) co_return outcome;
    auto const invoice_id = co_await invoice_of(req, deps, tenant, payment_intent_id);
    if (!invoice_id) co_return outcome;
    ingest::ReplayContext const context{.scope_id = incoming.scope_id,
        .settings = incoming.access_settings,
        .now = incoming.now,
        .traceparent = req.context.traceparent};
    co_return co_await deps.db.transact(pg::Scopes(incoming.scope_id), [&](pg::Tx& tx) {
        ingest::connect_payment(tx, context, payment_intent_id, *invoice_id);
        auto const archived = event_archive::find_claimed(tx, incoming.scope_id, claim_of(incoming));
        return archived ? EventOutcome{archived->result, archived->reason} : outcome;
    });
}

} // namespace billing
