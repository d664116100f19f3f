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

/// Counts what background work comes to: `tetrad_jobs_total{queue,outcome}`,
/// `tetrad_job_duration_seconds_total{queue}`.
class JobMetrics {
public:
    explicit JobMetrics(Metrics& metrics) : metrics_(metrics) {}

    /// Shows the series of a queue from now on: a counter that appears with its first event hides it from
    /// `increase()`.
    void expect(std::string_view queue, std::initializer_list<std::string_view> outcomes);

    /// `queue` and `outcome` (`done`, `retry`, `dead`, `lost`) come from small fixed sets.
    void finished(std::string_view queue, std::string_view outcome, std::chrono::nanoseconds took);

private:
    prometheus::Counter& jobs(std::string_view queue, std::string_view outcome);
    prometheus::Counter& seconds(std::string_view queue);

    Metrics& metrics_;
};

/// Counts what one provider answers: `tetrad_provider_answers_total{provider,answer}`. Copies count into the
/// same series. Safe from any thread; no lock, no allocation.
class AnswerMetrics {
public:
    /// `answers`: a small fixed set, shown from now on.
    AnswerMetrics(Metrics& metrics, std::string const& provider, std::span<std::string_view const> answers);

    /// `answer`: its place in `answers`.
    void count(std::size_t answer, std::size_t times = 1) const noexcept;

private:
    std::vector<prometheus::Counter*> counters_;
};

} // namespace observe
