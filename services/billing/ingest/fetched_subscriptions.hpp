#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/entitlement.hpp"
#include "pg/tx.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace billing::ingest {

/// When subscriptions were requested from the payments provider.
struct FetchTimes {
    core::Time watermark; ///< just before the request: `watermark_of` (domain/sync.hpp)
    /// Before the request, by the clock that stored rows have: `event_archive::now`.
    core::Time sent_at;
};

/// The effect of fetched subscriptions on one scope.
struct FetchedCounts {
    std::size_t processed = 0; ///< subscriptions of the environment
    std::size_t changed = 0;   ///< subscriptions whose stored state changed
    std::size_t failed = 0;    ///< subscriptions that are malformed
};

/// Stores the state of one user's subscriptions, as the payments provider's API returned it, and archives
/// each one whose stored state changes as an event SYNC. `objects`: the provider's JSON; those of the other
/// environment, and those of users whose account was deleted, are ignored. A subscription whose stored state
/// was written after `sent_at` changes only if the fetched state is later. Publishes the changes, and returns
/// them.
///
/// Takes the scope's lock, and reads the stored states of all objects in one statement, so unchanged
/// subscriptions cost little. The transaction must see both scopes of the tenant, because the production
/// scope has the settings.
std::vector<EntitlementChange> apply_fetched(pg::Tx& tx, core::Scope const& scope,
    std::span<boost::json::value const> objects, FetchTimes const& times, std::string const& traceparent);

/// Like `apply_fetched`, for subscriptions of many users. The events are ingested together, like a batch of
/// events that a provider posts.
FetchedCounts apply_many_fetched(pg::Tx& tx, core::Scope const& scope,
    std::span<boost::json::value const> objects, FetchTimes const& times, std::string const& traceparent);

} // namespace billing::ingest
