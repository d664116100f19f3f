#pragma once

#include "domain/event.hpp"
#include "domain/event_outcome.hpp"
#include "observe/metrics.hpp"

#include <array>

namespace billing {

/// Counts the providers' events by result: `tetrad_billing_events_total{provider,result}`. Requests without a
/// valid secret or signature count as `refused`.
class EventMetrics {
public:
    explicit EventMetrics(observe::Metrics& metrics);

    void count(Provider provider, EventResult result) noexcept;
    void count_refused(Provider provider) noexcept;

private:
    /// One counter per result. The last counter counts refused requests.
    using Counters = std::array<prometheus::Counter*, core::names_of<EventResult>.size() + 1>;
    std::array<Counters, core::names_of<Provider>.size()> counters_{};
};

} // namespace billing
