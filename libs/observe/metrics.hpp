#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prometheus {
class Collectable;
}

namespace observe {

/// All metrics of one process, and their text exposition for Prometheus. Except for the standard `process_*`
/// metrics, names start with `tetrad_`, and every series has the label `service`. Thread-safe.
class Metrics {
public:
    using Labels = std::map<std::string, std::string>;

    /// `service`: `feedback`. `version` is shown by `tetrad_build_info`.
    explicit Metrics(std::string service, std::string const& version = {});
    ~Metrics();
    Metrics(Metrics const&) = delete;
    Metrics& operator=(Metrics const&) = delete;

    /// Returns the counter or gauge with that name and these labels, and creates it on first use. Takes a
    /// lock, so frequent callers should keep the reference. The reference stays valid as long as this object.
    /// `help` must contain no backslash and no line break, because it is not escaped. Throws
    /// std::invalid_argument for a name that is not valid in Prometheus.
    prometheus::Counter& counter(std::string const& name, std::string const& help, Labels const& labels = {});
    prometheus::Gauge& gauge(std::string const& name, std::string const& help, Labels const& labels = {});

    /// A gauge whose value is read at each scrape (`tetrad_database_queue_jobs`). `read` must be fast and
    /// thread-safe, and must stay valid until the last call of `expose()`.
    void gauge_callback(std::string const& name, std::string const& help, std::function<double()> read,
        Labels const& labels = {});

    /// Adds the series of another object. These series are no longer exposed once `collectable` is destroyed.
    void add(std::weak_ptr<prometheus::Collectable> const& collectable);

    /// Prometheus text format 0.0.4.
    std::string expose() const;

    std::string const& service() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Counts runs of background jobs: `tetrad_jobs_total{queue,outcome}`,
/// `tetrad_job_duration_seconds_total{queue}`.
class JobMetrics {
public:
    explicit JobMetrics(Metrics& metrics) : metrics_(metrics) {}

    /// Creates the series of a queue with value 0. Without this, a series would begin with its first event,
    /// and `increase()` in Prometheus would miss that event.
    void create_series(std::string_view queue, std::initializer_list<std::string_view> outcomes);

    /// `queue` and `outcome` (`done`, `retry`, `dead`, `lost`) must come from small fixed sets.
    void finished(std::string_view queue, std::string_view outcome, std::chrono::nanoseconds took);

private:
    prometheus::Counter& jobs(std::string_view queue, std::string_view outcome);
    prometheus::Counter& seconds(std::string_view queue);

    Metrics& metrics_;
};

/// Counts the responses of one provider: `tetrad_provider_answers_total{provider,answer}`. Copies of this
/// object count in the same series. Thread-safe; no lock, no allocation.
class AnswerMetrics {
public:
    /// `answers`: a small fixed set of label values. The constructor creates their series with value 0.
    AnswerMetrics(Metrics& metrics, std::string const& provider, std::span<std::string_view const> answers);

    /// `answer`: an index into `answers`.
    void count(std::size_t answer, std::size_t times = 1) const noexcept;

private:
    std::vector<prometheus::Counter*> counters_;
};

} // namespace observe
