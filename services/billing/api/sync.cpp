#include "api/sync.hpp"

#include "api/user_id.hpp"
#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "core/keyed_limiter.hpp"
#include "core/thread_pool.hpp"
#include "domain/entitlement_view.hpp"
#include "domain/errors.hpp"
#include "domain/settings.hpp"
#include "domain/sync.hpp"
#include "ingest/sync.hpp"
#include "jobs/queue.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "providers/purchases_api.hpp"
#include "storage/entitlements.hpp"
#include "storage/syncs.hpp"
#include "storage/user_erasure.hpp"
#include "tenancy/settings.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace billing {

namespace {

using namespace std::chrono_literals;

constexpr auto max_wait = 12s; ///< time to wait for other syncs of the user or tenant
constexpr auto poll_interval = 100ms;

/// A started sync. It holds the lease of the user and a slot among the upstream threads.
struct StartedSync {
    syncs::Lease lease;
    core::Secret api_key;
    std::shared_ptr<void const> slot = nullptr;
};

/// The provider's answer, and the time just before the request was sent.
struct Fetched {
    core::Time asked_at;
    Subscriber subscriber;
};

/// Throws NOT_FOUND if the user's account was deleted in the environment of the request.
void refuse_deleted(pg::Tx& tx, http::Request const& req)
{
    if (user_erasure::is_deleted(tx, req.scope().id, user_id_of(req)))
        throw core::Error(
            core::codes::not_found, "The account of this user was deleted. Do not sync this user any more.");
}

std::optional<StartedSync> try_start(pg::Tx& tx, http::Request const& req, Deps& deps)
{
    refuse_deleted(tx, req);
    auto const home = req.scope().production();
    auto const document = tenancy::settings::read(tx, home).document;
    if (!settings::has_purchases_api_key(document))
        throw core::Error(codes::purchases_api_not_configured,
            "The purchase provider's API key is not configured. Set `purchasesApiKey` in the settings.");
    auto const now = jobs::now(tx); // the database's clock, because the clocks of replicas differ
    auto lease = syncs::acquire(tx, home.tenant_id(), user_id_of(req), now, now + syncs::lease_time);
    if (!lease) return std::nullopt;
    return StartedSync{
        *std::move(lease), settings::purchases_api_key(document, home.tenant_id(), deps.keyring)};
}

/// Begins a sync. nullopt if another sync of the user or tenant must end first. The slot is taken before the
/// lease, because a lease could expire while its holder waits for a slot.
asio::awaitable<std::optional<StartedSync>> try_start(
    http::Request const& req, Deps& deps, std::shared_ptr<void const> slot)
{
    if (!slot) co_return std::nullopt;
    auto started = co_await deps.db.transact(
        pg::Scopes::of_tenant(req.scope().tenant_id()), [&](pg::Tx& tx) { return try_start(tx, req, deps); });
    if (started) started->slot = std::move(slot);
    co_return started;
}

[[noreturn]] void refuse_to_wait(bool had_slot)
{
    auto const code = had_slot ? core::codes::conflict : core::codes::rate_limited;
    auto const* const why = had_slot ? "Another sync of this user is in progress. Retry later."
                                     : "Too many syncs of this tenant are in progress. Retry later.";
    throw core::Error(code, why).header("Retry-After", "1");
}

/// Begins a sync as soon as other syncs permit, or throws after `max_wait`. Throws CONFLICT if another sync
/// of the user is in progress, and RATE_LIMITED if the tenant has too many syncs in progress.
asio::awaitable<StartedSync> start(http::Request const& req, Deps& deps)
{
    asio::steady_timer timer(co_await asio::this_coro::executor);
    auto const give_up = std::chrono::steady_clock::now() + max_wait;
    for (;;) {
        auto slot = deps.upstream_limiter.enter(core::number(req.scope().tenant_id()));
        bool const has_slot = slot != nullptr;
        auto started = co_await try_start(req, deps, std::move(slot));
        if (started) co_return *std::move(started);
        if (std::chrono::steady_clock::now() >= give_up) refuse_to_wait(has_slot);
        timer.expires_after(poll_interval);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<Fetched> fetch(http::Request const& req, Deps& deps, core::Secret const& api_key)
{
    auto work = [&] {
        core::Time const asked_at = deps.clock.now();
        return Fetched{
            asked_at, deps.purchases_api.fetch(user_id_of(req), api_key, {}, req.context.traceparent)};
    };
    co_return co_await deps.upstream.run(work);
}

core::Error upstream_error(PurchasesApiError const& e)
{
    core::Error error(codes::upstream_error,
        "The request to the purchase provider failed. No entitlement was changed. Retry later.");
    if (auto const wait = e.retry_after()) error.header("Retry-After", std::to_string(wait->count()));
    return error;
}

/// Releases the lease, so that the user's next sync need not wait until the lease expires. If the
/// provider's response had a `Retry-After`, `not_before` is the end of this delay. The reconciler syncs no
/// user of the tenant before `not_before`.
asio::awaitable<void> abandon(Deps& deps, syncs::Lease const& lease, std::optional<core::Time> not_before)
{
    co_await deps.db.transact(pg::Scopes::of_tenant(lease.tenant_id), [&](pg::Tx& tx) {
        syncs::release(tx, lease);
        if (not_before) syncs::pause(tx, lease.tenant_id, jobs::now(tx) + (*not_before - deps.clock.now()));
    });
}

void write_changes(core::JsonWriter& w, std::array<ingest::SyncResult, 2> const& results)
{
    w.key("changes").begin_array();
    for (auto const& result : results) {
        for (auto const& write : result.writes) {
            if (!is_changed_by_sync(write)) continue;
            w.begin_object().member("entitlementId", write.to.id).key("from");
            if (write.from)
                w.value(to_string(write.from->status));
            else
                w.null();
            w.member("to", to_string(write.to.status)).end_object();
        }
    }
    w.end_array();
}

/// Writes the fetched state and ends the lease.
http::Response apply(
    pg::Tx& tx, http::Request const& req, Deps& deps, syncs::Lease const& lease, Fetched const& fetched)
{
    refuse_deleted(tx, req);
    auto const now = deps.clock.now();
    auto const results = ingest::apply_sync(tx, lease.tenant_id, lease.user_id, fetched.subscriber,
        fetched.asked_at, req.context.traceparent, now);
    syncs::complete(tx, lease);
    core::JsonWriter w(1024);
    w.begin_object().member("userId", lease.user_id).key("entitlements").begin_array();
    for (auto const& view : entitlements::of_user(tx, req.scope(), lease.user_id))
        write_entitlement(w, view, req.scope().environment(), now);
    w.end_array();
    write_changes(w, results);
    w.end_object();
    http::Context context = req.context;
    for (auto const& result : results) { // audit::record must come last in the transaction
        context.scope.id = result.scope.id;
        if (auto const entry = result.audit_entry(lease.user_id)) audit::record(tx, context, *entry);
    }
    return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> perform(http::Request const& req, Deps& deps, StartedSync const& started)
{
    Fetched const fetched = co_await fetch(req, deps, started.api_key);
    co_return co_await deps.db.transact(pg::Scopes::of_tenant(started.lease.tenant_id),
        [&](pg::Tx& tx) { return apply(tx, req, deps, started.lease, fetched); });
}

} // namespace

asio::awaitable<http::Response> sync_user(http::Request const& req, Deps& deps)
{
    user_id_of(req);
    StartedSync const started = co_await start(req, deps);
    std::exception_ptr failure;
    std::optional<core::Time> not_before;
    try {
        co_return co_await perform(req, deps, started);
    } catch (PurchasesApiError const& e) {
        deps.logger.warn("a request to the purchase provider failed",
            {{"tenant", req.scope().slug}, {"why", e.what()}, {"traceId", req.context.trace_id}});
        failure = std::make_exception_ptr(upstream_error(e));
        if (auto const wait = e.retry_after()) not_before = deps.clock.now() + *wait;
    } catch (...) {
        failure = std::current_exception();
    }
    co_await abandon(deps, started.lease, not_before);
    std::rethrow_exception(failure);
}

} // namespace billing
