#pragma once

#include "api/json.hpp"
#include "pg/database.hpp"

#include <array>
#include <string_view>

/// What the service announces to a scope's webhooks, in the transaction of the change. The data are what
/// staff see.
namespace feedback::events {

inline constexpr std::array<std::string_view, 4> all{
    "feedback.created", "feedback.updated", "feedback.deleted", "reply.created"};

void created(pg::Tx& tx, core::Scope const& scope, Feedback const& f);
void updated(pg::Tx& tx, core::Scope const& scope, Feedback const& f);
void deleted(pg::Tx& tx, core::Scope const& scope, Feedback const& f);
void replied(pg::Tx& tx, core::Scope const& scope, Reply const& reply);

} // namespace feedback::events
