#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "outbound_webhooks/policy.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The SQL of delivery attempts, for many deliveries at a time. Each function runs one statement, or one per
/// kind of row that it writes. The transaction must include the scopes of all deliveries in its `pg::Scopes`.
namespace outbound_webhooks::store {

/// Identifies a delivery.
struct DeliveryKey {
    core::ScopeId scope_id{};
    core::Uuid delivery_id;
};

/// The data for one attempt.
struct Attempt {
    DeliveryKey key;
    bool pending = false;
    std::size_t payload_bytes = 0;
    std::optional<std::string> payload; ///< nullopt if it was omitted because of `payload_limit`
    std::optional<std::string> traceparent;
    core::Time expires_at;
    bool webhook_exists = false; ///< the members below are set only in this case
    core::Uuid webhook_id;
    std::string url;
    bool enabled = false;
    std::string sealed_secret;
    std::optional<std::string> sealed_previous; ///< set while deliveries are also signed with it
};

/// Returns the deliveries that exist, in the order of `keys`. The loaded payloads have at most
/// `payload_limit` bytes in total, except that the first payload is always loaded.
std::vector<Attempt> load_attempts(
    pg::Tx& tx, std::span<DeliveryKey const> keys, std::size_t payload_limit, core::Time now);

/// Returns the data for an attempt at a webhook, enabled or not, without a delivery: `key.scope_id` is set,
/// the caller sets `key.delivery_id`, `payload` and `traceparent`. Returns nullopt if there is no such
/// webhook.
std::optional<Attempt> load_test_attempt(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& webhook_id, core::Time now);

/// The recorded result of an attempt.
struct Report {
    unsigned status = 0; ///< 0 if there was no response
    std::optional<std::string> error;
    std::optional<std::string> excerpt;
};

/// The new state of a delivery.
struct Result {
    enum class Kind {
        delivered,
        retry,  ///< at `next_attempt_at`
        failed, ///< has no effect if the delivery was reopened during the attempt
        /// Nothing was sent. The delivery waits until `next_attempt_at`, and its retry window is extended by
        /// the waiting time.
        waits,
        removed, ///< the delivery is removed, because its webhook was deleted
    };

    Kind kind = Kind::delivered;
    DeliveryKey key;
    core::Uuid webhook_id;
    std::string url;       ///< the URL that was called
    core::Time expires_at; ///< the value that `load_attempts` returned
    bool attempted = true; ///< whether this result counts as an attempt
    Report report{};       ///< for `delivered`, `retry` and `failed`
    core::Time next_attempt_at{};
    core::Time at; ///< when the attempt ended
    Disable disable = Disable::no;
    std::string disable_reason{};
};

/// Writes all results. Also records when a webhook last accepted a delivery, with the precision
/// `acceptance_precision`. Disables a webhook with a failed delivery according to `disable`, unless the
/// webhook's URL has changed since the attempt.
void record(pg::Tx& tx, std::span<Result const* const> results);

} // namespace outbound_webhooks::store
