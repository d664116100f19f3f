#include "http_client/async_client.hpp"

#include "clients.hpp"
#include "receiver.hpp"
#include "silent_hosts.hpp"
#include "support/eventually.hpp"

#include <arpa/inet.h>
#include <filesystem>
#include <future>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using http_client::AsyncClient;
using http_client::Error;
using http_client::Request;
using http_client::Result;
using testing::eventually;
using testing::Received;
using testing::Receiver;
using testing::reply;

namespace {

std::string kind_of(Result const& result)
{
    auto const* const error = std::get_if<Error>(&result);
    return error == nullptr ? "no failure" : std::string(to_string(error->kind()));
}

/// A name server that receives every query and responds to none.
struct SilentDns {
    SilentDns()
    {
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof name;
        ::bind(socket, reinterpret_cast<sockaddr*>(&name), size);
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size);
        port = ntohs(name.sin_port);
    }

    ~SilentDns() { ::close(socket); }

    SilentDns(SilentDns const&) = delete;
    SilentDns& operator=(SilentDns const&) = delete;

    std::string address() const { return "127.0.0.1:" + std::to_string(port); }

    int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    std::uint16_t port = 0;
};

std::size_t threads_of_this_process()
{
    std::size_t count = 0;
    for (auto const& entry : std::filesystem::directory_iterator("/proc/self/task"))
        count += entry.is_directory() ? 1 : 0;
    return count;
}

} // namespace

TEST_CASE("an asynchronous request arrives unchanged, and the caller gets the response")
{
    Receiver receiver([](Received const&) { return reply(201, "thanks", "X-Thing: a\r\n"); });
    AsyncClient client(nearby());
    auto const result = result_of(client, {.method = "POST",
                                              .url = receiver.url("/hooks?x=1"),
                                              .headers = {{"Content-Type", "application/json"}},
                                              .body = "{}"});
    auto const& response = std::get<http_client::Response>(result);
    CHECK(response.status == 201);
    CHECK(response.body == "thanks");
    CHECK(response.header("x-thing") == "a");
    auto const got = receiver.received().at(0);
    CHECK(got.method == "POST");
    CHECK(got.target == "/hooks?x=1");
    CHECK(got.body == "{}");
    CHECK(got.headers.at("content-type") == "application/json");
    CHECK_FALSE(got.headers.contains("expect"));
    CHECK(client.in_flight() == 0);
}

TEST_CASE("asynchronous requests share connections")
{
    Receiver receiver([](Received const&) { return reply(204); });
    AsyncClient client(nearby());
    for (int i = 0; i < 20; ++i)
        CHECK(kind_of(result_of(client, {.url = receiver.url()})) == "no failure");
    CHECK(receiver.connections() == 1);
}

TEST_CASE("an asynchronous request does not reach a forbidden address, for any host name")
{
    Receiver receiver([](Received const&) { return reply(204); });
    AsyncClient client(nearby(false));
    for (std::string const host : {"127.0.0.1", "localhost", "localhost.", "[::ffff:127.0.0.1]", "0x7f.1"}) {
        CAPTURE(host);
        CHECK(kind_of(result_of(client, {.url = "http://" + host + ':' + std::to_string(receiver.port())})) ==
              "refused_address");
    }
    CHECK(receiver.connections() == 0);
}

TEST_CASE("an asynchronous request connects to the address of its host name")
{
    Receiver receiver([](Received const&) { return reply(204); });
    AsyncClient client(nearby());
    auto const port = std::to_string(receiver.port());
    for (int i = 0; i < 2; ++i) // the second request uses the cached address of the name
        CHECK(kind_of(result_of(client, {.url = "http://localhost:" + port, .send_once = true})) ==
              "no failure");
    CHECK(kind_of(result_of(client, {.url = "http://LOCALHOST.:" + port})) == "no failure");
    CHECK(receiver.received().at(0).headers.at("host") == "localhost:" + port);
    CHECK(kind_of(result_of(client, {.url = "http://no-such-host.invalid/"})) == "dns");
}

TEST_CASE("an asynchronous request follows redirects only if configured")
{
    Receiver receiver([](Received const& r) {
        return r.target == "/" ? reply(302, "", "Location: /elsewhere\r\n") : reply(204);
    });
    AsyncClient client(nearby());
    auto const result = result_of(client, {.url = receiver.url()});
    CHECK(std::get<http_client::Response>(result).status == 302);
    CHECK(receiver.received().size() == 1);
}

TEST_CASE("the size of an asynchronous response is limited")
{
    Receiver receiver([](Received const&) { return reply(200, std::string(100'000, 'x')); });
    AsyncClient client(nearby());
    CHECK(kind_of(result_of(client, {.url = receiver.url(), .max_response_bytes = 1000})) == "too_large");
    auto const cut =
        result_of(client, {.url = receiver.url(), .max_response_bytes = 1000, .truncate_response = true});
    CHECK(std::get<http_client::Response>(cut).body.size() == 1000);
}

TEST_CASE("failures of asynchronous requests have different kinds")
{
    AsyncClient client(nearby());
    testing::SilentHosts silent(1);
    using std::chrono::milliseconds;
    CHECK(kind_of(result_of(client, {.url = silent.url(0), .timeout = milliseconds(50)})) == "timeout");
    CHECK(kind_of(result_of(client, {.url = "http://127.0.0.1:1/"})) == "connect");
    CHECK(kind_of(result_of(
              client, {.url = "https" + silent.url(0).substr(4), .timeout = milliseconds(50)})) == "timeout");
    CHECK(kind_of(result_of(client, {.url = "ftp://127.0.0.1/"})) == "protocol");
    CHECK(kind_of(result_of(client, {.url = silent.url(0), .headers = {{"X-A", "a\r\nb"}}})) == "protocol");
}

TEST_CASE("a thousand asynchronous requests are in flight at the same time, and all of them end")
{
    constexpr std::size_t count = 1200;
    testing::SilentHosts silent(60);
    AsyncClient client(nearby());
    auto const threads = threads_of_this_process();
    std::atomic<std::size_t> answered = 0;
    for (std::size_t i = 0; i < count; ++i)
        client.send({.url = silent.url(i % 60), .timeout = std::chrono::hours(1)}, [&](Result result) {
            answered += std::holds_alternative<http_client::Response>(result) ? 1 : 0;
        });
    REQUIRE(eventually([&] { return silent.in_flight() == count; }));
    CHECK(client.in_flight() == count);
    CHECK(threads_of_this_process() == threads);
    silent.release();
    CHECK(eventually([&] { return answered == count; }));
}

TEST_CASE("names that cannot be resolved block neither threads nor other requests")
{
    constexpr std::size_t count = 500;
    SilentDns const dns;
    Receiver receiver([](Received const&) { return reply(204); });
    AsyncClient client(nearby(), dns.address());
    auto const threads = threads_of_this_process();
    std::atomic<std::size_t> timed_out = 0;
    for (std::size_t i = 0; i < count; ++i)
        client.send({.url = "http://host-" + std::to_string(i) + ".example/",
                        .connect_timeout = std::chrono::seconds(3)},
            [&](Result result) { timed_out += kind_of(result) == "timeout" ? 1 : 0; });
    CHECK(kind_of(result_of(client, {.url = receiver.url()})) == "no failure");
    CHECK(client.in_flight() == count);
    CHECK(threads_of_this_process() <= threads + 1); // one more: the receiver's thread for the connection
    CHECK(eventually([&] { return timed_out == count; }));
}

TEST_CASE("a stopped asynchronous request ends after its grace period")
{
    testing::SilentHosts silent(1);
    AsyncClient client(nearby());
    std::stop_source stop;
    std::promise<Result> result;
    client.send({.url = silent.url(0),
                    .timeout = std::chrono::hours(1),
                    .stop = stop.get_token(),
                    .stop_grace = std::chrono::milliseconds(50)},
        [&](Result r) { result.set_value(std::move(r)); });
    REQUIRE(eventually([&] { return silent.in_flight() == 1; }));
    stop.request_stop();
    auto const ended = result.get_future().get();
    CHECK(kind_of(ended) == "stopped");
    CHECK(std::get<Error>(ended).request_sent());
}

TEST_CASE("a client that is destroyed aborts the requests in flight")
{
    testing::SilentHosts silent(1);
    SilentDns const dns;
    std::atomic<int> stopped = 0;
    {
        AsyncClient client(nearby(), dns.address());
        auto const count = [&](Result r) { stopped += kind_of(r) == "stopped" ? 1 : 0; };
        client.send({.url = silent.url(0), .timeout = std::chrono::hours(1)}, count);
        client.send({.url = "http://nowhere.example/", .timeout = std::chrono::hours(1)}, count);
        REQUIRE(eventually([&] { return silent.in_flight() == 1; }));
    }
    CHECK(stopped == 2);
}
