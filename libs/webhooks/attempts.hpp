#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "pg/database.hpp"
#include "webhooks/policy.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The SQL of attempts at deliveries, many at a time: each function is one statement, or one for each kind of
/// row it writes. They run in a transaction that sees all scopes concerned.
namespace webhooks::store {

/// Names a delivery.
struct DeliveryKey {
    std::int64_t scope_id = 0;
    core::Uuid delivery_id;
};

/// What one attempt needs.
struct Attempt {
    DeliveryKey key;
    bool pending = false;
    std::size_t payload_bytes = 0;
    std::optional<std::string> payload; ///< nullopt: left out, since there were too many bytes
    std::optional<std::string> traceparent;
    core::Time expires_at;
    bool webhook_exists = false; ///< the rest is set only then
    core::Uuid webhook_id;
    std::string url;
    bool enabled = false;
    std::string sealed_secret;
    std::optional<std::string> sealed_previous; ///< while it still signs
};

/// The deliveries that exist, in the order of `keys`. Payloads come to at most `payload_limit` bytes, the
/// first one apart.
std::vector<Attempt> load_attempts(
    pg::Tx& tx, std::span<DeliveryKey const> keys, std::size_t payload_limit, core::Time now);

/// How an attempt ended, as it is written down.
struct Report {
    unsigned status = 0; ///< 0: no response
    std::optional<std::string> error;
    std::optional<std::string> excerpt;
};

/// What becomes of a delivery.
struct Result {
    enum class Kind {
        delivered,
        retry,  ///< again at `next_attempt_at`
        failed, ///< unless it was reopened meanwhile
        /// Nothing was sent: it waits until `next_attempt_at`, and its window moves on by as much as it has
        /// waited.
        waits,
        removed, ///< its webhook is gone
    };

    Kind kind = Kind::delivered;
    DeliveryKey key;
    core::Uuid webhook_id;
    std::string url;       ///< that was called
    core::Time expires_at; ///< when it was loaded
    bool attempted = true; ///< whether it counts as an attempt
    Report report{};       ///< of delivered, retry and failed
    core::Time next_attempt_at{};
    core::Time at; ///< when it ended
    Disable disable = Disable::no;
    std::string disable_reason{};
};

/// Writes all results. A webhook that accepted a delivery has the time of that recorded
/// (`acceptance_precision`). A webhook with a failed delivery is disabled as `disable` says, unless its URL
/// has changed since the attempt.
void record(pg::Tx& tx, std::span<Result const* const> results);

} // namespace webhooks::store
