#pragma once

#include "core/enum_names.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace billing {

using core::to_string;

/// The origin of an entitlement. A source never changes the entitlements of another source.
enum class Source : std::uint8_t { purchases, payments, manual };

constexpr auto enum_names(Source)
{
    return std::to_array<std::string_view>({"purchases", "payments", "manual"});
}

/// The status that the last event left. Responses show `past_due` as `active` or `expired`, depending on the
/// tenant's settings (`shown_status`).
enum class Status : std::uint8_t { active, expired, paused, past_due };

constexpr auto enum_names(Status)
{
    return std::to_array<std::string_view>({"active", "expired", "paused", "past_due"});
}

/// The store in upper case, as the purchase provider's events name it. Stores that the provider does not
/// document are `OTHER`, so that a purchase has a bounded number of stores. Empty: unknown.
std::string store_of(std::string_view name);

/// The store of purchases through the payments provider.
inline constexpr std::string_view stripe_store = "STRIPE";

} // namespace billing
