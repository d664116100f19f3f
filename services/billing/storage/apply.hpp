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

/// Events into entitlements: archive row, dedupe claim and entitlements change in one transaction, under the
/// lock of the scope that the event belongs to.
namespace billing::apply {

/// An event on its way in.
struct Incoming {
    std::int64_t scope_id = 0; ///< that of the event's environment
    core::Uuid archive_id;
    Event event;
    bool rejected = false; ///< malformed: archived, and that is all
    std::string body;      ///< as it came
    PaymentRules rules;
    std::string traceparent; ///< of the request; or empty
};

/// Takes in many events of many scopes: two or three statements for all of them. nullopt for one that needs a
/// transaction of its own (`take_in`): because a webhook listens, because its history has to be read again,
/// or because another changed what it depends on in between.
pg::Batch<std::optional<Outcome>> take_in_batch(pg::Session& session, std::span<Incoming const> events);

/// Takes in one, and announces what it changes. The transaction sees the scope.
Outcome take_in(pg::Tx& tx, Incoming const& incoming);

/// Looks at an archived event again, received when it was: what had become of it becomes of it again where it
/// was lost, and nothing where it was not (`duplicate`, `stale`). One that was rejected is rejected again:
/// its provider was told so and its id is not claimed, it lies where it was posted instead of in its
/// environment, and bytes of it may have been replaced. The row in the archive is changed only if the event
/// is applied now and was not. The transaction sees the scope, whose lock this takes.
Outcome replay(pg::Tx& tx, std::int64_t scope_id, archive::Archived const& event, PaymentRules const& rules,
    std::string const& traceparent);

/// What webhooks announce, in the transaction that changes it.
inline constexpr std::string_view entitlement_changed = "entitlement.changed";

/// An entitlement that was written: as it was, and as it is.
struct Change {
    std::optional<Entitlement> from; ///< nullopt: it was made
    Entitlement to;
};

/// Announces changes to the webhooks of the scope. One that nobody would see changed is not announced.
void announce(pg::Tx& tx, std::int64_t scope_id, std::string const& traceparent,
    std::span<Change const> changes, core::Time now);

} // namespace billing::apply
