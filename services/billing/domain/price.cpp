#include "domain/price.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace billing {

std::optional<std::int64_t> monthly_amount(std::int64_t amount, std::int64_t quantity, double months)
{
    double const monthly = static_cast<double>(amount) * static_cast<double>(quantity) / months;
    if (!(std::abs(monthly) <= max_amount)) return std::nullopt; // also refuses NaN
    return std::llround(monthly);
}

int minor_units(std::string_view currency)
{
    // ISO 4217, table A.1: the currencies whose minor unit is not a hundredth.
    static constexpr std::array<std::string_view, 16> without{"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF",
        "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"};
    static constexpr std::array<std::string_view, 7> thousandths{
        "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"};
    auto const code = core::upper(currency);
    if (std::ranges::find(without, code) != without.end()) return 1;
    return std::ranges::find(thousandths, code) != thousandths.end() ? 1000 : 100;
}

} // namespace billing
