#include "observe/metrics.hpp"

#include "core/scope.hpp"
#include "observe/http_metrics.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <sys/wait.h>
#include <thread>

using namespace std::chrono_literals;
using observe::HttpMetrics;
using observe::Metrics;

namespace {

/// Maps each exported series, with its labels as in the text, to its value.
std::map<std::string, double> series(Metrics const& metrics)
{
    std::map<std::string, double> out;
    std::istringstream text(metrics.expose());
    for (std::string line; std::getline(text, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        auto const space = line.rfind(' ');
        REQUIRE(space != std::string::npos);
        auto const [it, added] =
            out.emplace(line.substr(0, space), std::strtod(line.c_str() + space, nullptr));
        CAPTURE(line);
        CHECK(added);
    }
    return out;
}

core::Scope scope(core::TenantId tenant, core::Environment env = core::Environment::production)
{
    return core::Scope::of(tenant, env, "t" + core::to_string(tenant));
}

std::vector<observe::RouteLabels> routes()
{
    return {{"GET", "/v1/feedbacks"}, {"POST", "/v1/feedbacks"}};
}

void record(HttpMetrics& http, std::size_t endpoint, unsigned status, std::chrono::nanoseconds took,
    core::Scope const& s)
{
    http.started();
    http.finished(endpoint, status, took, s);
}

} // namespace

TEST_CASE("counters and gauges have the service label and keep their value")
{
    Metrics metrics("feedback", "1.2.3");
    auto& counter = metrics.counter("tetrad_things_total", "Things.", {{"kind", "a"}});
    counter.Increment();
    metrics.counter("tetrad_things_total", "Things.", {{"kind", "a"}}).Increment(2);
    metrics.counter("tetrad_things_total", "Things.", {{"kind", "b"}}).Increment();
    metrics.gauge("tetrad_level", "Level.").Set(7);
    double queued = 3;
    metrics.gauge_callback("tetrad_queue_jobs", "Jobs.", [&] { return queued; }, {{"queue", "db"}});
    auto shown = series(metrics);
    CHECK(shown.at(R"(tetrad_things_total{kind="a",service="feedback"})") == 3);
    CHECK(shown.at(R"(tetrad_things_total{kind="b",service="feedback"})") == 1);
    CHECK(shown.at(R"(tetrad_level{service="feedback"})") == 7);
    CHECK(shown.at(R"(tetrad_build_info{service="feedback",version="1.2.3"})") == 1);
    CHECK(shown.at(R"(tetrad_queue_jobs{queue="db",service="feedback"})") == 3);
    queued = 4;
    CHECK(series(metrics).at(R"(tetrad_queue_jobs{queue="db",service="feedback"})") == 4);
}

TEST_CASE("a metric name that is not valid in Prometheus is refused")
{
    Metrics metrics("feedback");
    CHECK_THROWS_AS(metrics.counter("not a name", "x"), std::invalid_argument);
}

TEST_CASE("the standard metrics of the process are exposed")
{
    Metrics const metrics("feedback");
    auto const shown = series(metrics);
    CHECK(shown.at("process_resident_memory_bytes") > 1e6);
    CHECK(shown.at("process_virtual_memory_bytes") >= shown.at("process_resident_memory_bytes"));
    CHECK(shown.at("process_open_fds") >= 3);
    CHECK(shown.at("process_max_fds") >= shown.at("process_open_fds"));
    CHECK(shown.at("process_threads") >= 1);
    auto const now = static_cast<double>(std::time(nullptr));
    CHECK(shown.at("process_start_time_seconds") <= now + 2);
    CHECK(shown.at("process_start_time_seconds") > now - 3600);
    CHECK(shown.at("process_cpu_seconds_total") >= 0);
}

TEST_CASE("requests are counted by route, status, duration and tenant")
{
    Metrics metrics("feedback");
    HttpMetrics http(metrics, routes());
    record(http, 0, 200, 300us, scope(core::TenantId{1}));
    record(http, 0, 200, 250us, scope(core::TenantId{1}));
    record(http, 0, 404, 40s, scope(core::TenantId{1}, core::Environment::sandbox));
    record(http, 1, 503, 3ms, scope(core::TenantId{2}));
    record(http, HttpMetrics::unmatched, 404, 1us, {});
    record(http, 99, 99, -1us, {});
    http.started();
    http.protocol_error("REQUEST_TIMEOUT");
    auto const shown = series(metrics);
    auto const request = [&](std::string const& route, std::string const& method, std::string const& status) {
        return shown.at("tetrad_http_requests_total{service=\"feedback\",route=\"" + route + "\",method=\"" +
                        method + "\",status=\"" + status + "\"}");
    };
    CHECK(request("/v1/feedbacks", "GET", "200") == 2);
    CHECK(request("/v1/feedbacks", "GET", "404") == 1);
    CHECK(request("/v1/feedbacks", "POST", "503") == 1);
    CHECK(request("_unmatched", "_other", "404") == 1);
    CHECK(request("_unmatched", "_other", "500") == 1);

    auto const duration = [&](std::string const& suffix, std::string const& le) {
        return shown.at("tetrad_http_request_duration_seconds" + suffix +
                        R"({service="feedback",route="/v1/feedbacks",method="GET")" + le + "}");
    };
    CHECK(duration("_bucket", R"(,le="0.00025")") == 1);
    CHECK(duration("_bucket", R"(,le="0.0005")") == 2);
    CHECK(duration("_bucket", R"(,le="30")") == 2);
    CHECK(duration("_bucket", R"(,le="+Inf")") == 3);
    CHECK(duration("_count", "") == 3);
    CHECK(duration("_sum", "") == Approx(40.00055));

    auto const tenant = [&](std::string const& labels) {
        return shown.at(R"(tetrad_tenant_requests_total{service="feedback",)" + labels + "}");
    };
    CHECK(tenant(R"(tenant="t1",env="production",class="2xx")") == 2);
    CHECK(tenant(R"(tenant="t1",env="sandbox",class="4xx")") == 1);
    CHECK(tenant(R"(tenant="t2",env="production",class="5xx")") == 1);
    CHECK(shown.at(R"(tetrad_http_requests_in_flight{service="feedback"})") == 1);
    CHECK(shown.at(R"(tetrad_http_protocol_errors_total{code="REQUEST_TIMEOUT",service="feedback"})") == 1);
}

TEST_CASE("the number of tenants in metrics is limited, and the requests of all tenants are counted")
{
    Metrics metrics("feedback");
    HttpMetrics http(metrics, routes());
    constexpr std::int64_t tenants = 1500;
    for (int round = 0; round < 2; ++round)
        for (std::int64_t t = 1; t <= tenants; ++t)
            record(http, 0, 200, 1ms, scope(core::TenantId{t}));
    std::size_t own = 0;
    double total = 0;
    double other = 0;
    for (auto const& [name, value] : series(metrics)) {
        if (!name.starts_with("tetrad_tenant_requests_total")) continue;
        total += value;
        if (name.find(R"(tenant="_other")") != std::string::npos)
            other += value;
        else
            ++own;
    }
    CHECK(own == 1000);
    CHECK(other == 1000);
    CHECK(total == 2 * tenants);
}

TEST_CASE("requests of many threads are counted exactly")
{
    Metrics metrics("feedback");
    HttpMetrics http(metrics, routes());
    constexpr int threads = 4;
    constexpr int each = 20'000;
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
        workers.emplace_back([&] {
            for (int i = 0; i < each; ++i)
                record(http, 0, 200, 1ms, scope(core::TenantId{1 + i % 300}));
        });
    for (int i = 0; i < 20; ++i)
        static_cast<void>(metrics.expose());
    for (auto& worker : workers)
        worker.join();
    auto const shown = series(metrics);
    double by_tenant = 0;
    for (auto const& [name, value] : shown)
        if (name.starts_with("tetrad_tenant_requests_total")) by_tenant += value;
    CHECK(by_tenant == threads * each);
    CHECK(
        shown.at(
            R"(tetrad_http_request_duration_seconds_count{service="feedback",route="/v1/feedbacks",method="GET"})") ==
        threads * each);
    CHECK(shown.at(R"(tetrad_http_requests_in_flight{service="feedback"})") == 0);
}

TEST_CASE("job metrics add up the runs of a queue")
{
    Metrics metrics("feedback");
    observe::JobMetrics jobs(metrics);
    jobs.finished("webhook", "done", 250ms);
    jobs.finished("webhook", "retried", 750ms);
    auto const shown = series(metrics);
    CHECK(shown.at(R"(tetrad_jobs_total{outcome="done",queue="webhook",service="feedback"})") == 1);
    CHECK(shown.at(R"(tetrad_jobs_total{outcome="retried",queue="webhook",service="feedback"})") == 1);
    CHECK(
        shown.at(R"(tetrad_job_duration_seconds_total{queue="webhook",service="feedback"})") == Approx(1.0));
}

TEST_CASE("series of a destroyed component are not exported")
{
    Metrics metrics("feedback");
    {
        HttpMetrics http(metrics, routes());
        record(http, 0, 200, 1ms, {});
        CHECK(metrics.expose().find("tetrad_http_requests_total") != std::string::npos);
    }
    CHECK(metrics.expose().find("tetrad_http_requests_total") == std::string::npos);
}

TEST_CASE("promtool accepts the exported metrics", "[promtool]")
{
    if (std::system("command -v promtool >/dev/null 2>&1") !=
        0) { // NOLINT(concurrency-mt-unsafe,cert-env33-c)
        WARN("promtool is not installed: skipped");
        return;
    }
    Metrics metrics("feedback", "1.2.3");
    HttpMetrics http(metrics, routes());
    observe::JobMetrics jobs(metrics);
    metrics.gauge_callback(
        "tetrad_database_queue_jobs", "Jobs waiting for a database thread.", [] { return 1.0; });
    record(http, 0, 200, 1ms, scope(core::TenantId{1}));
    jobs.finished("webhook", "done", 1ms);
    http.protocol_error("BAD_REQUEST");
    metrics.counter("tetrad_odd_total", "Odd labels.", {{"label", "a\"b\\c\nd"}}).Increment();
    FILE* const promtool = ::popen("promtool check metrics", "w"); // NOLINT(cert-env33-c)
    REQUIRE(promtool != nullptr);
    auto const text = metrics.expose();
    CHECK(std::fwrite(text.data(), 1, text.size(), promtool) == text.size());
    auto const status = ::pclose(promtool);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("outcomes of background work are counted by queue, starting from zero")
{
    Metrics metrics("notify");
    observe::JobMetrics jobs(metrics);
    jobs.create_series("notify.email", {"done", "dead"});
    auto shown = series(metrics);
    CHECK(shown.at(R"(tetrad_jobs_total{outcome="done",queue="notify.email",service="notify"})") == 0);
    CHECK(shown.at(R"(tetrad_jobs_total{outcome="dead",queue="notify.email",service="notify"})") == 0);
    jobs.finished("notify.email", "done", 1500ms);
    jobs.finished("notify.email", "done", 500ms);
    shown = series(metrics);
    CHECK(shown.at(R"(tetrad_jobs_total{outcome="done",queue="notify.email",service="notify"})") == 2);
    CHECK(shown.at(R"(tetrad_job_duration_seconds_total{queue="notify.email",service="notify"})") == 2);
}

TEST_CASE("responses of a provider are counted by their index")
{
    Metrics metrics("notify");
    constexpr std::array<std::string_view, 2> answers{"accepted", "gone"};
    observe::AnswerMetrics const counted(metrics, "fcm", answers);
    auto const same =
        counted; // NOLINT(performance-unnecessary-copy-initialization): a copy is what is tested
    counted.count(0);
    same.count(0, 5);
    auto const shown = series(metrics);
    CHECK(
        shown.at(R"(tetrad_provider_answers_total{answer="accepted",provider="fcm",service="notify"})") == 6);
    CHECK(shown.at(R"(tetrad_provider_answers_total{answer="gone",provider="fcm",service="notify"})") == 0);
}
