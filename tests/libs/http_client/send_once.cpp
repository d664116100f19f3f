// Requests that must not reach the server twice (Request::send_once).
#include "clients.hpp"
#include "receiver.hpp"
#include "silent_hosts.hpp"
#include "support/certificates.hpp"
#include "support/eventually.hpp"
#include "tls_server.hpp"

#include <catch2/catch.hpp>

#include <future>

using http_client::AsyncClient;
using http_client::Error;
using http_client::Request;
using http_client::Result;
using testing::eventually;
using testing::Received;
using testing::Receiver;
using testing::reply;

namespace {

Request message(std::string url, bool send_once = true)
{
    return {.method = "POST", .url = std::move(url), .body = "To=1&Body=Hello", .send_once = send_once};
}

unsigned status_of(Result const& result)
{
    auto const* const response = std::get_if<http_client::Response>(&result);
    return response == nullptr ? 0 : response->status;
}

/// Whether the request failed, and the server may have got it.
bool may_have_arrived(Result const& result)
{
    auto const* const error = std::get_if<Error>(&result);
    return error != nullptr && error->request_sent();
}

/// Answers every request except the second one. There it closes the connection, as a server that dies after
/// it has processed the request.
struct DiesOnce {
    std::atomic<int> requests = 0;
    Receiver receiver{[this](Received const&) { return ++requests == 2 ? std::string() : reply(201); }};
};

} // namespace

TEST_CASE(
    "a request that must not arrive twice is not repeated when its kept connection ends without an answer")
{
    DiesOnce server;
    AsyncClient client(nearby());
    CHECK(status_of(result_of(client, message(server.receiver.url()))) == 201);
    CHECK(may_have_arrived(result_of(client, message(server.receiver.url()))));
    CHECK(server.receiver.received().size() == 2);
    CHECK(status_of(result_of(client, message(server.receiver.url()))) == 201);
    CHECK(server.receiver.received().size() == 3);
    for (auto const& request : server.receiver.received())
        CHECK(request.body == "To=1&Body=Hello");
}

TEST_CASE("a request without a body that must not arrive twice is not repeated")
{
    DiesOnce server;
    AsyncClient client(nearby());
    for (auto const* method : {"GET", "POST"}) {
        Request const request{.method = method, .url = server.receiver.url(), .send_once = true};
        auto const result = result_of(client, request);
        CHECK((status_of(result) == 201 || may_have_arrived(result)));
    }
    CHECK(server.receiver.received().size() == 2);
}

TEST_CASE("other requests are repeated when their kept connection ends without an answer")
{
    DiesOnce server;
    AsyncClient client(nearby());
    CHECK(status_of(result_of(client, message(server.receiver.url(), false))) == 201);
    CHECK(status_of(result_of(client, message(server.receiver.url(), false))) == 201);
    CHECK(server.receiver.received().size() == 3);
}

TEST_CASE("requests that must not arrive twice share connections")
{
    Receiver receiver([](Received const& r) { return reply(201, r.body); });
    AsyncClient client(nearby());
    for (int i = 0; i < 20; ++i)
        CHECK(status_of(result_of(client, message(receiver.url()))) == 201);
    CHECK(receiver.connections() == 1);
    CHECK_FALSE(receiver.received().back().headers.contains("expect"));
    CHECK_FALSE(receiver.received().back().headers.contains("transfer-encoding"));
}

TEST_CASE("a kept connection that the server closed while it was idle is not used")
{
    Receiver receiver([](Received const&) { return reply(201); });
    AsyncClient client(nearby());
    for (unsigned i = 1; i <= 5; ++i) {
        CHECK(status_of(result_of(client, message(receiver.url()))) == 201);
        CHECK(receiver.connections() == i);
        receiver.close_connections();
        REQUIRE(eventually([&] { return testing::half_closed(receiver.port()) > 0; }));
    }
    CHECK(receiver.received().size() == 5);
}

TEST_CASE("a kept TLS connection that the server closed while it was idle is not used")
{
    testing::Authority authority;
    testing::TlsServer server(authority.issue("IP:127.0.0.1"));
    AsyncClient client(nearby(true, authority.file()));
    for (unsigned i = 1; i <= 5; ++i) {
        CHECK(status_of(result_of(client, message(server.url()))) == 201);
        CHECK(status_of(result_of(client, message(server.url()))) == 201);
        CHECK(server.connections() == i);
        server.close_connections();
        REQUIRE(eventually([&] { return testing::half_closed(server.port()) > 0; }));
    }
    CHECK(server.requests() == 10);
}

TEST_CASE("many concurrent requests each arrive once, although the server closes connections at any time")
{
    constexpr std::size_t count = 400;
    std::atomic<unsigned> seen = 0;
    // Closes the connection of every seventh request: in turn before and after the response.
    Receiver receiver([&](Received const&) {
        unsigned const n = ++seen;
        if (n % 14 == 7) return std::string();
        return reply(201, "", n % 7 == 0 ? "Connection: close\r\n" : "");
    });
    AsyncClient client(nearby());
    std::atomic<std::size_t> ended = 0, answered = 0;
    for (std::size_t i = 0; i < count; ++i) {
        auto request = message(receiver.url());
        request.body = std::to_string(i);
        REQUIRE(eventually([&] { return client.in_flight() < 16; }));
        client.send(std::move(request), [&](Result const& result) {
            answered += status_of(result) == 201 ? 1 : 0;
            ++ended;
        });
    }
    REQUIRE(eventually([&] { return ended == count; }));
    std::map<std::string, int> times;
    for (auto const& request : receiver.received())
        ++times[request.body];
    CHECK(times.size() == count);
    CHECK(receiver.received().size() == count);
    CHECK(answered < count);
}

TEST_CASE("a request counts as sent once a connection could take its body")
{
    AsyncClient client(nearby());
    SECTION("there is no server")
    {
        auto const result = result_of(client, message("http://127.0.0.1:1/"));
        CHECK(std::holds_alternative<Error>(result));
        CHECK_FALSE(may_have_arrived(result));
    }
    SECTION("the server does not answer the handshake")
    {
        testing::SilentHosts silent(1);
        auto request = message("https" + silent.url(0).substr(4));
        request.timeout = std::chrono::milliseconds(100);
        auto const result = result_of(client, std::move(request));
        CHECK(std::holds_alternative<Error>(result));
        CHECK_FALSE(may_have_arrived(result));
    }
    SECTION("the server does not answer the request")
    {
        testing::SilentHosts silent(1);
        std::promise<Result> result;
        std::stop_source stop;
        auto request = message(silent.url(0));
        request.stop = stop.get_token();
        client.send(std::move(request), [&](Result r) { result.set_value(std::move(r)); });
        REQUIRE(eventually([&] { return silent.in_flight() == 1; }));
        stop.request_stop();
        CHECK(may_have_arrived(result.get_future().get()));
    }
}

TEST_CASE("the blocking client does not repeat a request that must not arrive twice")
{
    DiesOnce server;
    http_client::Client client(nearby());
    CHECK(client.send(message(server.receiver.url())).status == 201);
    CHECK_THROWS_AS(client.send(message(server.receiver.url())), Error);
    CHECK(client.send(message(server.receiver.url())).status == 201);
    CHECK(server.receiver.received().size() == 3);
}
