#pragma once

#include "core/clock.hpp"

#include <compare>
#include <string>

namespace billing {

/// The position of an event among the events of one entitlement. The event with the greatest position decides
/// the entitlement's state, regardless of the order in which events arrive. Positions are compared by the
/// provider's time, then the rank of the type, then the period end, then the event id (bytewise).
struct EventOrder {
    core::Time at;                             ///< the provider's time
    int rank = 0;                              ///< rank_of(): orders types of events at the same time
    core::Time period_end = core::Time::max(); ///< max: the event states no period end
    std::string event_id;

    friend auto operator<=>(EventOrder const&, EventOrder const&) = default;
};

/// The value of a time that is not known before the row is stored. The statement that stores the row writes
/// the time of the database's clock instead of this value.
inline constexpr core::Time set_by_database = core::Time::max();

} // namespace billing
