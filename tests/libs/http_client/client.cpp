#include "http_client/client.hpp"

#include "clients.hpp"
#include "http_client/url.hpp"
#include "receiver.hpp"
#include "support/eventually.hpp"
#include "support/process.hpp"

#include <atomic>
#include <cstdlib>
#include <optional>
#include <stop_token>
#include <thread>

using http_client::Client;
using http_client::Error;
using http_client::Request;
using testing::Received;
using testing::Receiver;
using testing::reply;

namespace {

std::optional<Error> failure_of(Client& client, Request const& request)
{
    try {
        client.send(request);
        return std::nullopt;
    } catch (Error const& e) {
        return e;
    }
}

std::string kind_of(std::optional<Error> const& failure)
{
    return failure ? std::string(to_string(failure->kind())) : "no failure";
}

} // namespace

TEST_CASE("a stopped request ends after its grace period")
{
    testing::HeldReceiver held;
    Client client(nearby());
    std::stop_source stop;
    std::jthread const stopper([&] {
        testing::eventually([&] { return held.gate.arrived() == 1; });
        stop.request_stop();
    });
    auto const failure = failure_of(client, {.url = held.receiver.url(),
                                                .timeout = std::chrono::hours(1),
                                                .stop = stop.get_token(),
                                                .stop_grace = std::chrono::milliseconds(100)});
    CHECK(kind_of(failure) == "stopped");
    CHECK(failure->request_sent());
}

TEST_CASE("a response that arrives within the grace period is accepted")
{
    testing::HeldReceiver held;
    Client client(nearby());
    std::stop_source stop;
    std::jthread const stopper([&] {
        testing::eventually([&] { return held.gate.arrived() == 1; });
        stop.request_stop();
        held.gate.open();
    });
    auto const response = client.send({.url = held.receiver.url(),
        .timeout = std::chrono::hours(1),
        .stop = stop.get_token(),
        .stop_grace = std::chrono::hours(1)});
    CHECK(response.status == 204);
}

TEST_CASE("a request arrives unchanged, and the caller gets the response")
{
    Receiver receiver(
        [](Received const&) { return reply(201, R"({"ok":true})", "X-Thing:  a b \r\nETag: \"1\"\r\n"); });
    Client client(nearby());
    auto const response = client.send({.method = "POST",
        .url = receiver.url("/hooks?x=1"),
        .headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}},
        .body = std::string("{\0}", 3)});

    CHECK(response.status == 201);
    CHECK(response.body == R"({"ok":true})");
    CHECK(response.header("x-thing") == "a b");
    CHECK(response.header("etag") == "\"1\"");
    CHECK_FALSE(response.header("absent"));
    CHECK_FALSE(response.retry_after);
    REQUIRE(receiver.received().size() == 1);
    auto const got = receiver.received().front();
    CHECK(got.method == "POST");
    CHECK(got.target == "/hooks?x=1");
    CHECK(got.body == std::string("{\0}", 3));
    CHECK(got.headers.at("content-type") == "application/json");
    CHECK(got.headers.at("content-length") == "3");
    CHECK(got.headers.at("x-empty").empty());
    CHECK(got.headers.at("user-agent").starts_with("tetrad/"));
    CHECK_FALSE(got.headers.contains("expect"));
    CHECK_FALSE(got.headers.contains("accept-encoding"));
}

TEST_CASE("each method is sent as it is")
{
    Receiver receiver([](Received const& r) {
        return r.method == "HEAD" ? std::string("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
                                  : reply(200, r.method);
    });
    Client client(nearby());
    for (std::string const method : {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}) {
        CAPTURE(method);
        auto const response = client.send({.method = method, .url = receiver.url()});
        CHECK(response.body == (method == "HEAD" ? "" : method));
        auto const got = receiver.received().back();
        CHECK(got.method == method);
        bool const has_length = method == "POST" || method == "PUT" || method == "PATCH";
        CHECK(got.headers.contains("content-length") == has_length);
        CHECK_FALSE(got.headers.contains("content-type"));
    }
    CHECK(receiver.connections() == 1);
}

TEST_CASE("headers and methods that would change the framing of the message are refused")
{
    Client client(nearby());
    Request request{.url = "http://127.0.0.1:1/"};
    request.headers = {{"X-A", "b\r\nX-C: d"}};
    CHECK_THROWS_AS(client.send(request), std::invalid_argument);
    request.headers = {{"X-A: b", "c"}};
    CHECK_THROWS_AS(client.send(request), std::invalid_argument);
    request.headers = {{"X-A", std::string("b\0c", 3)}};
    CHECK_THROWS_AS(client.send(request), std::invalid_argument);
    request.headers.clear();
    request.method = "GET /x";
    CHECK_THROWS_AS(client.send(request), std::invalid_argument);
}

TEST_CASE("a redirect is returned as the response, unless redirects are followed")
{
    Receiver receiver([](Received const& r) {
        if (r.target == "/loop") return reply(302, "", "Location: /loop\r\n");
        if (r.target == "/file") return reply(302, "", "Location: file:///etc/passwd\r\n");
        return r.target == "/" ? reply(302, "", "Location: /there\r\nX-First: 1\r\n") : reply(200, "there");
    });
    Client client(nearby());
    CHECK(client.send({.url = receiver.url()}).status == 302);
    CHECK(receiver.received().size() == 1);

    auto const followed = client.send({.url = receiver.url(), .max_redirects = 2});
    CHECK(followed.status == 200);
    CHECK(followed.body == "there");
    CHECK_FALSE(followed.header("x-first"));

    CHECK(kind_of(failure_of(client, {.url = receiver.url("/loop"), .max_redirects = 2})) == "protocol");
    CHECK(kind_of(failure_of(client, {.url = receiver.url("/file"), .max_redirects = 2})) == "protocol");
}

TEST_CASE("a forbidden address is refused when the socket connects, for any host name")
{
    Receiver receiver([](Received const&) { return reply(200); });
    Client client({.addresses = http_client::AddressPolicy(false)});
    auto const port = std::to_string(receiver.port());
    for (auto const& host : {"127.0.0.1", "localhost", "0x7f.1", "2130706433", "0177.0.0.1", "127.1", "[::1]",
             "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "0.0.0.0", "169.254.169.254"}) {
        CAPTURE(host);
        auto const failure = failure_of(client, {.url = "http://" + std::string(host) + ':' + port + '/'});
        CHECK(kind_of(failure) == "refused_address");
        CHECK((failure && !failure->request_sent()));
    }
    CHECK(receiver.connections() == 0);
    Client lax(nearby());
    CHECK(lax.send({.url = "http://localhost:" + port + '/'}).status == 200);
}

TEST_CASE("proxies of the environment are not used")
{
    Receiver proxy([](Received const&) { return reply(200, "proxy"); });
    Receiver receiver([](Received const&) { return reply(200, "direct"); });
    ::setenv("http_proxy", proxy.url().c_str(), 1); // NOLINT(concurrency-mt-unsafe)
    ::setenv("all_proxy", proxy.url().c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    Client client(nearby());
    auto const body = client.send({.url = receiver.url()}).body;
    ::unsetenv("http_proxy"); // NOLINT(concurrency-mt-unsafe)
    ::unsetenv("all_proxy");  // NOLINT(concurrency-mt-unsafe)
    CHECK(body == "direct");
    CHECK(proxy.connections() == 0);
}

TEST_CASE("the size of a response is limited")
{
    std::string const big(100'000, 'x');
    auto const chunked = GENERATE(false, true);
    Receiver receiver([&](Received const&) {
        return chunked
                   ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n" + big + "\r\n0\r\n\r\n"
                   : reply(200, big);
    });
    Client client(nearby());
    CHECK(client.send({.url = receiver.url()}).body == big);
    CHECK(client.send({.url = receiver.url(), .max_response_bytes = big.size()}).body == big);

    Request tight{.url = receiver.url(), .max_response_bytes = big.size() - 1};
    auto const failure = failure_of(client, tight);
    CHECK(kind_of(failure) == "too_large");
    CHECK((failure && failure->request_sent()));

    tight.max_response_bytes = 1024;
    tight.truncate_response = true;
    auto const cut = client.send(tight);
    CHECK(cut.status == 200);
    CHECK(cut.body == std::string(1024, 'x'));
}

TEST_CASE("a response with too many headers is refused")
{
    Receiver receiver([&](Received const&) {
        std::string lines;
        for (int i = 0; i < 1000; ++i)
            lines += "X-" + std::to_string(i) + ": " + std::string(100, 'y') + "\r\n";
        return reply(200, "", lines);
    });
    Client client(nearby());
    CHECK(kind_of(failure_of(client, {.url = receiver.url()})) == "too_large");
}

TEST_CASE("a failure states its kind and whether the request was sent")
{
    Client client(nearby());
    SECTION("no server listens")
    {
        auto const failure =
            failure_of(client, {.url = "http://127.0.0.1:" + std::to_string(testing::free_port()) + "/"});
        CHECK(kind_of(failure) == "connect");
        CHECK((failure && !failure->request_sent()));
    }
    SECTION("the name does not exist")
    {
        auto const failure = failure_of(client, {.url = "http://no-such-host.invalid/"});
        CHECK(kind_of(failure) == "dns");
        CHECK((failure && !failure->request_sent()));
    }
    SECTION("no response in time")
    {
        testing::HeldReceiver held;
        auto const failure =
            failure_of(client, {.url = held.receiver.url(), .timeout = std::chrono::seconds(1)});
        CHECK(kind_of(failure) == "timeout");
        CHECK((failure && failure->request_sent()));
    }
    SECTION("the connection breaks before the response")
    {
        Receiver receiver([](Received const&) { return std::string(); });
        auto const failure = failure_of(client, {.url = receiver.url()});
        CHECK(kind_of(failure) == "protocol");
        CHECK((failure && failure->request_sent()));
    }
    SECTION("the body is incomplete")
    {
        Receiver receiver([](Received const&) {
            return std::string("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nabc");
        });
        auto const failure =
            failure_of(client, {.url = receiver.url(), .timeout = std::chrono::milliseconds(300)});
        CHECK((kind_of(failure) == "protocol" || kind_of(failure) == "timeout"));
    }
    SECTION("the response is not HTTP")
    {
        Receiver receiver([](Received const&) { return std::string("SSH-2.0-x\r\n"); });
        CHECK(kind_of(failure_of(client, {.url = receiver.url()})) == "protocol");
    }
    SECTION("the URL is not supported")
    {
        for (auto const* url :
            {"", "nonsense", "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/"}) {
            CAPTURE(url);
            CHECK(kind_of(failure_of(client, {.url = url})) == "protocol");
        }
    }
}

TEST_CASE("certificates are verified against the given roots, or against the system's roots")
{
    testing::TemporaryDirectory const directory("tls");
    std::string const certificate = directory.path() + "/cert.pem";
    std::string const key = directory.path() + "/key.pem";
    testing::Process make(
        {.argv = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1", "-keyout", key,
             "-out", certificate}});
    REQUIRE(make.wait());
    REQUIRE(make.status() == 0);
    auto const port = std::to_string(testing::free_port());
    testing::Process const server({.argv = {"openssl", "s_server", "-accept", "127.0.0.1:" + port, "-cert",
                                       certificate, "-key", key, "-www"}});

    Client trusting({.addresses = http_client::AddressPolicy(true), .ca_file = certificate});
    std::string const url = "https://127.0.0.1:" + port + '/';
    REQUIRE(testing::eventually([&] { return kind_of(failure_of(trusting, {.url = url})) != "connect"; }));
    CHECK(trusting.send({.url = url}).status == 200);

    Client wary(nearby());
    auto const unknown_root = failure_of(wary, {.url = url});
    CHECK(kind_of(unknown_root) == "tls");
    CHECK((unknown_root && !unknown_root->request_sent()));
    CHECK(kind_of(failure_of(trusting, {.url = "https://localhost:" + port + '/'})) == "tls");
}

TEST_CASE("Retry-After is parsed in both forms")
{
    Receiver receiver([](Received const& r) {
        if (r.target == "/seconds") return reply(429, "", "Retry-After: 120\r\n");
        if (r.target == "/past") return reply(503, "", "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n");
        return reply(503, "", "Retry-After: Fri, 31 Dec 2100 23:59:59 GMT\r\n");
    });
    Client client(nearby());
    CHECK(client.send({.url = receiver.url("/seconds")}).retry_after == std::chrono::seconds(120));
    CHECK(client.send({.url = receiver.url("/past")}).retry_after == std::chrono::seconds(0));
    CHECK(client.send({.url = receiver.url("/future")}).retry_after.value() > std::chrono::hours(24 * 365));
}

TEST_CASE("connections are reused")
{
    Receiver receiver([](Received const&) { return reply(200); });
    Client client(nearby());
    for (int i = 0; i < 5; ++i)
        client.send({.url = receiver.url()});
    CHECK(receiver.connections() == 1);
}

TEST_CASE("many threads can use one client")
{
    Receiver receiver([](Received const& r) { return reply(200, r.body); });
    Client client(nearby());
    std::atomic<int> right = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                std::string const body = std::to_string(t * 1000 + i);
                if (client.send({.method = "POST", .url = receiver.url(), .body = body}).body == body)
                    ++right;
            }
        });
    }
    threads.clear();
    CHECK(right == 400);
    CHECK(receiver.connections() <= 8);
}

TEST_CASE("a URL is parsed in the same way as by the client")
{
    using http_client::parse_url;
    auto const plain = parse_url("https://Example.COM/hook?x=1");
    REQUIRE(plain);
    CHECK(plain->scheme == "https");
    CHECK(plain->host == "example.com");
    CHECK(plain->port == 443);
    CHECK_FALSE(plain->has_credentials);
    CHECK(parse_url("http://[2606:4700::1111]:8080/")->host == "2606:4700::1111");
    CHECK(parse_url("http://[2606:4700::1111]:8080/")->port == 8080);
    CHECK(parse_url("https://user@example.com/")->has_credentials);
    CHECK(parse_url("https://user:secret@example.com/")->has_credentials);
    CHECK(parse_url("http://0x7f.1/")->host == "127.0.0.1");
    CHECK(parse_url("http://2130706433/")->host == "127.0.0.1");
    for (auto const* url :
        {"", "/hook", "example.com", "ftp://example.com/", "https://", "https:///x", "https:/example.com",
            "https://example.com:0/", "https://example.com:99999/", "https://exa mple.com/",
            "javascript:alert(1)", "https://%32130706433/", "https://user@%6cocalhost/",
            "https://127.0.0.%31?x", "https:/example.com/https://example.com/"}) {
        CAPTURE(url);
        CHECK_FALSE(parse_url(url));
    }
}
