#include "api/send.hpp"

#include "api/push_rules.hpp"
#include "api/rate_limit.hpp"
#include "api/rendering.hpp"
#include "api/send_request.hpp"
#include "batchers.hpp"
#include "core/json_writer.hpp"
#include "core/thread_pool.hpp"
#include "idempotency/once.hpp"
#include "storage/notification_attachments.hpp"
#include "storage/notifications.hpp"

#include <exception>
#include <memory>
#include <utility>

namespace notify {

namespace {

using notifications::NewNotification;

/// In bytes. A larger request body contains files and takes long to parse, so an I/O thread does not parse
/// it.
constexpr std::size_t large_body = std::size_t{256} * 1024;
/// In bytes. A notification with a larger text is not batched, to keep the memory of one batch small.
constexpr std::size_t large_text = std::size_t{32} * 1024;

asio::awaitable<SendRequest> read_request(http::Request const& req, Deps& deps)
{
    core::Time const now = deps.clock.now();
    if (req.body.size() <= large_body) co_return parse_send(req, now);
    co_return co_await deps.readers.run([&req, now] { return parse_send(req, now); });
}

/// The stored response to an earlier request with the same idempotency key, if any.
asio::awaitable<std::optional<http::Response>> replay_of(http::Request const& req, Deps& deps)
{
    if (req.context.idempotency_key.empty()) co_return std::nullopt;
    idempotency::Record const record(req, nullptr);
    co_return co_await deps.db.transact(req.scope(), [&](pg::Tx& tx) { return record.replay_or_lock(tx); });
}

/// Throws VALIDATION_ERROR unless the template is of the requested channel.
void require_channel(Template const& t, Channel channel)
{
    if (t.channel == channel) return;
    throw core::Error::validation({{"/channel", "mismatch",
        "must be the template's channel, which is " + std::string(to_string(t.channel))}});
}

asio::awaitable<NewNotification> prepare(http::Request const& req, Deps& deps, SendRequest const& wanted)
{
    auto const found = co_await find_template(req, deps, wanted.template_name);
    require_channel(found.content, wanted.channel);
    NewNotification row{.scope_id = req.scope().id, .notification = {}};
    Notification& n = row.notification;
    n.id = core::Uuid::v7();
    n.channel = wanted.channel;
    n.template_name = wanted.template_name;
    n.to = wanted.to;
    n.content = render_content(found.content, wanted.variables);
    n.content.data = wanted.data;
    n.content.push = merge(found.content.push.value_or(PushSettings()), wanted.push);
    n.queued_at = deps.clock.now();
    n.send_at = wanted.send_at;
    if (!req.context.traceparent.empty()) n.traceparent = req.context.traceparent;
    if (n.channel == Channel::push) {
        require_push_size({.id = n.id,
            .title = n.content.subject,
            .body = n.content.body,
            .data = n.content.data,
            .created_at = n.queued_at,
            .settings = n.content.push});
        co_await require_push_enabled(req, deps, found.has_carrier);
    }
    co_return row;
}

/// The response to a send. `n` was stored with the recipient `to`.
http::Response accepted(Notification const& n, std::string const& to)
{
    core::JsonWriter w;
    w.begin_object()
        .member("notificationId", n.id.to_string())
        .member("status", to_string(Status::queued))
        .end_object();
    return {.status = 202,
        .body = std::move(w).str(),
        .about_user = n.channel == Channel::push ? to : std::string()};
}

/// Reserves a place in the database queue before the template is read and the request is counted. So if the
/// queue is full, the request is refused before it causes this work. Returns null for a request that may be
/// batched.
std::shared_ptr<void const> reserve(http::Request const& req, Deps& deps, SendRequest const& wanted)
{
    bool const alone = !req.context.idempotency_key.empty() || !wanted.attachments.empty();
    return alone ? deps.db.reserve(req.scope()) : nullptr;
}

/// Stores the notification in a transaction of its own. A repeated request does not count against the limit.
asio::awaitable<LimitedResponse> accept_alone(http::Request const& req, Deps& deps,
    NewNotification const& row, std::vector<notification_attachments::Row> const& files)
{
    auto response = co_await idempotency::once(deps.db, req, [&](pg::Tx& tx) {
        claim_uploads(tx, req, deps.attachments, files, row.notification.id);
        auto const inserted = notifications::insert(tx, row);
        notification_attachments::insert(tx, row.scope_id, row.notification.id, files);
        return accepted(row.notification, inserted.to);
    });
    bool const counts = !idempotency::was_replayed(response);
    co_return LimitedResponse{std::move(response), counts};
}

asio::awaitable<LimitedResponse> accept(http::Request const& req, Deps& deps, NewNotification const& row,
    std::vector<notification_attachments::Row> const& files, std::shared_ptr<void const> place)
{
    place.reset(); // the write below reserves a place of its own
    // Most requests write only a small notification. Concurrent requests of this kind are combined into one
    // statement.
    bool const large = row.notification.content.body.size() > large_text;
    if (large || !files.empty() || !req.context.idempotency_key.empty())
        co_return co_await accept_alone(req, deps, row, files);
    auto const inserted = co_await deps.batchers.insert.run(row);
    co_return LimitedResponse{accepted(row.notification, inserted.to)};
}

asio::awaitable<http::Response> send(http::Request const& req, Deps& deps, SendRequest wanted)
{
    auto place = reserve(req, deps, wanted);
    auto const row = co_await prepare(req, deps, wanted);
    auto const files = co_await find_files(req, deps.attachments, std::move(wanted.attachments));
    co_return co_await within_limit(req, deps, send_limit, accept(req, deps, row, files, std::move(place)));
}

} // namespace

asio::awaitable<http::Response> send_notification(http::Request const& req, Deps& deps)
{
    SendRequest wanted = co_await read_request(req, deps);
    std::exception_ptr refusal;
    try {
        co_return co_await send(req, deps, std::move(wanted));
    } catch (core::Error const& error) {
        if (error.code().status >= 500) throw;
        refusal = std::current_exception();
    }
    // A repeated request must succeed even if the template was deleted or the limit is exceeded.
    if (auto replay = co_await replay_of(req, deps)) co_return *std::move(replay);
    std::rethrow_exception(refusal);
}

} // namespace notify
