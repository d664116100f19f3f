#pragma once

#include "core/clock.hpp"
#include "core/fields.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "core/secret.hpp"
#include "core/user_id.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crypto {
class Keyring;
}

/// The SQL of `webhooks` and `webhook_deliveries`. The transaction must include the scope in its
/// `pg::Scopes`.
namespace outbound_webhooks::store {

struct Webhook {
    core::Uuid id;
    std::string url;
    std::vector<std::string> events; ///< if empty, the webhook gets all types
    std::optional<std::string> description;
    bool enabled = true;
    std::optional<std::string> disabled_reason;
    std::int64_t version = 1;
    core::Time created_at;
    core::Time updated_at;
};

/// The additional authenticated data for a webhook's encrypted secret.
std::string secret_aad(core::ScopeId scope_id, core::Uuid const& webhook_id);

std::int64_t count(pg::Tx& tx, core::ScopeId scope_id);
void insert(pg::Tx& tx, core::ScopeId scope_id, Webhook const& webhook, std::string const& sealed_secret);
std::optional<Webhook> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);
/// As `find`, and locks the row until the transaction ends.
std::optional<Webhook> find_for_update(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);
/// Newest first, at most `limit` webhooks.
std::vector<Webhook> list(
    pg::Tx& tx, core::ScopeId scope_id, std::optional<paging::Position> const& after, std::size_t limit);
/// Writes all columns except the secret and `created_at`.
void update(pg::Tx& tx, core::ScopeId scope_id, Webhook const& webhook);
/// Deletes a webhook and its deliveries. Returns false if there is no such webhook.
bool remove(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id);
/// Replaces the secret. Until `previous_until`, deliveries are signed with the old secret, too.
void replace_secret(pg::Tx& tx, core::ScopeId scope_id, Webhook const& webhook,
    std::string const& sealed_secret, core::Time previous_until);

struct Delivery {
    core::Uuid id;
    core::Uuid webhook_id;
    std::string event_type;
    std::string status; ///< `pending`, `delivered`, `failed`
    std::int64_t attempts = 0;
    std::optional<core::Time> next_attempt_at;
    std::optional<std::int64_t> last_status;
    std::optional<std::string> last_error;
    std::optional<std::string> response_excerpt;
    core::Time created_at;
    std::optional<core::Time> delivered_at;
    std::optional<std::string>
        payload; ///< the body that is signed and sent: JSON. Only `find_delivery` reads it
};

/// Whether the scope has an enabled webhook.
bool any_enabled(pg::Tx& tx, core::ScopeId scope_id);

/// The scopes among `scopes` that have an enabled webhook.
std::set<core::ScopeId> with_enabled(pg::Tx& tx, std::span<core::ScopeId const> scopes);

struct Event {
    core::ScopeId scope_id{};
    std::string_view type;
    std::string payload;
    std::string_view traceparent; ///< empty if there is no trace
    core::Time at;
    core::Time expires_at;
    std::string_view user_id{}; ///< empty if there is none, as `other_user_id`
    std::string_view other_user_id{};
};

/// Inserts one delivery for every enabled webhook that subscribes to an event's type, and enqueues their
/// jobs. Returns the number of deliveries.
std::size_t insert_deliveries(pg::Tx& tx, std::span<Event const> events);
/// Newest first, at most `limit` deliveries.
std::vector<Delivery> list_deliveries(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& webhook_id,
    std::optional<std::string_view> status, std::optional<paging::Position> const& after, std::size_t limit);
/// A delivery of the webhook, with its payload.
std::optional<Delivery> find_delivery(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& webhook_id, core::Uuid const& delivery_id);
/// Makes a delivery pending again, with `expires_at` as the end of its retry window. Returns nullopt if there
/// is no such delivery.
std::optional<Delivery> reopen_delivery(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& webhook_id,
    core::Uuid const& delivery_id, core::Time now, core::Time expires_at);
/// Fills in the users of at most `limit` deliveries that earlier versions wrote. Returns their number.
std::size_t file_deliveries(pg::Tx& tx, core::ScopeId scope_id, std::size_t limit);
/// Deletes at most `limit` deliveries of events about the user. Returns their number.
std::size_t erase_deliveries_of(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, std::size_t limit);
/// Erases the user from at most `limit` deliveries of other events that concern the user, as
/// `Event::other_user_id` specifies. Returns their number.
std::size_t erase_from_deliveries(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    std::string_view pseudonym, std::size_t limit);

} // namespace outbound_webhooks::store
