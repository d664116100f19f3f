#include "api/provider_webhooks.hpp"

#include "api/charge_lookup.hpp"
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
#include <string>
#include <utility>
#include <vector>

namespace billing {

namespace {

using settings::ProviderSettings, settings::SecretEnvironment;

/// The environments of the secrets with which a request is authenticated.
using SecretEnvironments = std::vector<SecretEnvironment>;

[[noreturn]] void refuse(Deps& deps, Provider provider, std::string const& detail)
{
    deps.event_metrics.count_refused(provider);
    throw core::Error(core::codes::unauthorized, detail);
}

/// The environments of the secrets for which `authenticates` is true. Looks at all secrets, so that the run
/// time does not depend on which of them does.
template <class Predicate>
SecretEnvironments environments_of(ProviderSettings const& settings, Predicate const& authenticates)
{
    SecretEnvironments environments;
    for (auto const& secret : settings.webhook_secrets)
        if (authenticates(secret.value)) environments.push_back(secret.environment);
    return environments;
}

/// Throws UNAUTHORIZED unless the Authorization header equals one of the tenant's secrets for the purchase
/// provider.
SecretEnvironments require_secret(http::Request const& req, ProviderSettings const& settings, Deps& deps)
{
    auto const sent = req.header("Authorization").value_or("");
    auto environments =
        environments_of(settings, [&](core::Secret const& secret) { return secret.equals(sent); });
    if (environments.empty())
        refuse(deps, Provider::purchases,
            "The Authorization header equals none of the secrets in the settings. Send the value of "
            "`purchasesSecret` or, for the sandbox, of `purchasesSecretSandbox`, or change the settings.");
    return environments;
}

/// Throws UNAUTHORIZED unless the body is signed with one of the tenant's `paymentsSigningSecrets`.
SecretEnvironments require_signature(http::Request const& req, ProviderSettings const& settings, Deps& deps)
{
    SignedBody const body(
        req.header(deps.payments_signature_header).value_or(""), req.body, deps.clock.now());
    auto environments =
        environments_of(settings, [&](core::Secret const& secret) { return body.is_signed_with(secret); });
    if (environments.empty())
        refuse(deps, Provider::payments,
            "The signature is missing or invalid, or its time is more than 5 minutes from the server's time. "
            "Check `paymentsSigningSecrets` in the settings, and the sender's clock.");
    return environments;
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
    incoming.access_settings = settings.access_settings;
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
    incoming.is_deferred = tenant.suspended && !incoming.rejected;
    // An event belongs to the environment that it names, even if it was posted to the other one.
    auto const& environment = incoming.event.environment;
    if (environment && !incoming.rejected) incoming.scope_id = tenant.scope(*environment).id;
    return received;
}

/// The environment whose secrets may authenticate the event: the one that is written.
core::Environment required_environment(Received const& received, core::Environment of_host)
{
    bool const is_written_as_named = !received.incoming.rejected && received.incoming.event.environment;
    return is_written_as_named ? *received.incoming.event.environment : of_host;
}

/// Throws UNAUTHORIZED if none of `secrets` is for the environment `required`.
void require_environment(
    SecretEnvironments const& secrets, core::Environment required, Provider provider, Deps& deps)
{
    bool const is_covered = std::ranges::any_of(
        secrets, [&](SecretEnvironment secret) { return settings::covers(secret, required); });
    if (is_covered) return;
    if (provider == Provider::purchases)
        refuse(deps, provider,
            "The secret is not valid for the environment of this event. Events of the sandbox need "
            "`purchasesSecretSandbox`, and events of production need `purchasesSecret`.");
    refuse(deps, provider,
        "The signing secret is not valid for the environment that `livemode` states. Check `environment` of "
        "the secret in `paymentsSigningSecrets`.");
}

asio::awaitable<http::Response> receive(http::Request const& req, Deps& deps, Provider provider,
    tenancy::Tenant const& tenant, ProviderSettings const& settings, SecretEnvironments const& secrets)
{
    Received received = parse(req, provider, tenant, settings);
    received.incoming.now = deps.clock.now();
    auto const required = required_environment(received, req.scope().environment());
    require_environment(secrets, required, provider, deps);
    auto outcome = co_await deps.ingestor.ingest(received.incoming);
    outcome = co_await look_up_charge(req, deps, tenant, received.incoming, std::move(outcome));
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
    auto const secrets = require_secret(req, settings, deps);
    co_return co_await receive(req, deps, Provider::purchases, *tenant, settings, secrets);
}

asio::awaitable<http::Response> receive_payment_event(http::Request const& req, Deps& deps)
{
    auto const tenant = co_await deps.directory.get(req.scope().slug);
    auto const settings = settings::provider_settings(*tenant, Provider::payments, deps.keyring);
    auto const secrets = require_signature(req, settings, deps);
    co_return co_await receive(req, deps, Provider::payments, *tenant, settings, secrets);
}

} // namespace billing
