#pragma once

#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "pg/tx.hpp"
#include "user_data/user_data.hpp"

#include <cstddef>

/// Erases the data of one user from the service's tables. The steps run in the order in which they are
/// declared: first the events, from which subscriptions and entitlements follow. Each is a user_data::Step
/// that returns `limit` if rows may be left, else 0. `erase_sync` comes last.
namespace billing::user_erasure {

/// Files the events of older versions under the users that they name, so that the following step finds them.
std::size_t file_events(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Removes the user from the archive: payloads, the user's id, the link between an event and a subscription,
/// and the ids of payments. Events about the user's payments are events of the user, also if they name no
/// user.
std::size_t erase_events(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Erases the events about the user's subscriptions that name no user, then deletes the subscriptions. If the
/// user's account was deleted, later events about these subscriptions count as events of the user
/// (event_claims::claim_of_erased).
std::size_t erase_subscriptions(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Removes the user's former items from subscriptions that belong to another user now.
std::size_t erase_former_items(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Deletes the user's entitlements, and what the audit log says about them. Webhooks are not told.
std::size_t erase_entitlements(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Deletes the requests, the lease and the delay of the user's syncs. Both environments share the row of
/// lease and delay, so it stays while the other environment has entitlements from purchases of the user. The
/// transaction must see both environments. A sync that is in progress writes nothing for a user whose account
/// was deleted.
void erase_sync(pg::Tx& tx, user_data::Erasure const& erasure);

/// Whether the user's account was deleted (auth::erased_user_rows). No data may be stored for the user any
/// more.
bool is_deleted(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id);

} // namespace billing::user_erasure
