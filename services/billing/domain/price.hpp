#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace billing {

/// The price of one unit, in the currency's minor units.
struct Price {
    std::int64_t amount = 0;
    std::string currency; ///< ISO 4217, upper case

    friend bool operator==(Price const&, Price const&) = default;
};

/// `amount` per unit, for `quantity` units, per month of a period of `months`. nullopt if the result is out
/// of the range of amounts.
std::optional<std::int64_t> monthly_amount(std::int64_t amount, std::int64_t quantity, double months);

/// The greatest amount: a greater number in an event is no amount.
inline constexpr double max_amount = 1e12;

/// The number of minor units in one unit of an ISO 4217 currency: 1, 100 or 1000. Accepts both cases.
int minor_units(std::string_view currency);

} // namespace billing
