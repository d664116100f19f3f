#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace prometheus {
class Collectable;
}

namespace observe {

/// Every metric of one process, with the text exposition Prometheus scrapes. Names start with `tetrad_` and
/// every series carries the label `service`, but for the standard `process_*`. Safe from any thread.
class Metrics {
public:
    using Labels = std::map<std::string, std::string>;

    /// `service`: `feedback`. `version` is shown by `tetrad_build_info`.
    explicit Metrics(std::string service, std::string const& version = {});
    ~Metrics();
    Metrics(Metrics const&) = delete;
    Metrics& operator=(Metrics const&) = delete;

    /// The counter or gauge of that name and labels, made on first use (takes a lock: keep the reference
    /// where it is hot). It lives as long as this object. `help` is shown as it is: no backslash, no line
    /// break. Throws std::invalid_argument for a name Prometheus does not take.
    prometheus::Counter& counter(std::string const& name, std::string const& help, Labels const& labels = {});
    prometheus::Gauge& gauge(std::string const& name, std::string const& help, Labels const& labels = {});

    /// A gauge read when it is scraped (`tetrad_database_queue_jobs`). `read` is quick, safe from any thread
    /// and stays valid until the last call of `expose()`.
    void gauge_callback(std::string const& name, std::string const& help, std::function<double()> read,
        Labels const& labels = {});

    /// Adds series that something else keeps; dropped when `collectable` goes away.
    void add(std::weak_ptr<prometheus::Collectable> const& collectable);

    /// Prometheus text format 0.0.4.
    std::string expose() const;

    std::string const& service() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Counts what background work comes to: `tetrad_jobs_total{kind,outcome}`,
/// `tetrad_job_duration_seconds_total{kind}`.
class JobMetrics {
public:
    explicit JobMetrics(Metrics& metrics) : metrics_(metrics) {}

    /// `kind` and `outcome` (`done`, `retried`, `failed`) come from small fixed sets.
    void finished(std::string_view kind, std::string_view outcome, std::chrono::nanoseconds took);

private:
    Metrics& metrics_;
};

} // namespace observe
