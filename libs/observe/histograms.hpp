#pragma once

#include "observe/metrics.hpp"

#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <vector>

namespace observe {

/// Histograms of one metric, with different labels. Thread-safe.
class Histograms {
public:
    /// `name` as in Metrics::counter. `bounds`: the upper bounds of the buckets, ascending. `metrics` exposes
    /// the series until this object is destroyed.
    Histograms(
        Metrics& metrics, std::string const& name, std::string const& help, std::vector<double> bounds);

    /// The histogram with these labels, made on first use. The reference stays valid as long as this object.
    prometheus::Histogram& with(Metrics::Labels labels);

private:
    std::string const service_;
    std::vector<double> const bounds_;
    std::shared_ptr<prometheus::Registry> const registry_;
    prometheus::Family<prometheus::Histogram>& family_;
};

} // namespace observe
