#include "api/events.hpp"

#include "outbound_webhooks/outbound_webhooks.hpp"

namespace feedback::events {

namespace {

core::Caller const staff{.kind = core::Access::master, .id = {}, .email = {}, .session_id = {}, .role = {}};

template <class T>
void publish(pg::Tx& tx, http::Context const& context, std::string_view type, T const& item, core::Time at)
{
    outbound_webhooks::publish(tx, context, type, to_json(item, Viewer(staff)), at);
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

void replied(pg::Tx& tx, http::Context const& context, Reply const& reply)
{
    publish(tx, context, "reply.created", reply, reply.created_at);
}

} // namespace feedback::events
