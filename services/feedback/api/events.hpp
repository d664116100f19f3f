#pragma once

#include "api/json.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <array>
#include <span>
#include <string_view>

/// Functions that publish events to a scope's webhooks. Call them in the transaction of the change. The
/// event's data is the resource as staff see it (see Viewer). `context` belongs to the request that made the
/// change.
namespace feedback::events {

inline constexpr std::array<std::string_view, 6> all{"feedback.created", "feedback.updated",
    "feedback.deleted", "reply.created", "reply.updated", "reply.deleted"};

void created(pg::Tx& tx, http::Context const& context, Feedback const& f);
/// Publishes one event for each thread, in a constant number of statements.
void updated(pg::Tx& tx, http::Context const& context, std::span<Feedback const> threads);
void deleted(pg::Tx& tx, http::Context const& context, Feedback const& f);
void replied(pg::Tx& tx, http::Context const& context, Feedback const& f, Reply const& reply);
void reply_updated(pg::Tx& tx, http::Context const& context, Feedback const& f, Reply const& reply);
/// `at`: the time of the deletion.
void reply_deleted(
    pg::Tx& tx, http::Context const& context, Feedback const& f, Reply const& reply, core::Time at);

} // namespace feedback::events
