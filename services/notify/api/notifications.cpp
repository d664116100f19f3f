#include "api/notifications.hpp"

#include "api/json.hpp"
#include "api/rate_limit.hpp"
#include "audit/audit.hpp"
#include "batchers.hpp"
#include "core/error.hpp"
#include "http/query.hpp"
#include "jobs/queue.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "storage/notification_status.hpp"
#include "storage/push_deliveries.hpp"
#include "storage/retention.hpp"

namespace notify {

namespace {

NotificationFilter read_filter(http::Query& query)
{
    NotificationFilter filter;
    filter.status = query.one_of<Status>("status");
    filter.channel = query.one_of<Channel>("channel");
    if (auto const to = query.text("to", 1, 254))
        filter.to = NotificationFilter::names_of(filter.channel, *to);
    filter.created_after = query.time("createdAfter");
    return filter;
}

notifications::Shown get_shown(pg::Tx& tx, http::Request const& req)
{
    auto found = notifications::get(tx, req.scope(), req.uuid_param("notificationId"));
    if (!found) notification_not_found();
    return *std::move(found);
}

/// Adds the audit entry for a status change that the caller requested. Must be the last call in a
/// transaction; audit::record explains why.
void record(pg::Tx& tx, http::Request const& req, std::string_view action, Notification const& before,
    Notification const& after)
{
    auto const status = [](Notification const& n) {
        return boost::json::object{{"status", to_string(n.status)}};
    };
    audit::record(tx, req.context,
        {.action = std::string(action),
            .subject_type = "notification",
            .subject_id = after.id.to_string(),
            .before = status(before),
            .after = status(after)});
}

[[noreturn]] void conflict(char const* why)
{
    throw core::Error(core::codes::conflict, why);
}

asio::awaitable<LimitedResponse> try_anew(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Notification const before = get_shown(tx, req).notification;
        core::Time const now = deps.clock.now();
        auto n = notifications::enqueue_and_lock(tx, req.scope().id, before);
        if (!n || n->status != Status::failed)
            conflict("Only a notification whose status is `failed` can be retried.");
        if (retention::is_content_erased(tx, req.scope().id, n->id))
            conflict(
                "The notification failed more than 7 days ago, so its content was erased and it cannot be "
                "retried. Send a new notification.");
        notifications::requeue(tx, req.scope().id, *n, now);
        record(tx, req, "notification.retried", before, *n);
        return LimitedResponse{{.status = 202, .body = to_json(get_shown(tx, req))}};
    });
}

constexpr char const* too_late =
    "The notification cannot be cancelled: its status is not `queued`, or a worker is sending it now.";

} // namespace

void notification_not_found()
{
    throw core::Error(core::codes::not_found,
        "No notification of this environment has this id. Check the id and the environment.");
}

asio::awaitable<http::Response> get_notification(http::Request const& req, Deps& deps)
{
    auto const found = co_await deps.batchers.get.run({req.scope().id, req.uuid_param("notificationId")});
    if (!found) notification_not_found();
    co_return http::Response::ok(to_json(*found));
}

asio::awaitable<http::Response> list_notifications(http::Request const& req, Deps& deps)
{
    http::Query query(req);
    NotificationFilter const filter = read_filter(query);
    auto const asked = paging::PageRequest::read(query, filter.hash());
    query.check();

    // Long pages are not batched, to keep the memory of one batch small.
    std::vector<Notification> rows;
    if (filter.plain() && asked.limit <= 20) {
        rows = co_await deps.batchers.list.run({req.scope().id, asked.after, asked.rows()});
    } else {
        rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
            return notifications::list(tx, req.scope(), filter, asked.after, asked.rows());
        });
    }
    co_return http::Response::ok(to_json(asked.page(std::move(rows))));
}

asio::awaitable<http::Response> list_events(http::Request const& req, Deps& deps)
{
    auto const asked = paging::PageRequest::read(
        req, paging::FilterHash().add("list", "events").add("id", req.param("notificationId")).value());
    auto rows = co_await deps.db.read(req.scope(), [&](pg::Tx& tx) {
        core::Uuid const id = get_shown(tx, req).notification.id;
        return notifications::list_events(tx, req.scope(), id, paging::number_of(asked.after), asked.rows());
    });
    auto const page = asked.page(std::move(rows), [](NotificationEvent const& event) {
        return paging::Position{event.at, paging::id_of_number(event.place)};
    });
    co_return http::Response::ok(
        paging::to_json(page, [](core::JsonWriter& w, NotificationEvent const& event) { write(w, event); }));
}

asio::awaitable<http::Response> cancel_notification(http::Request const& req, Deps& deps)
{
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) {
        Notification const before = get_shown(tx, req).notification;
        core::ScopeId const scope_id = req.scope().id;
        core::Time const now = deps.clock.now();
        // Once the job is withdrawn, no worker sends the notification, so this transaction may change it.
        if (jobs::withdraw(tx, queues_of(before.channel), scope_id, before.id).empty()) conflict(too_late);
        auto n = notifications::lock(tx, scope_id, before.id);
        if (!n || n->status != Status::queued) conflict(too_late);
        push_deliveries::fail_pending(tx, scope_id, n->id, failures::cancelled, now);
        notifications::change_status(tx, scope_id, *n, Status::failed, std::string(failures::cancelled), now);
        record(tx, req, "notification.cancelled", before, *n);
        return http::Response::ok(to_json(get_shown(tx, req)));
    });
}

asio::awaitable<http::Response> retry_notification(http::Request const& req, Deps& deps)
{
    co_return co_await within_limit(req, deps, send_limit, try_anew(req, deps));
}

} // namespace notify
