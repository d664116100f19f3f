#pragma once

#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/event.hpp"
#include "pg/tx.hpp"
#include "storage/sync_requests.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// Requests for syncs, by events that do not contain the data of the purchases that they change. The users of
/// such an event must be synced with its provider:
///
/// - A TRANSFER and any other type of the purchase provider that the service does not handle: each user that
///   the event names, persons first. The anonymous ids of a person are left out, because the provider answers
///   each of them with the purchases of the person. Those of the person who lost the purchases in a TRANSFER
///   are synced if they have entitlements, because these must end.
/// - A subscription of the payments provider without `metadata.userId`: the user of the stored subscription.
/// - A subscription of which the event does not list all items: its user.
namespace billing::ingest {

/// The maximum number of users of an event that are synced.
inline constexpr std::size_t max_synced_users = 50;

/// Whether the event is one of these events. Such an event needs a transaction of its own.
bool may_request_syncs(Event const& event);

/// The users to sync, which may be more than `max_synced_users`. `subscription_user`: the user of the stored
/// subscription that the event is about.
std::vector<sync_requests::SyncRequest> sync_requests_of(
    Event const& event, std::optional<core::UserId> const& subscription_user);

/// Stores the requests for syncs with the provider of the event, if the tenant has the provider's API key.
/// Leaves out users whose account was deleted in the scope. The transaction must see both scopes of the
/// tenant, and hold the lock of the event's scope.
void request_syncs(pg::Tx& tx, core::ScopeId scope_id, Event const& event);

} // namespace billing::ingest
