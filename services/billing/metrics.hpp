#pragma once

#include "domain/event.hpp"
#include "observe/metrics.hpp"

#include <array>

namespace billing {

/// Counts what comes of the providers' events: `tetrad_billing_events_total{provider,result}`, those without
/// a good credential as `refused`.
class EventMetrics {
public:
    explicit EventMetrics(observe::Metrics& metrics);

    void count(Provider provider, Result result) noexcept;
    void count_refused(Provider provider) noexcept;

private:
    using Counters = std::array<prometheus::Counter*, results.size() + 1>; ///< by result, then `refused`
    std::array<Counters, providers.size()> counters_{};
};

} // namespace billing
