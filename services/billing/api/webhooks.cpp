#include "api/webhooks.hpp"

#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "domain/payment_signature.hpp"
#include "storage/settings.hpp"

#include <memory>
#include <utility>

namespace billing {

namespace {

using TenantPtr = std::shared_ptr<tenancy::Tenant const>;

[[noreturn]] void refuse(Deps& deps, Provider provider, std::string const& detail)
{
    deps.events.count_refused(provider);
    throw core::Error(core::codes::unauthorized, detail);
}

/// Throws UNAUTHORIZED unless the Authorization header equals the tenant's `purchasesSecret`.
void require_secret(http::Request const& req, tenancy::Tenant const& tenant, Deps& deps)
{
    auto const secret = settings::purchases_secret(settings::document_of(tenant), tenant.id, deps.keyring);
    auto const sent = req.header("Authorization").value_or("");
    if (secret.empty() || !secret.equals(sent))
        refuse(deps, Provider::purchases,
            "The Authorization header does not equal `purchasesSecret` in the settings. Send the value "
            "of this setting, or change the setting.");
}

/// Throws UNAUTHORIZED unless the body is signed with one of the tenant's `paymentsSigningSecrets`.
void require_signature(http::Request const& req, tenancy::Tenant const& tenant, Deps& deps)
{
    auto const secrets = settings::payments_secrets(settings::document_of(tenant), tenant.id, deps.keyring);
    auto const header = req.header(deps.payments_signature_header).value_or("");
    if (!is_signed(header, req.body, secrets, deps.clock.now()))
        refuse(deps, Provider::payments,
            "The signature is missing or invalid, or its time is more than 5 minutes from the server's time. "
            "Check `paymentsSigningSecrets` in the settings, and the sender's clock.");
}

/// A received event. If the body is not a valid event, `malformed` is the error to respond with after the
/// body was archived.
struct Received {
    apply::Incoming incoming;
    std::optional<core::Error> malformed;
};

Received read(http::Request const& req, Provider provider, tenancy::Tenant const& tenant)
{
    Received received;
    auto& incoming = received.incoming;
    incoming.scope_id = req.scope().id;
    incoming.archive_id = core::Uuid::v7();
    incoming.event.provider = provider;
    incoming.body = req.body;
    incoming.rules = {settings::past_due_is_active(settings::document_of(tenant))};
    incoming.traceparent = req.context.traceparent;
    if (auto const document = parse_document(req.body, req.json_memory())) {
        auto parsed = parse_event(provider, *document);
        incoming.event = std::move(parsed.event);
        if (!parsed.faults.empty()) received.malformed = core::Error::validation(std::move(parsed.faults));
    } else {
        received.malformed =
            core::Error(core::codes::malformed_json, "The body is not valid JSON. Send a JSON object.");
    }
    incoming.rejected = received.malformed.has_value();
    // An event belongs to the environment that it names, even if it was posted to the other one.
    auto const& environment = incoming.event.environment;
    if (environment && !incoming.rejected) incoming.scope_id = tenant.scope(*environment).id;
    return received;
}

asio::awaitable<Outcome> take_in(apply::Incoming const& incoming, Deps& deps)
{
    if (auto outcome = co_await deps.hot.take_in.run(incoming)) co_return *std::move(outcome);
    co_return co_await deps.db.transact(
        pg::Scopes(incoming.scope_id), [&](pg::Tx& tx) { return apply::take_in(tx, incoming); });
}

asio::awaitable<http::Response> receive(
    http::Request const& req, Deps& deps, Provider provider, TenantPtr tenant)
{
    Received const received = read(req, provider, *tenant);
    Outcome const outcome = co_await take_in(received.incoming, deps);
    deps.events.count(provider, outcome.result);
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
    auto tenant = co_await deps.directory.get(req.scope().slug);
    require_secret(req, *tenant, deps);
    co_return co_await receive(req, deps, Provider::purchases, std::move(tenant));
}

asio::awaitable<http::Response> receive_payment_event(http::Request const& req, Deps& deps)
{
    auto tenant = co_await deps.directory.get(req.scope().slug);
    require_signature(req, *tenant, deps);
    co_return co_await receive(req, deps, Provider::payments, std::move(tenant));
}

} // namespace billing
