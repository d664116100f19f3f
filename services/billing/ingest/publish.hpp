#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/access.hpp"
#include "domain/entitlement.hpp"
#include "pg/tx.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace billing::ingest {

/// The outbound webhook event of a changed entitlement, published in the transaction of the change.
inline constexpr std::string_view entitlement_changed = "entitlement.changed";

/// The `reason` of the event if access ended by time alone, without an event of a provider.
inline constexpr std::string_view lapsed = "lapsed";

/// Publishes changes to the scope's webhooks. A change is published if the entitlement is new, if `differs`
/// is true for its two states, or if there is a `reason`, which the event then states. `settings` are those
/// of the tenant. `traceparent` may be empty.
void publish_changes(pg::Tx& tx, core::ScopeId scope_id, AccessSettings const& settings,
    std::string const& traceparent, std::span<EntitlementChange const> changes, core::Time now,
    std::optional<std::string_view> reason = {});

} // namespace billing::ingest
