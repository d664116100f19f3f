#include "observe/http_metrics.hpp"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace observe {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Count = std::atomic<std::uint64_t>;

constexpr auto relaxed = std::memory_order_relaxed;

constexpr std::size_t first_status = 100;
constexpr std::size_t statuses = 500;

/// Upper bounds of the histogram in microseconds. The fastest responses take a quarter of a millisecond, and
/// requests end after 30 s.
constexpr std::array<std::int64_t, 16> bounds{250, 500, 1'000, 2'500, 5'000, 10'000, 25'000, 50'000, 100'000,
    250'000, 500'000, 1'000'000, 2'500'000, 5'000'000, 10'000'000, 30'000'000};

/// The counts of one route.
struct alignas(64) Endpoint {
    std::array<Count, statuses> by_status{};
    std::array<Count, bounds.size() + 1> by_duration{};
    Count nanoseconds;
};

constexpr std::size_t max_tenants = 1000;
constexpr std::size_t tenant_slots = 2048;
constexpr std::size_t classes = 4; // 2xx..5xx

struct Tenant {
    core::ScopeId scope_id{};
    std::string slug;
    std::string env;
    std::array<Count, classes> by_class{};
};

/// Maps scope ids to tenants. The hash table uses open addressing and never deletes entries, so readers need
/// no lock.
class Tenants {
public:
    Tenant& of(core::Scope const& scope)
    {
        if (auto* known = find(scope.id)) return *known;
        if (count_.load(relaxed) >= max_tenants) return other_;
        return insert(scope);
    }

    template <class Visit> void for_each(Visit const& visit) const
    {
        for (auto const& slot : slots_)
            if (auto const* tenant = slot.load(std::memory_order_acquire)) visit(*tenant);
        visit(other_);
    }

private:
    static std::size_t first_slot(core::ScopeId id) noexcept
    {
        // Fibonacci hashing: neighbouring ids spread over the table.
        return static_cast<std::size_t>((static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15U) >> 53);
    }

    Tenant* find(core::ScopeId id) const noexcept
    {
        for (std::size_t i = first_slot(id);; i = (i + 1) % tenant_slots) {
            auto* const tenant = slots_[i].load(std::memory_order_acquire);
            if (tenant == nullptr || tenant->scope_id == id) return tenant;
        }
    }

    Tenant& insert(core::Scope const& scope)
    {
        std::lock_guard const lock(mutex_);
        if (auto* known = find(scope.id)) return *known;
        if (owned_.size() >= max_tenants) return other_;
        auto tenant = std::make_unique<Tenant>();
        tenant->scope_id = scope.id;
        tenant->slug = scope.slug;
        tenant->env = core::to_string(scope.environment());
        auto& added = *owned_.emplace_back(std::move(tenant));
        std::size_t i = first_slot(scope.id);
        while (slots_[i].load(relaxed) != nullptr)
            i = (i + 1) % tenant_slots;
        slots_[i].store(&added, std::memory_order_release);
        count_.store(owned_.size(), relaxed);
        return added;
    }

    static_assert(tenant_slots == std::size_t{1} << (64 - 53) && max_tenants < tenant_slots);

    std::array<std::atomic<Tenant*>, tenant_slots> slots_{};
    std::atomic<std::size_t> count_ = 0;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Tenant>> owned_;
    Tenant other_{.scope_id = core::no_scope, .slug = "_other", .env = "_other"};
};

ClientMetric counter(std::vector<ClientMetric::Label> labels, std::uint64_t value)
{
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.counter.value = static_cast<double>(value);
    return metric;
}

ClientMetric histogram(std::vector<ClientMetric::Label> labels, Endpoint const& endpoint)
{
    ClientMetric metric;
    metric.label = std::move(labels);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        total += endpoint.by_duration[i].load(relaxed);
        metric.histogram.bucket.push_back({total, static_cast<double>(bounds[i]) / 1e6});
    }
    total += endpoint.by_duration.back().load(relaxed);
    metric.histogram.sample_count = total;
    metric.histogram.sample_sum = static_cast<double>(endpoint.nanoseconds.load(relaxed)) / 1e9;
    return metric;
}

} // namespace

struct HttpMetrics::Impl final : prometheus::Collectable {
    Impl(Metrics& owner, std::vector<RouteLabels> table)
        : metrics(owner), in_flight(owner.gauge("tetrad_http_requests_in_flight", "Requests in progress.")),
          network_refused(owner.counter("tetrad_http_connections_refused_total",
              "Connections closed on accept, because too many connections of their network were open.")),
          routes(std::move(table)), endpoints(routes.size() + 1)
    {
        routes.push_back({"_other", "_unmatched"});
    }

    std::vector<ClientMetric::Label> labels(std::size_t endpoint) const
    {
        return {{"service", metrics.service()}, {"route", routes[endpoint].route},
            {"method", routes[endpoint].method}};
    }

    MetricFamily requests() const
    {
        MetricFamily family{"tetrad_http_requests_total",
            "HTTP requests by route and status of the response.", MetricType::Counter, {}};
        for (std::size_t e = 0; e < endpoints.size(); ++e) {
            for (std::size_t s = 0; s < statuses; ++s) {
                auto const value = endpoints[e].by_status[s].load(relaxed);
                if (value == 0) continue;
                auto shown = labels(e);
                shown.push_back({"status", std::to_string(s + first_status)});
                family.metric.push_back(counter(std::move(shown), value));
            }
        }
        return family;
    }

    MetricFamily durations() const
    {
        MetricFamily family{"tetrad_http_request_duration_seconds",
            "Time from a request's head to its response.", MetricType::Histogram, {}};
        for (std::size_t e = 0; e < endpoints.size(); ++e) {
            auto shown = histogram(labels(e), endpoints[e]);
            if (shown.histogram.sample_count != 0) family.metric.push_back(std::move(shown));
        }
        return family;
    }

    MetricFamily by_tenant() const
    {
        MetricFamily family{"tetrad_tenant_requests_total",
            "HTTP requests by tenant; the first 1,000 tenants with requests, the others as _other.",
            MetricType::Counter, {}};
        tenants.for_each([&](Tenant const& tenant) {
            for (std::size_t c = 0; c < classes; ++c) {
                auto const value = tenant.by_class[c].load(relaxed);
                if (value == 0) continue;
                family.metric.push_back(
                    counter({{"service", metrics.service()}, {"tenant", tenant.slug}, {"env", tenant.env},
                                {"class", std::to_string(c + 2) + "xx"}},
                        value));
            }
        });
        return family;
    }

    std::vector<MetricFamily> Collect() const override { return {requests(), durations(), by_tenant()}; }

    Metrics& metrics;
    prometheus::Gauge& in_flight;
    prometheus::Counter& network_refused;
    std::vector<RouteLabels> routes;
    std::vector<Endpoint> endpoints; ///< in the order of `routes`; the last entry counts unmatched requests
    Tenants tenants;
};

HttpMetrics::HttpMetrics(Metrics& metrics, std::vector<RouteLabels> routes)
    : impl_(std::make_shared<Impl>(metrics, std::move(routes)))
{
    metrics.add(impl_);
}

HttpMetrics::~HttpMetrics() = default;

void HttpMetrics::started() noexcept
{
    impl_->in_flight.Increment();
}

void HttpMetrics::finished(
    std::size_t endpoint, unsigned status, std::chrono::nanoseconds took, core::Scope const& scope) noexcept
try {
    impl_->in_flight.Decrement();
    if (status < first_status || status >= first_status + statuses) status = 500;
    auto& entry = impl_->endpoints[std::min(endpoint, impl_->endpoints.size() - 1)];
    entry.by_status[status - first_status].fetch_add(1, relaxed);
    auto const elapsed = std::max(took, std::chrono::nanoseconds::zero());
    auto const* const bucket = std::ranges::lower_bound(
        bounds, elapsed, [](std::chrono::nanoseconds a, std::chrono::nanoseconds b) { return a < b; },
        [](std::int64_t us) { return std::chrono::nanoseconds(us * 1000); });
    entry.by_duration[static_cast<std::size_t>(bucket - bounds.begin())].fetch_add(1, relaxed);
    entry.nanoseconds.fetch_add(static_cast<std::uint64_t>(elapsed.count()), relaxed);
    if (scope.id == core::no_scope) return;
    auto const status_class = std::clamp<std::size_t>(status / 100, 2, 5) - 2;
    impl_->tenants.of(scope).by_class[status_class].fetch_add(1, relaxed);
} catch (...) {
    // An exception means that there is no memory for a new tenant's series. The request must not fail because
    // of it.
    return;
}

void HttpMetrics::network_refused() noexcept
{
    impl_->network_refused.Increment();
}

void HttpMetrics::protocol_error(std::string_view code) noexcept
try {
    impl_->metrics
        .counter("tetrad_http_protocol_errors_total",
            "Connections that violated HTTP before a request was complete.", {{"code", std::string(code)}})
        .Increment();
} catch (...) {
    return;
}

} // namespace observe
