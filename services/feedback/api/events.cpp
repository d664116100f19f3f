#include "api/events.hpp"

#include "outbound_webhooks/outbound_webhooks.hpp"

#include <vector>

namespace feedback::events {

namespace {

core::Caller const staff{.kind = core::Access::master, .id = {}, .email = {}, .session_id = {}, .role = {}};

outbound_webhooks::Event event_of(
    std::string_view type, Feedback const& f, std::string_view data_json, core::Time at)
{
    return {.type = type,
        .data_json = data_json,
        .at = at,
        .user_id = f.user_id ? f.user_id->text() : std::string_view(),
        .other_user_id = f.assignee_id ? std::string_view(*f.assignee_id) : std::string_view()};
}

void publish(
    pg::Tx& tx, http::Context const& context, std::string_view type, Feedback const& f, core::Time at)
{
    outbound_webhooks::publish(tx, context, event_of(type, f, to_json(f, Viewer(staff)), at));
}

void publish(pg::Tx& tx, http::Context const& context, std::string_view type, Feedback const& f,
    Reply const& reply, core::Time at)
{
    outbound_webhooks::publish(tx, context,
        {.type = type,
            .data_json = to_json(reply, Viewer(staff)),
            .at = at,
            .user_id = is_user(reply.author_id) ? std::string_view(reply.author_id) : std::string_view(),
            .other_user_id = f.user_id ? f.user_id->text() : std::string_view()});
}

} // namespace

void created(pg::Tx& tx, http::Context const& context, Feedback const& f)
{
    publish(tx, context, "feedback.created", f, f.created_at);
}

void updated(pg::Tx& tx, http::Context const& context, std::span<Feedback const> threads)
{
    std::array const scopes{context.scope.id};
    if (threads.empty() || outbound_webhooks::listening(tx, scopes).empty()) return;
    std::vector<std::string> data;
    data.reserve(threads.size());
    std::vector<outbound_webhooks::OriginatedEvent> events;
    events.reserve(threads.size());
    for (Feedback const& f : threads) {
        data.push_back(to_json(f, Viewer(staff)));
        events.push_back({{context.scope.id, context.traceparent},
            event_of("feedback.updated", f, data.back(), f.updated_at)});
    }
    outbound_webhooks::publish_all(tx, events);
}

void deleted(pg::Tx& tx, http::Context const& context, Feedback const& f)
{
    publish(tx, context, "feedback.deleted", f, f.updated_at);
}

void replied(pg::Tx& tx, http::Context const& context, Feedback const& f, Reply const& reply)
{
    publish(tx, context, "reply.created", f, reply, reply.created_at);
}

void reply_updated(pg::Tx& tx, http::Context const& context, Feedback const& f, Reply const& reply)
{
    publish(tx, context, "reply.updated", f, reply, reply.edited_at.value_or(reply.created_at));
}

void reply_deleted(
    pg::Tx& tx, http::Context const& context, Feedback const& f, Reply const& reply, core::Time at)
{
    publish(tx, context, "reply.deleted", f, reply, at);
}

} // namespace feedback::events
