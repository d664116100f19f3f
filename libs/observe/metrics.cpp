#include "observe/metrics.hpp"

#include "observe/process_metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>
#include <vector>

namespace observe {

namespace {

std::vector<prometheus::ClientMetric::Label> to_vector(Metrics::Labels const& labels)
{
    std::vector<prometheus::ClientMetric::Label> out;
    for (auto const& [name, value] : labels)
        out.push_back({name, value});
    return out;
}

/// Gauges whose values are read at each scrape, by family.
class CallbackGauges final : public prometheus::Collectable {
public:
    void add(std::string const& name, std::string const& help, std::function<double()> read,
        Metrics::Labels const& labels)
    {
        std::lock_guard const lock(mutex_);
        auto& family = families_[name];
        family.help = help;
        family.gauges.push_back({to_vector(labels), std::move(read)});
    }

    std::vector<prometheus::MetricFamily> Collect() const override
    {
        std::lock_guard const lock(mutex_);
        std::vector<prometheus::MetricFamily> out;
        for (auto const& [name, family] : families_) {
            prometheus::MetricFamily shown{name, family.help, prometheus::MetricType::Gauge, {}};
            for (auto const& gauge : family.gauges) {
                auto& metric = shown.metric.emplace_back();
                metric.label = gauge.labels;
                metric.gauge.value = gauge.read();
            }
            out.push_back(std::move(shown));
        }
        return out;
    }

private:
    struct Gauge {
        std::vector<prometheus::ClientMetric::Label> labels;
        std::function<double()> read;
    };

    struct Family {
        std::string help;
        std::vector<Gauge> gauges;
    };

    mutable std::mutex mutex_;
    std::map<std::string, Family> families_;
};

} // namespace

struct Metrics::Impl {
    explicit Impl(std::string name) : service(std::move(name)) {}

    Labels with_service(Labels labels) const
    {
        labels.emplace("service", service);
        return labels;
    }

    std::string const service;
    prometheus::Registry registry;
    CallbackGauges callbacks;
    ProcessMetrics process;
    std::mutex mutex;
    std::vector<std::weak_ptr<prometheus::Collectable>> others;
};

Metrics::Metrics(std::string service, std::string const& version)
    : impl_(std::make_unique<Impl>(std::move(service)))
{
    if (!version.empty())
        gauge("tetrad_build_info", "The running version; always 1.", {{"version", version}}).Set(1);
}

Metrics::~Metrics() = default;

std::string const& Metrics::service() const noexcept
{
    return impl_->service;
}

prometheus::Counter& Metrics::counter(std::string const& name, std::string const& help, Labels const& labels)
{
    auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(impl_->registry);
    return family.Add(impl_->with_service(labels));
}

prometheus::Gauge& Metrics::gauge(std::string const& name, std::string const& help, Labels const& labels)
{
    auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(impl_->registry);
    return family.Add(impl_->with_service(labels));
}

void Metrics::gauge_callback(
    std::string const& name, std::string const& help, std::function<double()> read, Labels const& labels)
{
    impl_->callbacks.add(name, help, std::move(read), impl_->with_service(labels));
}

void Metrics::add(std::weak_ptr<prometheus::Collectable> const& collectable)
{
    std::lock_guard const lock(impl_->mutex);
    impl_->others.push_back(collectable);
}

std::string Metrics::expose() const
{
    auto families = impl_->registry.Collect();
    auto const append = [&families](std::vector<prometheus::MetricFamily> more) {
        families.insert(
            families.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    append(impl_->callbacks.Collect());
    append(impl_->process.Collect());
    {
        std::lock_guard const lock(impl_->mutex);
        std::erase_if(impl_->others, [](auto const& weak) { return weak.expired(); });
        for (auto const& weak : impl_->others)
            if (auto const other = weak.lock()) append(other->Collect());
    }
    // A family without series is omitted, because promtool reports it as an error.
    std::erase_if(families, [](auto const& family) { return family.metric.empty(); });
    return prometheus::TextSerializer().Serialize(families);
}

prometheus::Counter& JobMetrics::jobs(std::string_view queue, std::string_view outcome)
{
    return metrics_.counter("tetrad_jobs_total", "Runs of background jobs, by outcome.",
        {{"queue", std::string(queue)}, {"outcome", std::string(outcome)}});
}

prometheus::Counter& JobMetrics::seconds(std::string_view queue)
{
    return metrics_.counter("tetrad_job_duration_seconds_total", "Time spent in background jobs, in seconds.",
        {{"queue", std::string(queue)}});
}

void JobMetrics::create_series(std::string_view queue, std::initializer_list<std::string_view> outcomes)
{
    for (auto const outcome : outcomes)
        jobs(queue, outcome);
    seconds(queue);
}

void JobMetrics::finished(std::string_view queue, std::string_view outcome, std::chrono::nanoseconds took)
{
    jobs(queue, outcome).Increment();
    seconds(queue).Increment(std::chrono::duration<double>(took).count());
}

AnswerMetrics::AnswerMetrics(
    Metrics& metrics, std::string const& provider, std::span<std::string_view const> answers)
{
    for (auto const answer : answers) {
        counters_.push_back(&metrics.counter("tetrad_provider_answers_total",
            "Responses of message providers and purchase servers.",
            {{"provider", provider}, {"answer", std::string(answer)}}));
    }
}

void AnswerMetrics::count(std::size_t answer, std::size_t times) const noexcept
{
    counters_[answer]->Increment(static_cast<double>(times));
}

} // namespace observe
