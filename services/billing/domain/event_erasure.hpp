#pragma once

#include "core/user_id.hpp"
#include "domain/event.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace billing {

/// The payload of an event whose payload was removed: JSON null.
inline constexpr std::string_view removed_payload = "null";

/// An archived event after the erasure of users.
struct ErasedEvent {
    std::optional<core::UserId> user_id; ///< the pseudonym if the event's user was erased
    std::string payload;
    /// Whether the event no longer belongs to a user: its payload was removed, or its user was erased. Such
    /// an event is not applied again.
    bool is_erased = false;
    std::vector<core::UserId> unfiled; ///< the users to remove from the event's rows in `event_users`
};

/// Erases users from an event of the archive. `user_id` is the event's user, and `payload` its body. At least
/// one of the users in `erased` is `user_id` or is named in the payload.
///
/// - If the event names no other person (`is_person`), the payload is removed.
/// - If the event names other persons too, `pseudonym` replaces the ids of the erased users, everywhere in
///   the payload. The attributes of the subscriber are removed, unless they belong to another user.
/// - A payment event, or an event of this service, of an erased user loses its payload in any case, because
///   the payload describes the user's purchases, subscription or payment.
/// - A payload that is not JSON is removed.
ErasedEvent erase_from_event(Provider provider, std::optional<core::UserId> const& user_id,
    std::string const& payload, std::span<core::UserId const> erased, core::UserId const& pseudonym);

} // namespace billing
