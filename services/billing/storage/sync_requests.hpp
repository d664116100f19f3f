#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "core/user_id.hpp"
#include "domain/source.hpp"
#include "pg/sql.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <span>

/// The table `sync_requests`: users that the reconciler must sync because of an event, by the environment of
/// the event. A sync covers both environments.
namespace billing::sync_requests {

/// The queue of the reconciler. The scope of a job is the tenant's production scope.
inline constexpr char const* queue = "reconcile";

/// The maximum numbers of a scope's waiting requests per source: of those because of a TRANSFER, and of all
/// others.
inline constexpr std::size_t max_waiting = 10'000;

struct SyncRequest {
    core::UserId user_id;
    bool is_transfer = false; ///< because of a TRANSFER
    /// When the purchases that the user no longer has moved to another user; nullopt: unknown.
    std::optional<core::Time> ended_at;
};

/// Inserts requests, and enqueues the job of the reconciler. A waiting request of the same user keeps its
/// position among its kind, and its wait after a failure ends. Drops new requests while `max_waiting`
/// requests of their kind wait. The users must be distinct.
void insert(pg::Tx& tx, core::ScopeId scope_id, Source source, std::span<SyncRequest const> requests);

/// Whether `max_waiting` requests of a source wait in one of the environments, so that `insert` drops new
/// ones. The transaction must see both scopes.
bool is_full(pg::Tx& tx, core::TenantId tenant_id);

/// A waiting request.
struct Waiting {
    core::ScopeId scope_id{};
    core::UserId user_id;
    Source source{};
};

/// The request whose turn it is. Those of production come first, then those because of a TRANSFER, then those
/// that have waited longer. Leaves out requests that wait after a
/// failure, users with a lease, and sources for which the tenant has a pause (syncs.hpp). `now`: jobs::now.
/// The transaction must see both scopes.
std::optional<Waiting> next(
    pg::Tx& tx, core::TenantId tenant_id, std::span<Source const> sources, core::Time now);

/// SQL: whether `next` may return the row `r` of sync_requests, unless the tenant `k.tenant_id` has a pause;
/// $3 is `now`.
inline constexpr auto may_serve_condition = pg::sql(R"(
    (r.not_before IS NULL OR r.not_before <= $3::timestamptz) AND NOT EXISTS (
        SELECT
        FROM syncs s
        WHERE s.tenant_id = k.tenant_id AND s.user_id = r.user_id AND s.leased_until > $3::timestamptz
    ))");

/// Deletes and returns the request of a user who was synced. A request that was made or repeated after
/// `sent_at`, the time of the database before the provider was asked, stays.
std::optional<SyncRequest> complete(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, Source source, core::Time sent_at);

/// Makes the requests of a user in both environments wait until `not_before`. The transaction must see both
/// scopes.
void delay(
    pg::Tx& tx, core::TenantId tenant_id, core::UserId const& user_id, Source source, core::Time not_before);

/// Deletes the requests of a user.
void remove(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id);

} // namespace billing::sync_requests
