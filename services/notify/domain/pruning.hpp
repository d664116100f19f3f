#pragma once

#include <cstdint>

namespace notify {

/// Below this number of devices that a carrier has answered, pruning never stops.
inline constexpr std::int64_t min_answered = 50;

/// Whether so many devices of a credential are reported gone that the credential probably belongs to another
/// app. The carrier's answers then remove no devices any more. `answered`: the distinct devices that the
/// carrier has answered with "accepted" or "token gone", in one broadcast, or in the direct pushes of a day.
/// `gone`: the devices of the latter.
constexpr bool is_suspicious(std::int64_t answered, std::int64_t gone) noexcept
{
    return answered >= min_answered && gone * 2 > answered;
}

} // namespace notify
