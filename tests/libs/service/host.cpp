#include "service/host.hpp"

#include "small_service.hpp"
#include "support/eventually.hpp"
#include "support/http_client.hpp"
#include "support/raw_connection.hpp"

#include <catch2/catch.hpp>

#include <future>
#include <sys/resource.h>
#include <system_error>
#include <thread>

using namespace std::chrono_literals;

namespace {

service::Settings settings()
{
    service::Settings s;
    s.threads = 2;
    s.drain_timeout = 60s;
    return s;
}

struct Running {
    explicit Running(service::Settings const& s = settings())
        : host("small", s, logger, clock, [this](service::Runtime const& runtime) {
              auto made = std::make_unique<SmallService>(runtime);
              small = made.get();
              return made;
          })
    {
    }

    std::string api() const { return "http://127.0.0.1:" + std::to_string(host.port()); }

    std::string ops() const { return "http://127.0.0.1:" + std::to_string(host.ops_port()); }

    observe::Logger logger{"small", observe::Level::off};
    core::SystemClock clock;
    SmallService* small = nullptr;
    service::Host host;
};

/// Whether a host that begins to stop reports unready on its operations port while its API still responds.
bool is_unready_and_accepts(Running const& running)
{
    testing::HttpClient ops(running.ops());
    try {
        return testing::eventually([&] { return ops.get("/readyz").status == 503; }) &&
               testing::HttpClient(running.api()).get("/").status == 200;
    } catch (std::runtime_error const&) {
        return false; // the drain delay is over
    }
}

} // namespace

TEST_CASE("a host serves both ports and stops in order")
{
    Running running;
    CHECK(running.host.port() != running.host.ops_port());
    testing::HttpClient api(running.api());
    CHECK(api.get("/").body == R"({"answer":42})");
    testing::HttpClient ops(running.ops());
    auto const live = ops.get("/livez");
    CHECK(live.status == 200);
    CHECK(live.body == "ok");
    auto const metrics = ops.get("/metrics");
    CHECK(metrics.header("content-type") == "text/plain; version=0.0.4");
    CHECK(metrics.body.find("tetrad_http_connections{service=\"small\"} 1\n") != std::string::npos);
    CHECK(metrics.body.find("tetrad_build_info{") != std::string::npos);
    CHECK(ops.get("/").status == 404);
    CHECK(running.small->notes == std::vector<std::string>{"start"});
    CHECK(running.host.stop());
    CHECK(running.small->notes == std::vector<std::string>{"start", "begin stop", "stop workers", "stop"});
    CHECK_THROWS(api.get("/"));
    CHECK_THROWS(ops.get("/livez"));
}

TEST_CASE("the response of /readyz names the failing check")
{
    Running running;
    testing::HttpClient ops(running.ops());
    auto const ready = ops.get("/readyz");
    CHECK(ready.status == 200);
    CHECK(ready.body == R"({"ready":true,"checks":{"accepting":"ok","database":"ok"}})");
    auto const shown_ready = [&] {
        return ops.get("/metrics").body.find("tetrad_ready{service=\"small\"} 1\n") != std::string::npos;
    };
    CHECK(shown_ready());
    running.small->database_works = false;
    CHECK_FALSE(shown_ready());
    auto const failing = ops.get("/readyz");
    CHECK(failing.status == 503);
    CHECK(failing.body == R"({"ready":false,"checks":{"accepting":"ok","database":"failing"}})");
    running.small->database_works = true;
    running.host.become_unready();
    CHECK_FALSE(shown_ready());
    auto const stopping = ops.get("/readyz");
    CHECK(stopping.status == 503);
    CHECK(stopping.body == R"({"ready":false,"checks":{"accepting":"failing","database":"ok"}})");
    CHECK(ops.get("/livez").status == 200);
}

TEST_CASE("during the drain delay the host is unready and still accepts connections")
{
    // On a slow machine a short drain delay may end before the test looks. The longest delay is long enough.
    bool unready_and_accepting = false;
    for (auto const delay : {1s, 4s, 16s}) {
        if (unready_and_accepting) break;
        auto s = settings();
        s.drain_delay = delay;
        Running running(s);
        auto stopping = std::async(std::launch::async, [&] { return running.host.stop(); });
        unready_and_accepting = is_unready_and_accepts(running);
        CHECK(stopping.get());
        CHECK_THROWS(testing::HttpClient(running.api()).get("/"));
    }
    CHECK(unready_and_accepting);
}

TEST_CASE("under load no accepted request is lost when the host stops")
{
    Running running;
    constexpr int clients = 8;
    std::atomic<std::size_t> answered = 0;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int c = 0; c < clients; ++c)
        threads.emplace_back([&, c] {
            testing::HttpClient client(running.api());
            try {
                for (;;) {
                    if (client.get(c % 2 == 0 ? "/" : "/slow").status == 200)
                        ++answered;
                    else
                        ++wrong;
                }
            } catch (std::runtime_error const&) {
                return; // connection refused: the port is closed
            }
        });
    CHECK(testing::eventually([&] { return answered > 200; }));
    CHECK(running.host.stop());
    for (auto& thread : threads)
        thread.join();
    CHECK(wrong == 0);
    CHECK(answered == running.small->handled);
}

TEST_CASE("a request that does not end in time is aborted, and the stop continues")
{
    auto s = settings();
    s.drain_timeout = 50ms;
    Running running(s);
    testing::RawConnection connection(running.host.port());
    connection.send("GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(testing::eventually([&] { return running.small->stuck.arrived() == 1; }));
    CHECK_FALSE(running.host.stop());
    CHECK(connection.read_to_close().empty());
    CHECK(connection.closed());
    CHECK(running.small->notes.back() == "stop");
}

TEST_CASE("background work is asked to stop before the last request has its response")
{
    Running running;
    testing::RawConnection connection(running.host.port());
    connection.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(testing::eventually([&] { return running.small->held.arrived() == 1; }));
    CHECK(running.host.stop());
    CHECK(connection.read_to_close().ends_with(R"({"answer":42})"));
    CHECK(running.small->handled_at_begin == 0);
    CHECK(running.small->handled == 1);
}

TEST_CASE("a host that cannot open a port fails to start and does not affect a running host")
{
    Running first;
    auto s = settings();
    s.port = first.host.port();
    CHECK_THROWS_AS(Running(s), std::runtime_error);
    s = settings();
    s.ops_port = first.host.ops_port();
    CHECK_THROWS_AS(Running(s), std::runtime_error);
    CHECK(testing::HttpClient(first.api()).get("/").status == 200);
}

TEST_CASE("a host that is destroyed without being stopped stops its components")
{
    observe::Logger logger("small", observe::Level::off);
    core::SystemClock const clock;
    std::vector<std::string> notes;

    struct Noting final : service::Service, http::Application {
        explicit Noting(std::vector<std::string>& n) : list(n) {}

        http::Application& application() override { return *this; }

        std::vector<service::ReadyCheck> ready_checks() override { return {}; }

        void stop_workers() override { list.emplace_back("workers"); }

        void stop() override { list.emplace_back("stop"); }

        boost::asio::awaitable<http::Response> handle(http::Request&) override { co_return http::Response{}; }

        std::vector<std::string>& list;
    };

    {
        service::Host const host("small", settings(), logger, clock,
            [&](service::Runtime const&) { return std::make_unique<Noting>(notes); });
    }
    CHECK(notes == std::vector<std::string>{"workers", "stop"});
    CHECK_THROWS_AS(service::Host("small", settings(), logger, clock,
                        [](service::Runtime const&) -> std::unique_ptr<service::Service> {
                            throw std::runtime_error("no");
                        }),
        std::runtime_error);
}

TEST_CASE("a network may use a tenth of the connections to the API, and a trusted proxy all of them")
{
    constexpr std::size_t of_a_network = 2'000;
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    REQUIRE(files.rlim_max > 2 * of_a_network + 200);
    auto const is_served = [](testing::RawConnection& connection) {
        try {
            connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            return !connection.read_until("\r\n\r\n").empty();
        } catch (std::system_error const&) {
            return false; // the host closed the connection at once
        }
    };
    auto const open = [&](service::Settings const& s, std::size_t count) {
        Running running(s);
        std::vector<std::unique_ptr<testing::RawConnection>> connections;
        std::size_t served = 0;
        for (std::size_t i = 0; i < count; ++i) {
            connections.push_back(std::make_unique<testing::RawConnection>(running.host.port()));
            served += is_served(*connections.back()) ? 1 : 0;
        }
        CHECK(testing::HttpClient(running.ops()).get("/livez").status == 200);
        connections.clear();
        return served;
    };
    CHECK(open(settings(), of_a_network + 10) == of_a_network);
    auto trusting = settings();
    trusting.trusted_proxies = gateway::TrustedProxies::parse("127.0.0.1").value();
    CHECK(open(trusting, of_a_network + 10) == of_a_network + 10);
}
