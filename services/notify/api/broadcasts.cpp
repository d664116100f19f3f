#include "api/broadcasts.hpp"

#include "api/json.hpp"
#include "api/push_rules.hpp"
#include "api/rate_limit.hpp"
#include "api/rendering.hpp"
#include "api/templates.hpp"
#include "audit/audit.hpp"
#include "core/fields.hpp"
#include "core/wait.hpp"
#include "domain/errors.hpp"
#include "idempotency/once.hpp"
#include "paging/cursor.hpp"
#include "providers/push_sender.hpp"
#include "storage/broadcast_chunks.hpp"
#include "storage/broadcasts.hpp"
#include "storage/carrier_configs.hpp"

#include <array>
#include <exception>

namespace notify {

namespace {

using broadcasts::NewBroadcast;

constexpr std::array<std::string_view, 1> broadcast_channels{to_string(Channel::push)};

/// The parsed request.
struct BroadcastRequest {
    std::string template_name;
    std::optional<std::string> dedupe_key;
    Variables variables;
};

BroadcastRequest parse(http::Request const& req)
{
    core::Fields f(req.json());
    BroadcastRequest wanted;
    wanted.template_name = f.text("templateName", 1, max_template_name);
    f.one_of("channel", broadcast_channels);
    wanted.dedupe_key = f.optional_text("dedupeKey", 1, max_dedupe_key);
    wanted.variables = parse_variables(f);
    f.check();
    return wanted;
}

http::Response accepted(core::Uuid const& id, std::string_view status)
{
    core::JsonWriter w;
    w.begin_object().member("broadcastId", id.to_string()).member("status", status).end_object();
    return {.status = 202, .body = std::move(w).str()};
}

http::Response duplicate_of(core::Uuid const& id)
{
    return accepted(id, "duplicate");
}

/// The stored response to an earlier request with the idempotency key, or the response `duplicate` if a
/// broadcast has the dedupe key; else nullopt.
asio::awaitable<std::optional<http::Response>> earlier_response(
    http::Request const& req, Deps& deps, BroadcastRequest const& wanted)
{
    bool const replayable = !req.context.idempotency_key.empty();
    if (!replayable && !wanted.dedupe_key) co_return std::nullopt;
    auto const look = [&](pg::Tx& tx) -> std::optional<http::Response> {
        std::optional<idempotency::Record> record;
        if (replayable) {
            if (auto replay = record.emplace(req, nullptr).replay_or_lock(tx)) return replay;
        }
        if (!wanted.dedupe_key) return std::nullopt;
        auto const holder = broadcasts::holder_of(tx, req.scope().id, *wanted.dedupe_key, deps.clock.now());
        if (!holder) return std::nullopt;
        auto response = duplicate_of(*holder);
        if (record)
            record->store(tx, response); // so a repetition gets `duplicate` even after the key expires
        return response;
    };
    co_return co_await deps.db.transact(req.scope(), look);
}

void require_push_template(Template const& t)
{
    if (t.channel == Channel::push) return;
    throw core::Error(codes::template_not_push, "The template's channel is " +
                                                    std::string(to_string(t.channel)) +
                                                    ". Use a template whose channel is push.");
}

asio::awaitable<NewBroadcast> prepare(http::Request const& req, Deps& deps, BroadcastRequest const& wanted)
{
    auto const found = co_await find_template(req, deps, wanted.template_name);
    require_push_template(found.content);
    Content content = render_content(found.content, wanted.variables);
    NewBroadcast row{.scope_id = req.scope().id,
        .broadcast = {},
        .title = std::move(content.subject),
        .body = std::move(content.body),
        .now = deps.clock.now(),
        .push = found.content.push.value_or(PushSettings())};
    row.broadcast.id = core::Uuid::v7();
    row.broadcast.template_name = wanted.template_name;
    row.broadcast.dedupe_key = wanted.dedupe_key;
    if (!req.context.traceparent.empty()) row.broadcast.traceparent = req.context.traceparent;
    require_push_size({.id = row.broadcast.id,
        .broadcast = true,
        .title = row.title,
        .body = row.body,
        .data = {},
        .created_at = row.now,
        .settings = row.push});
    co_await require_push_enabled(req, deps, found.has_carrier);
    co_return row;
}

/// State of the transaction that accepts a broadcast.
struct Acceptance {
    NewBroadcast const& row;
    redis::Quota& quota;
    AppliedLimit limit;
    asio::any_io_executor executor; ///< the request's executor; runs the Redis call

    std::optional<redis::Use> counted; ///< kept if the transaction is repeated, so the request counts once
    bool ours = false;                 ///< false if the response is `duplicate` or a replay
};

/// Counts the request against the rate limit while the transaction holds the dedupe key. So if concurrent
/// requests have the same key, only one of them counts. The others get `duplicate`, even if the limit is
/// exceeded. A request that the limit refuses does not keep the key. The database thread waits for Redis in
/// this function, at most 250 ms.
http::Response accept(pg::Tx& tx, Acceptance& a)
{
    auto const& b = a.row.broadcast;
    a.ours = false;
    if (b.dedupe_key) {
        if (auto const holder = broadcasts::claim(tx, a.row.scope_id, *b.dedupe_key, b.id, a.row.now))
            return duplicate_of(*holder);
    }
    if (!a.counted) a.counted = core::wait(a.executor, count_request(a.quota, a.limit));
    broadcasts::insert(tx, a.row);
    a.ours = true;
    return accepted(b.id, to_string(BroadcastStatus::queued));
}

/// The audit entry for a new broadcast. Without its values and its key, which can contain personal data.
audit::Entry started(Broadcast const& broadcast)
{
    return audit::created(
        "broadcast", broadcast.id, boost::json::object{{"templateName", broadcast.template_name}});
}

/// Whether the carrier takes pushes now, as this replica and Redis know. `ok` if the credential cannot be
/// decrypted.
asio::awaitable<CarrierStatus> find_status(
    core::ScopeId scope_id, Deps& deps, carrier_configs::Sealed const& config)
{
    Credential::Ptr credential;
    try {
        credential = carrier_configs::open(deps.keyring, scope_id, config);
    } catch (std::exception const&) { // the workers log it
        co_return CarrierStatus{};
    }
    co_return co_await deps.push.find_status(scope_id, std::move(credential));
}

/// Writes the states of the scope's carriers.
asio::awaitable<void> write_carriers(core::JsonWriter& w, core::ScopeId scope_id, Deps& deps,
    std::vector<carrier_configs::Sealed> const& configs)
{
    w.key("carriers").begin_array();
    for (auto const& config : configs) {
        auto const status = co_await find_status(scope_id, deps, config);
        w.begin_object()
            .member("kind", to_string(config.carrier))
            .member("state", to_string(status.state))
            .member("since", status.since)
            .end_object();
    }
    w.end_array();
}

/// Cancels the broadcast and responds with 200 and the broadcast.
http::Response cancel(pg::Tx& tx, http::Request const& req, core::Uuid const& id, core::Time now)
{
    core::ScopeId const scope_id = req.scope().id;
    auto const before = core::require_found(broadcasts::find(tx, scope_id, id), "broadcast");
    // Makes the jobs of the chunks due now, so that workers settle the remaining devices as failed. The jobs
    // are locked before the broadcast, as in other transactions, to avoid deadlocks.
    broadcast_chunks::wake_all(tx, scope_id, id);
    if (!broadcasts::cancel(tx, scope_id, id, now))
        throw core::Error(core::codes::conflict,
            "The broadcast cannot be cancelled, because it is complete or already cancelled.");
    broadcasts::complete_if_settled(tx, scope_id, id, now);
    auto const after = broadcasts::find(tx, scope_id, id).value();
    audit::record(tx, req.context,
        {.action = "broadcast.cancelled",
            .subject_type = "broadcast",
            .subject_id = id.to_string(),
            .before = boost::json::object{{"status", to_string(before.status)}},
            .after = boost::json::object{{"status", to_string(after.status)}}});
    return http::Response::ok(to_json(after));
}

} // namespace

asio::awaitable<http::Response> start_broadcast(http::Request const& req, Deps& deps)
{
    BroadcastRequest const wanted = parse(req);
    if (auto response = co_await earlier_response(req, deps, wanted)) co_return *std::move(response);
    NewBroadcast const row = co_await prepare(req, deps, wanted);
    Acceptance a{.row = row,
        .quota = deps.quota,
        .limit = co_await limit_for(req, deps, broadcast_limit),
        .executor = co_await asio::this_coro::executor};
    http::Response response;
    std::exception_ptr failure;
    try {
        response = co_await idempotency::once(deps.db, req, [&](pg::Tx& tx) {
            auto accepted = accept(tx, a);
            if (a.ours) audit::record(tx, req.context, started(row.broadcast));
            return accepted;
        });
    } catch (...) {
        failure = std::current_exception();
    }
    bool const counts = a.ours && !failure;
    if (a.counted && !counts) co_await uncount_request(deps.quota, a.limit, *a.counted);
    if (failure) std::rethrow_exception(failure);
    if (counts) add_headers(response, a.limit, *a.counted);
    co_return response;
}

asio::awaitable<http::Response> get_broadcast(http::Request const& req, Deps& deps)
{
    auto const id = req.uuid_param("broadcastId");
    auto const found = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        auto broadcast = core::require_found(broadcasts::find(tx, req.scope().id, id), "broadcast");
        return std::pair(std::move(broadcast), carrier_configs::load(tx, req.scope().id));
    });
    core::JsonWriter w;
    begin_broadcast(w, found.first);
    co_await write_carriers(w, req.scope().id, deps, found.second);
    w.end_object();
    co_return http::Response::ok(std::move(w).str());
}

asio::awaitable<http::Response> list_broadcasts(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(req, paging::FilterHash().add("list", "broadcasts").value());
    auto rows = co_await deps.db.read(req.scope(),
        [&](pg::Tx& tx) { return broadcasts::list(tx, req.scope(), asked.after, asked.rows()); });
    co_return http::Response::ok(paging::to_json(
        asked.page(std::move(rows)), [](core::JsonWriter& w, Broadcast const& b) { write(w, b); }));
}

asio::awaitable<http::Response> cancel_broadcast(http::Request const& req, Deps& deps)
{
    auto const id = req.uuid_param("broadcastId");
    co_return co_await deps.db.transact(
        req.scope(), [&](pg::Tx& tx) { return cancel(tx, req, id, deps.clock.now()); });
}

} // namespace notify
