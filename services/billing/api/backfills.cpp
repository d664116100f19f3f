#include "api/backfills.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/fields.hpp"
#include "core/json_writer.hpp"
#include "domain/errors.hpp"
#include "domain/settings.hpp"
#include "idempotency/once.hpp"
#include "storage/backfills.hpp"
#include "tenancy/settings.hpp"

#include <array>

namespace billing {

namespace {

namespace json = boost::json;
using backfills::Backfill;

/// The sources that can be read as a whole.
constexpr std::array sources{Source::payments};
constexpr std::array source_names{to_string(sources[0])};

Backfill parse_backfill(http::Request const& req, core::Time now)
{
    core::Fields f(req.json());
    Backfill b;
    b.id = core::Uuid::v7();
    b.source = sources[f.one_of("source", source_names)];
    b.since = f.optional_time("since");
    if (b.since && *b.since > now) f.fault("since", "range", "must not be in the future");
    b.traceparent = req.context.traceparent;
    f.check();
    return b;
}

json::value to_value(Backfill const& b)
{
    json::value since;
    if (b.since) since = core::to_rfc3339(*b.since);
    return {{"source", to_string(b.source)}, {"since", std::move(since)}};
}

std::string to_json(Backfill const& b)
{
    core::JsonWriter w(512);
    w.begin_object()
        .member("backfillId", b.id)
        .member("source", to_string(b.source))
        .member("since", b.since)
        .member("status", to_string(b.status))
        .member("processed", b.counts.processed)
        .member("changed", b.counts.changed)
        .member("failed", b.counts.failed)
        .member("startedAt", b.started_at)
        .member("completedAt", b.completed_at)
        .member("lastError", b.last_error)
        .end_object();
    return std::move(w).str();
}

http::Response accepted(core::Uuid const& id)
{
    core::JsonWriter w(64);
    w.begin_object().member("backfillId", id).end_object();
    return http::Response{.status = 202, .body = std::move(w).str()}.header(
        "Location", "/v1/backfills/" + id.to_string());
}

/// Whether the tenant has a key for the payments provider's REST API.
asio::awaitable<bool> has_key(http::Request const& req, Deps& deps)
{
    auto const home = req.scope().production();
    co_return co_await deps.db.read(home, [&](pg::Tx& tx) {
        return settings::has_payments_api_key(tenancy::settings::read(tx, home).document);
    });
}

} // namespace

asio::awaitable<http::Response> create_backfill(http::Request const& req, Deps& deps)
{
    Backfill const draft = parse_backfill(req, deps.clock.now());
    // A transaction of its own, because the settings belong to production, and the operator may call the
    // sandbox's host.
    bool const configured = co_await has_key(req, deps);
    co_return co_await idempotency::once(deps.db, req, [&](pg::Tx& tx) {
        if (!configured)
            throw core::Error(codes::payments_api_not_configured,
                "The payments provider's API key is not configured. Set `paymentsApiKey` in the settings.");
        if (!backfills::insert(tx, req.scope().tenant_id(), draft))
            throw core::Error(core::codes::conflict,
                "Another backfill of this tenant is queued or running. Wait until it has ended.");
        audit::record(tx, req.context, audit::created("backfill", draft.id, to_value(draft)));
        return accepted(draft.id);
    });
}

asio::awaitable<http::Response> get_backfill(http::Request const& req, Deps& deps)
{
    auto const id = req.uuid_param("backfillId");
    co_return co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        auto found = backfills::find(tx, req.scope().tenant_id(), id);
        return http::Response::ok(to_json(core::require_found(std::move(found), "backfill", "tenant")));
    });
}

} // namespace billing
