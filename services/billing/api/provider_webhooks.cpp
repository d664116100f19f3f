#include "api/provider_webhooks.hpp"

#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "domain/event_outcome.hpp"
#include "domain/named_users.hpp"
#include "domain/payment_signature.hpp"
#include "domain/settings.hpp"
#include "ingest/incoming_event.hpp"
#include "ingest/ingestor.hpp"
#include "metrics.hpp"
#include "tenancy/directory.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace billing {

namespace {

using settings::ProviderSettings;

[[noreturn]] void refuse(Deps& deps, Provider provider, std::string const& detail)
{
    deps.event_metrics.count_refused(provider);
    throw core::Error(core::codes::unauthorized, detail);
}

/// Throws UNAUTHORIZED unless the Authorization header equals the tenant's `purchasesSecret`.
void require_secret(http::Request const& req, ProviderSettings const& settings, Deps& deps)
{
    auto const sent = req.header("Authorization").value_or("");
    auto const is_sent = [&](core::Secret const& secret) { return !secret.empty() && secret.equals(sent); };
    if (std::ranges::none_of(settings.webhook_secrets, is_sent))
        refuse(deps, Provider::purchases,
            "The Authorization header does not equal `purchasesSecret` in the settings. Send the value "
            "of this setting, or change the setting.");
}

/// Throws UNAUTHORIZED unless the body is signed with one of the tenant's `paymentsSigningSecrets`.
void require_signature(http::Request const& req, ProviderSettings const& settings, Deps& deps)
{
    auto const header = req.header(deps.payments_signature_header).value_or("");
    if (!is_signed(header, req.body, settings.webhook_secrets, deps.clock.now()))
        refuse(deps, Provider::payments,
            "The signature is missing or invalid, or its time is more than 5 minutes from the server's time. "
            "Check `paymentsSigningSecrets` in the settings, and the sender's clock.");
}

/// A received event. If the body is not a valid event, `malformed` is the error to respond with after the
/// body was archived.
struct Received {
    ingest::IncomingEvent incoming;
    std::optional<core::Error> malformed;
};

Received parse(http::Request const& req, Provider provider, tenancy::Tenant const& tenant,
    ProviderSettings const& settings)
{
    Received received;
    auto& incoming = received.incoming;
    incoming.scope_id = req.scope().id;
    incoming.archive_id = core::Uuid::v7();
    incoming.event.provider = provider;
    incoming.body = req.body;
    incoming.payment_settings = settings.payment_settings;
    incoming.traceparent = req.context.traceparent;
    if (auto const document = parse_document(req.body, req.json_memory())) {
        auto parsed = parse_event(provider, *document);
        incoming.event = std::move(parsed.event);
        if (!parsed.faults.empty()) received.malformed = core::Error::validation(std::move(parsed.faults));
    } else {
        received.malformed =
            core::Error(core::codes::malformed_json, "The body is not valid JSON. Send a JSON object.");
        incoming.event.named_users = named_users(incoming.body);
    }
    incoming.rejected = received.malformed.has_value();
    // An event belongs to the environment that it names, even if it was posted to the other one.
    auto const& environment = incoming.event.environment;
    if (environment && !incoming.rejected) incoming.scope_id = tenant.scope(*environment).id;
    return received;
}

asio::awaitable<http::Response> receive(http::Request const& req, Deps& deps, Provider provider,
    tenancy::Tenant const& tenant, ProviderSettings const& settings)
{
    Received const received = parse(req, provider, tenant, settings);
    EventOutcome const outcome = co_await deps.ingestor.ingest(received.incoming);
    deps.event_metrics.count(provider, outcome.result);
    if (received.malformed) throw core::Error(*received.malformed);
    core::JsonWriter w(96);
    w.begin_object().member("received", true).member("result", to_string(outcome.result));
    if (!outcome.reason.empty()) w.member("reason", outcome.reason);
    w.end_object();
    co_return http::Response::ok(std::move(w).str());
}

} // namespace

asio::awaitable<http::Response> receive_purchase_event(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    auto const settings = settings::provider_settings(*tenant, Provider::purchases, deps.keyring);
    require_secret(req, settings, deps);
    co_return co_await receive(req, deps, Provider::purchases, *tenant, settings);
}

asio::awaitable<http::Response> receive_payment_event(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    auto const settings = settings::provider_settings(*tenant, Provider::payments, deps.keyring);
    require_signature(req, settings, deps);
    co_return co_await receive(req, deps, Provider::payments, *tenant, settings);
}

} // namespace billing
