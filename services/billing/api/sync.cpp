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
#include "http/query.hpp"
#include "ingest/sync.hpp"
#include "jobs/queue.hpp"
#include "observe/log.hpp"
#include "pg/database.hpp"
#include "storage/entitlements.hpp"
#include "storage/syncs.hpp"
#include "storage/user_erasure.hpp"
#include "tenancy/settings.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace billing {

namespace {

using namespace std::chrono_literals;
using Results = std::array<ingest::SyncResult, 2>;

constexpr auto max_wait = 12s; ///< time to wait for other syncs of the user or tenant
constexpr auto poll_interval = 100ms;
constexpr auto payments_time_limit = 10s; ///< for all requests to the payments provider
/// A longer `Retry-After` of the payments provider is passed on to the caller.
constexpr auto longest_retry_after = 2s;

/// The API keys of the providers to ask. A provider whose key is not set is not asked.
struct ApiKeys {
    core::Secret purchases, payments;
};

/// A started sync. It holds the lease of the user and a slot among the upstream threads.
struct StartedSync {
    syncs::Lease lease;
    ingest::SyncStart start;
    ApiKeys keys;
    std::shared_ptr<void const> slot = nullptr;
};

std::optional<Source> parse_source(http::Request const& req)
{
    static constexpr std::array sources{Source::purchases, Source::payments};
    static constexpr std::array names{to_string(sources[0]), to_string(sources[1])};
    http::Query query(req);
    auto const index = query.one_of("source", names);
    query.check();
    return index ? std::optional(sources.at(*index)) : std::nullopt;
}

/// The keys for a sync with `source`, or with all providers. Throws if there is none.
ApiKeys keys_for(std::optional<Source> source, boost::json::object const& document, core::TenantId tenant_id,
    crypto::Keyring const& keyring)
{
    ApiKeys keys;
    if (source != Source::payments)
        keys.purchases = settings::purchases_api_key(document, tenant_id, keyring);
    if (source != Source::purchases) keys.payments = settings::payments_api_key(document, tenant_id, keyring);
    if (!keys.purchases.empty() || !keys.payments.empty()) return keys;
    if (source == Source::payments)
        throw core::Error(codes::payments_api_not_configured,
            "The payments provider's API key is not configured. Set `paymentsApiKey` in the settings.");
    throw core::Error(codes::purchases_api_not_configured,
        source ? "The purchase provider's API key is not configured. Set `purchasesApiKey` in the settings."
               : "No provider's API key is configured. Set `purchasesApiKey` or `paymentsApiKey` in the "
                 "settings.");
}

/// Throws NOT_FOUND if the user's account was deleted in the environment of the request.
void refuse_deleted(pg::Tx& tx, http::Request const& req)
{
    if (user_erasure::is_deleted(tx, req.scope().id, user_id_of(req)))
        throw core::Error(
            core::codes::not_found, "The account of this user was deleted. Do not sync this user any more.");
}

std::optional<StartedSync> try_start(
    pg::Tx& tx, http::Request const& req, Deps& deps, std::optional<Source> source)
{
    refuse_deleted(tx, req);
    auto const home = req.scope().production();
    auto const tenant_id = home.tenant_id();
    auto keys = keys_for(source, tenancy::settings::read(tx, home).document, tenant_id, deps.keyring);
    auto lease = syncs::acquire(tx, tenant_id, user_id_of(req), jobs::now(tx));
    if (!lease) return std::nullopt;
    auto start = ingest::start_sync(tx, tenant_id, lease->user_id);
    return StartedSync{*std::move(lease), std::move(start), std::move(keys)};
}

/// Begins a sync. nullopt if another sync of the user or tenant must end first. The slot is taken before the
/// lease, because a lease could expire while its holder waits for a slot.
asio::awaitable<std::optional<StartedSync>> try_start(
    http::Request const& req, Deps& deps, std::optional<Source> source, std::shared_ptr<void const> slot)
{
    if (!slot) co_return std::nullopt;
    auto started = co_await deps.db.transact(pg::Scopes::of_tenant(req.scope().tenant_id()),
        [&](pg::Tx& tx) { return try_start(tx, req, deps, source); });
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
asio::awaitable<StartedSync> start(http::Request const& req, Deps& deps, std::optional<Source> source)
{
    asio::steady_timer timer(co_await asio::this_coro::executor);
    auto const give_up = std::chrono::steady_clock::now() + max_wait;
    for (;;) {
        auto slot = deps.upstream_limiter.enter(core::number(req.scope().tenant_id()));
        bool const has_slot = slot != nullptr;
        auto started = co_await try_start(req, deps, source, std::move(slot));
        if (started) co_return *std::move(started);
        if (std::chrono::steady_clock::now() >= give_up) refuse_to_wait(has_slot);
        timer.expires_after(poll_interval);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

/// Asks the providers one after the other. `asked` is the one that was asked last.
asio::awaitable<ingest::FetchedState> fetch(
    http::Request const& req, Deps& deps, StartedSync const& started, Source& asked)
{
    auto const& traceparent = req.context.traceparent;
    ingest::FetchedState fetched;
    if (!started.keys.purchases.empty()) {
        asked = Source::purchases;
        auto const work = [&] {
            return ingest::fetch_purchases(
                deps.purchases_api, started.start, started.keys.purchases, deps.clock, {}, traceparent);
        };
        fetched.purchases = co_await deps.upstream.run(work);
    }
    if (!started.keys.payments.empty()) {
        asked = Source::payments;
        auto const work = [&] {
            PaymentsCall const call{.api_key = started.keys.payments,
                .traceparent = traceparent,
                .retries = {.longest_retry_after = longest_retry_after},
                .deadline = std::chrono::steady_clock::now() + payments_time_limit};
            return ingest::fetch_payments(deps.payments_api, started.start, call, deps.clock);
        };
        fetched.payments = co_await deps.upstream.run(work);
    }
    co_return fetched;
}

core::Error upstream_error(ProviderApiError const& e, Source source)
{
    core::Error error(codes::upstream_error,
        source == Source::payments
            ? "The request to the payments provider failed. No entitlement was changed. Check "
              "`paymentsApiKey` in the settings, or retry later."
            : "The request to the purchase provider failed. No entitlement was changed. Check "
              "`purchasesApiKey` in the settings, or retry later.");
    if (auto const wait = e.retry_after()) error.header("Retry-After", std::to_string(wait->count()));
    return error;
}

/// The time before which the reconciler must not ask a provider.
struct Pause {
    Source source{};
    core::Time until; ///< by the clock of this process
};

/// Releases the lease, so that the user's next sync need not wait until the lease expires. `pause` is set if
/// the provider's response had a `Retry-After`.
asio::awaitable<void> abandon(Deps& deps, syncs::Lease const& lease, std::optional<Pause> pause)
{
    co_await deps.db.transact(pg::Scopes::of_tenant(lease.tenant_id), [&](pg::Tx& tx) {
        syncs::release(tx, lease);
        if (!pause) return;
        auto const until = jobs::now(tx) + (pause->until - deps.clock.now());
        syncs::pause(tx, lease.tenant_id, pause->source, until);
    });
}

void write_changes(core::JsonWriter& w, Results const& results)
{
    w.key("changes").begin_array();
    for (auto const& result : results) {
        for (auto const& change : result.changes) {
            w.begin_object().member("entitlementId", change.to.id).key("from");
            if (change.from)
                w.value(to_string(shown_status(change.from->status, result.settings)));
            else
                w.null();
            w.member("to", to_string(shown_status(change.to.status, result.settings))).end_object();
        }
    }
    w.end_array();
}

/// Writes the fetched state and ends the lease.
http::Response apply(pg::Tx& tx, http::Request const& req, Deps& deps, StartedSync const& started,
    ingest::FetchedState const& fetched)
{
    refuse_deleted(tx, req);
    auto const& user_id = started.lease.user_id;
    auto const now = deps.clock.now();
    ingest::SyncContext const sync{.lease = started.lease,
        .sent_at = started.start.sent_at,
        .traceparent = req.context.traceparent,
        .now = now};
    auto const results = ingest::apply_sync(tx, sync, fetched);
    core::JsonWriter w(1024);
    w.begin_object().member("userId", user_id).key("entitlements").begin_array();
    for (auto const& view : entitlements::of_user(tx, req.scope(), user_id))
        write_entitlement(w, view, req.scope().environment(), results.front().settings, now);
    w.end_array();
    write_changes(w, results);
    w.end_object();
    http::Context context = req.context;
    for (auto const& result : results) { // audit::record must come last in the transaction
        context.scope.id = result.scope.id;
        if (auto const entry = result.audit_entry(user_id)) audit::record(tx, context, *entry);
    }
    return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> perform(
    http::Request const& req, Deps& deps, StartedSync const& started, Source& asked)
{
    ingest::FetchedState const fetched = co_await fetch(req, deps, started, asked);
    co_return co_await deps.db.transact(pg::Scopes::of_tenant(started.lease.tenant_id),
        [&](pg::Tx& tx) { return apply(tx, req, deps, started, fetched); });
}

} // namespace

asio::awaitable<http::Response> sync_user(http::Request const& req, Deps& deps)
{
    user_id_of(req);
    StartedSync const started = co_await start(req, deps, parse_source(req));
    std::exception_ptr failure;
    std::optional<Pause> pause;
    Source asked = Source::purchases;
    try {
        co_return co_await perform(req, deps, started, asked);
    } catch (ProviderApiError const& e) {
        deps.logger.warn(asked == Source::payments ? "a request to the payments provider failed"
                                                   : "a request to the purchase provider failed",
            {{"tenant", req.scope().slug}, {"why", e.what()}, {"traceId", req.context.trace_id}});
        failure = std::make_exception_ptr(upstream_error(e, asked));
        if (auto const wait = e.retry_after()) pause = Pause{asked, deps.clock.now() + *wait};
    } catch (...) {
        failure = std::current_exception();
    }
    co_await abandon(deps, started.lease, pause);
    std::rethrow_exception(failure);
}

} // namespace billing
