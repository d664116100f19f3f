#include "metrics.hpp"

#include <prometheus/counter.h>

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
    for (std::size_t p = 0; p < providers.size(); ++p) {
        for (std::size_t r = 0; r < event_results.size(); ++r)
            counters_[p][r] = counter(providers[p], event_results[r]);
        counters_[p].back() = counter(providers[p], "refused");
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
