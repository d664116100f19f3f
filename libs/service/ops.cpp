#include "service/ops.hpp"

#include "core/error.hpp"
#include "core/json_writer.hpp"
#include "http/problem.hpp"

#include <algorithm>

namespace service {

OpsApplication::OpsApplication(observe::Metrics& metrics, std::vector<ReadyCheck> checks)
    : metrics_(metrics), checks_(std::move(checks))
{
    metrics_.gauge_callback(
        "tetrad_ready", "Whether /readyz returns 200.", [this] { return is_ready() ? 1.0 : 0.0; });
}

asio::awaitable<http::Response> OpsApplication::handle(http::Request& request)
{
    if (request.path == "/livez")
        co_return http::Response{.body = "ok", .content_type = "text/plain; charset=utf-8"};
    if (request.path == "/readyz") co_return ready();
    if (request.path == "/metrics")
        co_return http::Response{.body = metrics_.expose(), .content_type = "text/plain; version=0.0.4"};
    co_return http::problem(
        core::Error(core::codes::not_found, "The operations port serves only /livez, /readyz and /metrics."),
        "");
}

bool OpsApplication::is_ready() const
{
    return accepting_ && std::ranges::all_of(checks_, [](auto const& check) { return check.passes(); });
}

http::Response OpsApplication::ready() const
{
    bool ready = accepting_;
    core::JsonWriter checks;
    checks.begin_object().member("accepting", accepting_ ? "ok" : "failing");
    for (auto const& check : checks_) {
        bool const passes = check.passes();
        ready = ready && passes;
        checks.member(check.name, passes ? "ok" : "failing");
    }
    checks.end_object();
    core::JsonWriter body;
    body.begin_object().member("ready", ready).key("checks").raw(checks.str()).end_object();
    return {.status = ready ? 200U : 503U, .body = std::move(body).str()};
}

} // namespace service
