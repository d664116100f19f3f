#pragma once

#include "core/identity.hpp"
#include "observe/metrics.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace observe {

/// A line of the route table, as it is shown in labels.
struct RouteLabels {
    std::string method; ///< `GET`
    std::string route;  ///< `/v1/feedbacks/{feedbackId}`
};

/// What HTTP requests come to. After a series' first use recording is a few relaxed atomic additions: no
/// lock, no allocation, from any thread.
///
/// - `tetrad_http_requests_total{route,method,status}`
/// - `tetrad_http_request_duration_seconds{route,method}` (histogram)
/// - `tetrad_http_requests_in_flight`
/// - `tetrad_http_connections_refused_total`: closed when they were accepted: too many from their network
/// - `tetrad_http_protocol_errors_total{code}`: connections that broke HTTP before a request was there
/// - `tetrad_tenant_requests_total{tenant,env,class}`, class `2xx`..`5xx`: the first 1,000 scopes that show
/// up; the rest
///   together under tenant `_other`.
class HttpMetrics {
public:
    /// `routes` in the order of the route table, so that an endpoint's index finds its line.
    HttpMetrics(Metrics& metrics, std::vector<RouteLabels> routes);
    ~HttpMetrics();
    HttpMetrics(HttpMetrics const&) = delete;
    HttpMetrics& operator=(HttpMetrics const&) = delete;

    /// The endpoint index of requests that no route matched; shown as route `_unmatched`.
    static constexpr std::size_t unmatched = static_cast<std::size_t>(-1);

    /// A request's head was read; `finished` follows exactly once.
    void started() noexcept;

    /// `scope` with id 0 counts for no tenant. `status` outside 100..599 counts as 500.
    void finished(std::size_t endpoint, unsigned status, std::chrono::nanoseconds took,
        core::Scope const& scope) noexcept;

    /// `code`: one of the fixed codes of http::Application::on_protocol_error.
    void protocol_error(std::string_view code) noexcept;

    void network_refused() noexcept;

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

} // namespace observe
