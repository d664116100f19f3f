#pragma once

#include "core/scope.hpp"
#include "domain/subscription.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// The table `payment_subscriptions`: the state of the payments provider's subscriptions. All writers hold
/// the scope's lock.
namespace billing::subscriptions {

/// The columns of row `s`, in the order of `read`.
inline constexpr auto columns = pg::sql("s.subscription_id, s.user_id, s.state, s.revision, s.updated_at");

std::optional<Subscription> find(pg::Tx& tx, core::ScopeId scope_id, std::string const& id);

/// The subscriptions that belong to a user or have belonged to the user.
std::vector<Subscription> about_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id);

/// The subscriptions that belong to a user or have belonged to the user, in the order of their ids, after the
/// id `after`. At most `limit`.
std::vector<Subscription> list_about_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    std::string const& after, std::size_t limit);

/// Inserts or replaces the row.
void upsert(pg::Tx& tx, core::ScopeId scope_id, Subscription const& subscription);

/// Deletes the row.
void remove(pg::Tx& tx, core::ScopeId scope_id, std::string const& id);

Subscription read(pg::RowReader& r);

/// The value of the column `state`: all stored members except id, user and revision.
std::string to_json(Subscription const& subscription);

} // namespace billing::subscriptions
