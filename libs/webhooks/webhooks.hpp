#pragma once

#include "core/clock.hpp"
#include "core/identity.hpp"
#include "http/message.hpp"
#include "pg/database.hpp"
#include "pg/migrate.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace crypto {
class Keyring;
}

namespace webhooks {

/// Tables `webhooks` and `webhook_deliveries`; needs the `jobs` component.
pg::Component const& migrations();

/// The queue of outbound deliveries; a job's ref is the delivery's id.
inline constexpr char const* queue = "webhooks";

/// Webhooks a scope may have.
inline constexpr std::size_t max_per_scope = 20;

/// Announces an event to every enabled webhook of the scope that asks for `type`: one delivery each, written
/// in the caller's transaction (which sees the scope) and sent after its commit. `data_json` is the event's
/// JSON; the body sent is `{"type":…,"timestamp":…,"data":…}` with `at` as the timestamp, the same bytes in
/// every attempt. Scope and trace are those of `context`, the request that caused it. One statement when no
/// webhook listens. Returns the number of deliveries.
std::size_t publish(pg::Tx& tx, http::Context const& context, std::string_view type,
    std::string_view data_json, core::Time at);

/// What an event that no request causes belongs to: a worker's.
struct Origin {
    std::int64_t scope_id = 0;
    std::string traceparent; ///< empty: of no trace
};

/// The same for an event of that origin.
std::size_t publish(
    pg::Tx& tx, Origin const& origin, std::string_view type, std::string_view data_json, core::Time at);

/// Seals every webhook secret of the scope anew under the keyring's first key; those that are already are
/// left alone. Returns how many changed. Throws when one cannot be opened.
std::size_t reencrypt(pg::Tx& tx, core::Scope const& scope, crypto::Keyring const& keyring);

/// Deletes at most `limit` deliveries of the given scopes (all of which the transaction sees) created before
/// `before` and not pending. Returns how many; fewer than `limit`: there are no more.
std::size_t purge(pg::Tx& tx, std::span<std::int64_t const> scopes, core::Time before, std::size_t limit);

} // namespace webhooks
