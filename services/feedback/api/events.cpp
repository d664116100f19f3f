#include "api/events.hpp"

#include "webhooks/webhooks.hpp"

namespace feedback::events {

namespace {

core::Caller const staff{.kind = core::Access::master, .id = {}, .email = {}, .session_id = {}, .role = {}};

template <class T>
void publish(pg::Tx& tx, core::Scope const& scope, std::string_view type, T const& item, core::Time at)
{
    webhooks::publish(tx, scope, type, to_json(item, Viewer(staff)), at);
}

} // namespace

void created(pg::Tx& tx, core::Scope const& scope, Feedback const& f)
{
    publish(tx, scope, "feedback.created", f, f.created_at);
}

void updated(pg::Tx& tx, core::Scope const& scope, Feedback const& f)
{
    publish(tx, scope, "feedback.updated", f, f.updated_at);
}

void deleted(pg::Tx& tx, core::Scope const& scope, Feedback const& f)
{
    publish(tx, scope, "feedback.deleted", f, f.updated_at);
}

void replied(pg::Tx& tx, core::Scope const& scope, Reply const& reply)
{
    publish(tx, scope, "reply.created", reply, reply.created_at);
}

} // namespace feedback::events
