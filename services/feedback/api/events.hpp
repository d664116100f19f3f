#pragma once

#include "api/json.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

#include <array>
#include <string_view>

/// Functions that publish events to a scope's webhooks. Call them in the transaction of the change. The
/// event's data is the resource as staff see it (see Viewer). `context` belongs to the request that made the
/// change.
namespace feedback::events {

inline constexpr std::array<std::string_view, 4> all{
    "feedback.created", "feedback.updated", "feedback.deleted", "reply.created"};

void created(pg::Tx& tx, http::Context const& context, Feedback const& f);
void updated(pg::Tx& tx, http::Context const& context, Feedback const& f);
void deleted(pg::Tx& tx, http::Context const& context, Feedback const& f);
void replied(pg::Tx& tx, http::Context const& context, Feedback const& f, Reply const& reply);

} // namespace feedback::events
