#pragma once

#include "core/identity.hpp"
#include "domain/event.hpp"
#include "pg/database.hpp"
#include "storage/archive.hpp"
#include "storage/entitlements.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Turns events into entitlements. The archive row, the claim that deduplicates the event, and the
/// entitlements are written in one transaction, under the lock of the event's scope.
namespace billing::apply {

/// A received event.
struct Incoming {
    std::int64_t scope_id = 0; ///< of the event's environment
    core::Uuid archive_id;
    Event event;
    bool rejected = false; ///< true: the event is malformed, so it is only archived
    std::string body;      ///< as received
    PaymentRules rules;
    std::string traceparent; ///< of the request; may be empty
};

/// Takes in many events of many scopes in few statements. The result of an event is nullopt if the event
/// needs a transaction of its own (`take_in`). Reasons: its scope has an enabled webhook, its history must be
/// read, or another transaction has changed rows that the event depends on.
pg::Batch<std::optional<Outcome>> take_in_batch(pg::Session& session, std::span<Incoming const> events);

/// Takes in one event and publishes the changes. The transaction must see the scope.
Outcome take_in(pg::Tx& tx, Incoming const& incoming);

/// Applies an archived event again, with its original time of receipt. If the event's effect is already
/// stored, the result is `duplicate` or `stale`. A rejected event is rejected again, for these reasons: its
/// provider got status 400, its id is not claimed, it is archived in the scope that it was posted to, and
/// some of its bytes may have been replaced. The archive row changes only if the event is applied now and was
/// not applied before. The transaction must see the scope; `replay` takes the scope's lock.
Outcome replay(pg::Tx& tx, std::int64_t scope_id, archive::Archived const& event, PaymentRules const& rules,
    std::string const& traceparent);

/// The webhook event of a changed entitlement, published in the transaction of the change.
inline constexpr std::string_view entitlement_changed = "entitlement.changed";

/// A written entitlement, before and after.
struct Change {
    std::optional<Entitlement> from; ///< nullopt: the entitlement is new
    Entitlement to;
};

/// Publishes changes to the scope's webhooks. A change is published if the entitlement is new, or if
/// `differs` is true for its two states.
void announce(pg::Tx& tx, std::int64_t scope_id, std::string const& traceparent,
    std::span<Change const> changes, core::Time now);

} // namespace billing::apply
