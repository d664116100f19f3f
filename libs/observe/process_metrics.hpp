#pragma once

#include <prometheus/collectable.h>

namespace observe {

/// The standard `process_*` metrics, read from /proc at each scrape.
class ProcessMetrics final : public prometheus::Collectable {
public:
    std::vector<prometheus::MetricFamily> Collect() const override; // NOLINT(readability-identifier-naming)
};

} // namespace observe
