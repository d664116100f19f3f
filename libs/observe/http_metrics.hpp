#pragma once

#include "core/scope.hpp"
#include "observe/metrics.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace observe {

/// The labels of one route in the route table.
struct RouteLabels {
    std::string method; ///< such as `GET`
    std::string route;  ///< such as `/v1/feedbacks/{feedbackId}`
};

/// Counts HTTP requests. Thread-safe. After the first use of a series, recording is a few relaxed atomic
/// additions: no lock, no allocation.
///
/// - `tetrad_http_requests_total{route,method,status}`
/// - `tetrad_http_request_duration_seconds{route,method}` (histogram)
/// - `tetrad_http_requests_in_flight`
/// - `tetrad_http_connections_refused_total`: connections that were closed on accept, because too many
///   connections of their network were open
/// - `tetrad_http_protocol_errors_total{code}`: connections that violated HTTP before a request was complete
/// - `tetrad_tenant_requests_total{tenant,env,class}`, class `2xx`..`5xx`. The first 1,000 scopes with
///   requests have series of their own. Requests of all others count under tenant `_other`.
class HttpMetrics {
public:
    /// `routes` must be in the order of the route table, because endpoints are identified by their index.
    HttpMetrics(Metrics& metrics, std::vector<RouteLabels> routes);
    ~HttpMetrics();
    HttpMetrics(HttpMetrics const&) = delete;
    HttpMetrics& operator=(HttpMetrics const&) = delete;

    /// The endpoint index of requests that no route matched; its route label is `_unmatched`.
    static constexpr std::size_t unmatched = static_cast<std::size_t>(-1);

    /// Call it when the head of a request was read. Exactly one call of `finished` must follow.
    void started() noexcept;

    /// A request whose `scope` has id 0 counts for no tenant. A `status` outside 100..599 counts as 500.
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
