#include "api/events.hpp"

#include "api/event_json.hpp"
#include "api/user_id.hpp"
#include "audit/audit.hpp"
#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "http/query.hpp"
#include "ingest/ingest_event.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/event_archive.hpp"
#include "storage/settings.hpp"

namespace billing {

namespace {

using event_archive::ArchivedEvent;

constexpr std::size_t max_type = 100;
constexpr std::size_t usual_event = 4096; ///< typical size of an event in characters

event_archive::Filter parse_filter(http::Query& query)
{
    event_archive::Filter filter;
    filter.type = query.text("type", 1, max_type);
    filter.result = query.one_of<EventResult>("result");
    filter.about_user = std::optional<core::UserId>(query.text("userId", 1, max_user_id));
    filter.event_after = query.time("eventAfter");
    filter.event_before = query.time("eventBefore");
    return filter;
}

void write_event(core::JsonWriter& w, ArchivedEvent const& event)
{
    w.begin_object();
    write_event_members(w, event);
    w.end_object();
}

/// Call it last in the transaction (see audit::record).
void record(pg::Tx& tx, http::Request const& req, ArchivedEvent const& event, EventOutcome const& outcome)
{
    audit::record(tx, req.context,
        {.action = "event.replayed",
            .subject_type = "event",
            .subject_id = event.event_id,
            .before = boost::json::object{{"result", to_string(event.result)}},
            .after = boost::json::object{{"result", to_string(outcome.result)}}});
}

} // namespace

bool scans_archive(http::Request const& req)
{
    http::Query query(req);
    return query.text("type", 1, max_type) || query.text("result", 1, max_type) || query.time("eventAfter") ||
           query.time("eventBefore");
}

asio::awaitable<http::Response> list_events(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    auto const filter = parse_filter(query);
    auto const asked = paging::PageRequest::read(query, filter.hash());
    query.check();
    auto const page = co_await deps.db.read(
        req.scope(), [&](pg::Tx& tx) { return event_archive::list(tx, req.scope(), filter, asked); });
    co_return http::Response::ok(paging::to_json(page, write_event, usual_event));
}

asio::awaitable<http::Response> replay_event(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(pg::Scopes::of_tenant(req.scope().tenant_id()), [&](pg::Tx& tx) {
        pg::lock_scope(tx, req.scope().id); // before the event is read: see ingest::replay_event
        auto const event =
            core::require_found(event_archive::find(tx, req.scope().id, req.param("eventId")), "event");
        ingest::ReplayContext const context{.scope_id = req.scope().id,
            .settings = settings::read_access_settings(tx, req.scope()),
            .now = deps.clock.now(),
            .traceparent = req.context.traceparent};
        auto const outcome = ingest::replay_event(tx, context, event);
        record(tx, req, event, outcome);
        core::JsonWriter w(128);
        w.begin_object()
            .member("eventId", event.event_id)
            .member("result", to_string(outcome.result))
            .member("reason", outcome.stored_reason())
            .end_object();
        return http::Response::ok(std::move(w).str());
    });
}

} // namespace billing
