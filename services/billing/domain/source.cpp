#include "domain/source.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>

namespace billing {

std::string store_of(std::string_view name)
{
    // https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields
    static constexpr std::array<std::string_view, 11> stores{"AMAZON", "APP_STORE", "EXTERNAL", "GALAXY",
        "MAC_APP_STORE", "PADDLE", "PLAY_STORE", "PROMOTIONAL", "RC_BILLING", "ROKU", "STRIPE"};
    auto upper = core::upper(name);
    bool const is_known = upper.empty() || std::ranges::find(stores, upper) != stores.end();
    return is_known ? upper : "OTHER";
}

} // namespace billing
