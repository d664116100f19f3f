#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "http/message.hpp"
#include "pg/migrate.hpp"
#include "pg/tx.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace crypto {
class Keyring;
}

namespace outbound_webhooks {

/// Tables `webhooks` and `webhook_deliveries`. Requires the `jobs` component.
pg::Component const& migrations();

/// The queue of outbound deliveries. A job's ref is the delivery's id.
inline constexpr char const* queue = "webhooks";

/// Maximum number of webhooks of a scope.
inline constexpr std::size_t max_per_scope = 20;

/// An event that is announced.
struct Event {
    std::string_view type;
    std::string_view data_json; ///< the event's JSON
    core::Time at;              ///< the event's timestamp
    /// The event's user; empty if there is none. The erasure of this user deletes the event.
    std::string_view user_id{};
    /// Another user in the event's JSON; empty if there is none. If a member `...Id` of the event's JSON
    /// has this user's id, such as `assigneeId`, the erasure of this user replaces the id and removes the
    /// value of the member `...Email`. Otherwise the erasure deletes the event.
    std::string_view other_user_id{};
};

/// The body of the requests that announce an event: `{"type":…,"timestamp":…,"data":…}`.
std::string payload_of(Event const& event);

/// Announces an event to every enabled webhook of the scope that subscribes to its type. Writes one delivery
/// for each of these webhooks in the caller's transaction, which must include the scope in its `pg::Scopes`.
/// The deliveries are sent after the commit. The body is `payload_of(event)`. Its bytes are the same in every
/// attempt. `context` is that of the request that caused the event; it determines the scope
/// and the trace. If the scope has no enabled webhook, only one statement is run. Returns the number of
/// deliveries.
std::size_t publish(pg::Tx& tx, http::Context const& context, Event const& event);

/// The origin of an event that a worker causes.
struct EventContext {
    core::ScopeId scope_id{};
    std::string traceparent; ///< empty if there is no trace
};

/// As the other `publish`, for an event that a worker causes.
std::size_t publish(pg::Tx& tx, EventContext const& origin, Event const& event);

/// An event with its origin.
struct OriginatedEvent {
    EventContext origin;
    Event event;
};

/// As `publish`, for events of any scopes, in a constant number of statements. Returns the number of
/// deliveries. Call `listening` first, and publish only the events of its scopes: their JSON need not be made
/// for other scopes.
std::size_t publish_all(pg::Tx& tx, std::span<OriginatedEvent const> events);

/// The scopes among `scopes` that have an enabled webhook.
std::set<core::ScopeId> listening(pg::Tx& tx, std::span<core::ScopeId const> scopes);

/// Erases a user from at most `limit` deliveries: deletes the deliveries of events about the user, also
/// pending ones, and puts `pseudonym` in the place of the user's id in other events (`Event::other_user_id`).
/// Returns the number of these deliveries. If it is less than `limit`, no such delivery is left. As long as
/// the scope has deliveries that earlier versions wrote, a call may instead read the users of `limit` of
/// them.
std::size_t erase_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    std::string_view pseudonym, std::size_t limit);

/// Re-encrypts every webhook secret of the scope with the keyring's first key, unless that key encrypts it
/// already. Returns the number of changed secrets. Throws if a secret cannot be decrypted.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

/// Deletes at most `limit` deliveries of `scopes` that were created before `before` and are not pending. The
/// transaction must include `scopes`. Returns the number of deleted deliveries. If it is less than `limit`,
/// no more such deliveries are left.
std::size_t purge(pg::Tx& tx, std::span<core::ScopeId const> scopes, core::Time before, std::size_t limit);

} // namespace outbound_webhooks
