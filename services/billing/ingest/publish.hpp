#pragma once

#include "core/clock.hpp"
#include "core/scope.hpp"
#include "domain/entitlement.hpp"
#include "pg/tx.hpp"

#include <span>
#include <string>
#include <string_view>

namespace billing::ingest {

/// The outbound webhook event of a changed entitlement, published in the transaction of the change.
inline constexpr std::string_view entitlement_changed = "entitlement.changed";

/// Publishes changes to the scope's webhooks. A change is published if the entitlement is new, or if
/// `differs` is true for its two states. `traceparent` may be empty.
void publish_changes(pg::Tx& tx, core::ScopeId scope_id, std::string const& traceparent,
    std::span<EntitlementChange const> changes, core::Time now);

} // namespace billing::ingest
