#pragma once
// Only the job handlers use this header.

#include "core/clock.hpp"
#include "observe/histograms.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace notify {

/// Measures the time from the moment when a notification is due until a provider accepts it:
/// `tetrad_delivery_seconds{provider}`.
class DeliveryLatencies : public observe::Histograms {
public:
    explicit DeliveryLatencies(observe::Metrics& metrics)
        : Histograms(metrics, "tetrad_delivery_seconds",
              "Time from when a notification is due until its provider accepts it.",
              {0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1'800})
    {
    }
};

/// The deliveries through one provider. Thread-safe.
class DeliveryLatency {
public:
    /// `provider`: a carrier, or `email`. `all` outlives this object.
    DeliveryLatency(DeliveryLatencies& all, std::string const& provider)
        : histogram_(all.with({{"provider", provider}}))
    {
    }

    void accepted(core::Time due, core::Time now) const
    {
        histogram_.Observe(std::max(0.0, std::chrono::duration<double>(now - due).count()));
    }

private:
    prometheus::Histogram& histogram_;
};

} // namespace notify
