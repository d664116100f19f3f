#pragma once

#include "api/json.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"

#include <array>
#include <string_view>

/// What the service announces to a scope's webhooks, in the transaction of the change. The data are what
/// staff see. `context` is the request that made it.
namespace feedback::events {

inline constexpr std::array<std::string_view, 4> all{
    "feedback.created", "feedback.updated", "feedback.deleted", "reply.created"};

void created(pg::Tx& tx, http::Context const& context, Feedback const& f);
void updated(pg::Tx& tx, http::Context const& context, Feedback const& f);
void deleted(pg::Tx& tx, http::Context const& context, Feedback const& f);
void replied(pg::Tx& tx, http::Context const& context, Reply const& reply);

} // namespace feedback::events
