#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/identity.hpp"
#include "domain/entitlement.hpp"
#include "domain/shown.hpp"
#include "pg/database.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The table `entitlements`. Whoever writes it holds the scope's lock (pg::serialise; of both scopes of a
/// tenant the smaller id first), so that what was read under the lock is still so when it is written.
namespace billing::entitlements {

using billing::CatalogProduct, billing::Shown;

/// A user, for the batches.
struct UserKey {
    std::int64_t scope_id = 0;
    std::string user_id;
};

/// Whether a user may use something now.
struct FeatureQuery {
    std::int64_t scope_id = 0;
    std::string user_id;
    std::string feature;
    core::Time now;
};

struct Feature {
    bool granted = false;
    std::optional<core::Time> until; ///< of one that is granted; nullopt: for ever
};

/// What a batch reads of one user at most: everybody in it waits for all of it.
inline constexpr std::size_t max_in_batch = 100;

/// Everything a user has or had, newest first, for many users in one statement; nullopt: more than
/// `max_in_batch`, for `of_user`.
pg::Batch<std::optional<std::vector<Shown>>> of_user_batch(
    pg::Session& session, std::span<UserKey const> users);

/// The answers to many questions in one statement; nullopt: the user has or had more than `max_in_batch`, for
/// `feature`.
pg::Batch<std::optional<Feature>> features_batch(pg::Session& session, std::span<FeatureQuery const> queries);

/// The answer to one, whatever the user has.
Feature feature(pg::Tx& tx, FeatureQuery const& query);

/// Everything a user has or had, newest first.
std::vector<Shown> of_user(pg::Tx& tx, core::Scope const& scope, std::string const& user_id);

/// The same as rows, of one source, ordered by id.
std::vector<Entitlement> of_source(
    pg::Tx& tx, std::int64_t scope_id, std::string const& user_id, Source source);

/// One of a user's.
std::optional<Shown> get(
    pg::Tx& tx, core::Scope const& scope, std::string const& user_id, core::Uuid entitlement_id);

/// Entitlements that were not read from the table, with what the catalog has of their products.
std::vector<Shown> join_catalog(pg::Tx& tx, core::Scope const& scope, std::vector<Entitlement> entitlements);

/// Those of these ids that there are.
std::vector<Entitlement> by_ids(pg::Tx& tx, std::int64_t scope_id, std::span<core::Uuid const> ids);

/// Inserts or replaces, and fills in what `on_arrival` stood for and the revision. No two are the same one.
void put(pg::Tx& tx, std::int64_t scope_id, std::span<Entitlement> entitlements);
void put(pg::Tx& tx, std::int64_t scope_id, Entitlement& entitlement);

/// Removes one that only ever was there by mistake: what it was read from turned out to say something else.
void remove(pg::Tx& tx, std::int64_t scope_id, core::Uuid entitlement_id);

} // namespace billing::entitlements
