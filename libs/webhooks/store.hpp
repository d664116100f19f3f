#pragma once

#include "core/clock.hpp"
#include "core/fields.hpp"
#include "core/id.hpp"
#include "core/secret.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crypto {
class Keyring;
}

/// The SQL of `webhooks` and `webhook_deliveries`. Every function runs in a transaction that sees the scope.
namespace webhooks::store {

struct Webhook {
    core::Uuid id;
    std::string url;
    std::vector<std::string> events; ///< empty: all
    std::optional<std::string> description;
    bool enabled = true;
    std::optional<std::string> disabled_reason;
    std::int64_t version = 1;
    core::Time created_at;
    core::Time updated_at;
};

/// What the secret of a webhook is sealed with as additional data.
std::string secret_aad(std::int64_t scope_id, core::Uuid const& webhook_id);

std::int64_t count(pg::Tx& tx, std::int64_t scope_id);
void insert(pg::Tx& tx, std::int64_t scope_id, Webhook const& webhook, std::string const& sealed_secret);
std::optional<Webhook> find(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);
/// The same, locked until the transaction ends.
std::optional<Webhook> find_for_update(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);
/// Newest first, at most `limit`.
std::vector<Webhook> list(
    pg::Tx& tx, std::int64_t scope_id, std::optional<paging::Position> const& after, std::size_t limit);
/// Writes everything but the secret and `created_at`.
void update(pg::Tx& tx, std::int64_t scope_id, Webhook const& webhook);
/// With its deliveries. False when there was none.
bool remove(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& id);
/// Puts a new secret in the place of the old one, which signs on until `previous_until`.
void replace_secret(pg::Tx& tx, std::int64_t scope_id, Webhook const& webhook,
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
};

/// Whether the scope has a webhook that is told of anything.
bool any_enabled(pg::Tx& tx, std::int64_t scope_id);

struct Event {
    std::string_view type;
    std::string payload;
    std::string traceparent; ///< empty: of no trace
    core::Time at;
    core::Time expires_at;
};

/// One delivery for every enabled webhook that asks for the event's type; their ids.
std::vector<core::Uuid> insert_deliveries(pg::Tx& tx, std::int64_t scope_id, Event const& event);
/// Newest first, at most `limit`.
std::vector<Delivery> list_deliveries(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& webhook_id,
    std::optional<std::string_view> status, std::optional<paging::Position> const& after, std::size_t limit);
/// Makes a delivery pending again, until `expires_at`; nullopt when there is none.
std::optional<Delivery> reopen_delivery(pg::Tx& tx, std::int64_t scope_id, core::Uuid const& webhook_id,
    core::Uuid const& delivery_id, core::Time now, core::Time expires_at);

} // namespace webhooks::store
