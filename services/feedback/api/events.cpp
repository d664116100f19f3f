#include "api/events.hpp"

#include "outbound_webhooks/outbound_webhooks.hpp"

namespace feedback::events {

namespace {

core::Caller const staff{.kind = core::Access::master, .id = {}, .email = {}, .session_id = {}, .role = {}};

void publish(
    pg::Tx& tx, http::Context const& context, std::string_view type, Feedback const& f, core::Time at)
{
    outbound_webhooks::publish(tx, context,
        {.type = type,
            .data_json = to_json(f, Viewer(staff)),
            .at = at,
            .user_id = f.user_id ? f.user_id->text() : std::string_view(),
            .other_user_id = f.assignee_id ? std::string_view(*f.assignee_id) : std::string_view()});
}

} // namespace

void created(pg::Tx& tx, http::Context const& context, Feedback const& f)
{
    publish(tx, context, "feedback.created", f, f.created_at);
}

void updated(pg::Tx& tx, http::Context const& context, Feedback const& f)
{
    publish(tx, context, "feedback.updated", f, f.updated_at);
}

void deleted(pg::Tx& tx, http::Context const& context, Feedback const& f)
{
    publish(tx, context, "feedback.deleted", f, f.updated_at);
}

void replied(pg::Tx& tx, http::Context const& context, Feedback const& f, Reply const& reply)
{
    std::string_view const author = context.caller.is_jwt() ? context.caller.id : std::string_view();
    outbound_webhooks::publish(tx, context,
        {.type = "reply.created",
            .data_json = to_json(reply, Viewer(staff)),
            .at = reply.created_at,
            .user_id = author,
            .other_user_id = f.user_id ? f.user_id->text() : std::string_view()});
}

} // namespace feedback::events
