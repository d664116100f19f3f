#pragma once

#include "core/enum_names.hpp"
#include "domain/purchase_rules.hpp"
#include "domain/subscription.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace billing {

using core::to_string;

/// The result of ingesting an event.
enum class EventResult : std::uint8_t {
    applied,   ///< the event decides the state, or contributes to it
    skipped,   ///< the event has no effect now; `reason` states why
    duplicate, ///< an event with this id was received before; this event is not archived
    stale,     ///< events with later positions were applied before; this event does not change the state
    rejected,  ///< the event is malformed; its provider gets status 400
    deferred,  ///< the tenant is suspended; the event is applied when the tenant resumes
};

constexpr auto enum_names(EventResult)
{
    return std::to_array<std::string_view>(
        {"applied", "skipped", "duplicate", "stale", "rejected", "deferred"});
}

/// The result of an event, and its reason, such as `unhandled_type` or `no_user`.
struct EventOutcome {
    EventResult result{};
    std::string reason; ///< may be empty

    /// The reason as it is stored: nullopt if it is empty.
    std::optional<std::string> stored_reason() const
    {
        return reason.empty() ? std::nullopt : std::optional(reason);
    }

    friend bool operator==(EventOutcome const&, EventOutcome const&) = default;
};

/// The reason of a paid invoice that arrived before its subscription.
inline constexpr std::string_view awaiting_subscription = "awaiting_subscription";

/// The reason of a refund or a lost dispute of which no purchase is known yet.
inline constexpr std::string_view unknown_charge = "unknown_charge";

/// The reason of an event of a user whose account was deleted, and of the replay of an erased event.
inline constexpr std::string_view user_erased = "user_erased";

/// The outcome of a decision. Precondition: the decision is not `needs_history`.
EventOutcome outcome_of(PurchaseDecision const& decision);
EventOutcome outcome_of(PaymentDecision::Kind kind);

} // namespace billing
