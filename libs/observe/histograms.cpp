#include "observe/histograms.hpp"

#include <utility>

namespace observe {

Histograms::Histograms(
    Metrics& metrics, std::string const& name, std::string const& help, std::vector<double> bounds)
    : service_(metrics.service()), bounds_(std::move(bounds)),
      registry_(std::make_shared<prometheus::Registry>()),
      family_(prometheus::BuildHistogram().Name(name).Help(help).Register(*registry_))
{
    metrics.add(registry_);
}

prometheus::Histogram& Histograms::with(Metrics::Labels labels)
{
    labels.emplace("service", service_);
    return family_.Add(labels, bounds_);
}

} // namespace observe
