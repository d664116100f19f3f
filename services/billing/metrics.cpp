#include "metrics.hpp"

#include <prometheus/counter.h>

#include <algorithm>
#include <string>

namespace billing {

EventMetrics::EventMetrics(observe::Metrics& metrics)
{
    auto const counter = [&](std::string_view provider, std::string_view result) {
        return &metrics.counter("tetrad_billing_events_total",
            "Events received from the providers, by result. refused counts requests without a valid secret "
            "or signature",
            {{"provider", std::string(provider)}, {"result", std::string(result)}});
    };
    for (std::size_t p = 0; p < counters_.size(); ++p) {
        auto const provider = core::names_of<Provider>[p];
        std::ranges::transform(core::names_of<EventResult>, counters_[p].begin(),
            [&](std::string_view result) { return counter(provider, result); });
        counters_[p].back() = counter(provider, "refused");
    }
}

void EventMetrics::count(Provider provider, EventResult result) noexcept
{
    counters_[static_cast<std::size_t>(provider)][static_cast<std::size_t>(result)]->Increment();
}

void EventMetrics::count_refused(Provider provider) noexcept
{
    counters_[static_cast<std::size_t>(provider)].back()->Increment();
}

} // namespace billing
