#include "harness.hpp"

#include <algorithm>
#include <csignal>

namespace {

ClientOptions to(Server const& server, ClientOptions options = {})
{
    options.host = "127.0.0.1";
    options.port = server.port();
    options.tls = false;
    return options;
}

ClientOptions one_connection(Server const& server)
{
    return to(server, {.max_connections = 1});
}

} // namespace

TEST_CASE("a request is sent completely and its response arrives")
{
    Server const server;
    Sender sender(to(server));
    std::string const long_text(100'000, 'y'); // larger than a frame and than the first flow-control window
    auto const small = sender.add("/echo", "a body in pieces"), none = sender.add("/status/204", ""),
               large = sender.add("/status/200", long_text);
    REQUIRE(sender.run_to_end());
    CHECK(sender.result(small).end == StreamEnd::answered);
    CHECK(sender.result(small).status == 200);
    CHECK(sender.result(small).body == "a body in pieces");
    CHECK(sender.result(none).status == 204);
    CHECK(sender.result(none).body.empty());
    CHECK(sender.result(large).body == long_text.substr(0, http2_client::Stream::max_answer));
    auto const& headers = sender.result(small).headers;
    CHECK(std::ranges::count(headers, std::pair<std::string, std::string>("x-server", "node")) == 1);
    CHECK(server.connections() == 1);
}

TEST_CASE("statuses and header fields are passed on")
{
    Server const server;
    Sender sender(to(server));
    auto const bad = sender.add("/status/400", "why"), wait = sender.add("/wait/17");
    REQUIRE(sender.run_to_end());
    CHECK(sender.result(bad).status == 400);
    CHECK(sender.result(bad).body == "why");
    CHECK(sender.result(wait).status == 429);
    auto const& headers = sender.result(wait).headers;
    CHECK(std::ranges::count(headers, std::pair<std::string, std::string>("retry-after", "17")) == 1);
}

TEST_CASE("the client uses as many streams as the server allows, and no more")
{
    Server const server(R"({"streams": 7})");
    Sender sender(one_connection(server));
    for (int i = 0; i < 40; ++i)
        sender.add("/hang", "x");
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 7; }));
    CHECK(std::ranges::none_of(sender.results, [](auto const& r) { return r.has_value(); }));
    sender.client.reset();
    CHECK(std::ranges::count_if(
              sender.results, [](auto const& r) { return r && r->end == StreamEnd::lost; }) == 7);
}

TEST_CASE("the server may raise the number of streams later")
{
    Server const server(R"({"streams": 1})");
    Sender sender(one_connection(server));
    auto const raises = sender.add("/settings/5");
    for (int i = 0; i < 10; ++i)
        sender.add("/hang");
    CHECK(sender.result(raises).status == 200);
    CHECK(sender.run_until([&] { return sender.client->in_flight() == 5; }));
}

TEST_CASE("the last free streams are reserved for urgent requests")
{
    Server const server(R"({"streams": 80})");
    ClientOptions options = one_connection(server);
    options.urgent_streams = 8;
    Sender sender(options);
    for (int i = 0; i < 200; ++i)
        sender.add("/hang", "bulk", false);
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 72; }));
    auto const urgent = sender.add("/echo", "now");
    CHECK(sender.result(urgent).body == "now");
    CHECK(sender.client->in_flight() == 72);
}

TEST_CASE("connections for the backlog are added while all streams are in use")
{
    Server const server(R"({"streams": 4})");
    ClientOptions options = to(server, {.max_connections = 3});
    options.urgent_streams = 0;
    Sender sender(options);
    for (int i = 0; i < 40; ++i)
        sender.add("/hang");
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 4; }));
    CHECK(server.connections() == 1);
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 12; }));
    CHECK(server.connections() == 3);
    CHECK(sender.client->connections() == 3);
}

TEST_CASE("as many connections are opened at once as the backlog can fill with streams")
{
    Server const server(R"({"streams": 4})");
    Sender sender(to(server, {.max_connections = 100}));
    for (int i = 0; i < 40; ++i)
        sender.add("/hang");
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 4; }));
    REQUIRE(sender.run_until([&] { return sender.client->connections() > 1; }));
    CHECK(sender.client->connections() == 10);
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 40; }));
    CHECK(sender.client->connections() == 10);
    CHECK(server.connections() == 10);
}

TEST_CASE("a small backlog opens one more connection")
{
    Server const server(R"({"streams": 4})");
    Sender sender(to(server, {.max_connections = 100}));
    for (int i = 0; i < 6; ++i)
        sender.add("/hang");
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 6; }));
    CHECK(sender.client->connections() == 2);
}

TEST_CASE("a refused stream was not processed and is sent again")
{
    Server const server;
    Sender sender(to(server));
    auto const refused = sender.add("/refuse/a", "again");
    CHECK(sender.result(refused).end == StreamEnd::answered);
    CHECK(sender.result(refused).body == "again");
    sender.again = false;
    CHECK(sender.result(sender.add("/refuse/b")).end == StreamEnd::refused);
    CHECK(server.connections() == 1);
}

TEST_CASE("after a GOAWAY excluded requests use another connection, and earlier requests get their responses")
{
    Server const server;
    Sender sender(one_connection(server));
    auto const before = sender.add("/hold", "before");
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 1; }));
    auto const left_out = sender.add("/goaway/a", "left out");
    CHECK(sender.result(before).end == StreamEnd::answered);
    CHECK(sender.result(before).body == "before");
    CHECK(sender.result(left_out).end == StreamEnd::answered);
    CHECK(sender.result(left_out).body == "left out");
    CHECK(testing::eventually([&] { return server.connections() == 2; }));
    REQUIRE(sender.run_until([&] { return !sender.notices.empty(); }));
    CHECK(sender.notices.front().find("moving house") != std::string::npos);
    CHECK(sender.announcements.front());
}

TEST_CASE("requests in flight on a broken connection are lost, and waiting requests use the next connection")
{
    Server const server(R"({"streams": 2})");
    ClientOptions options = one_connection(server);
    options.urgent_streams = 0;
    Sender sender(options);
    auto const first = sender.add("/hang"), second = sender.add("/drop"),
               third = sender.add("/echo", "third");
    REQUIRE(sender.run_to_end());
    CHECK(sender.result(first).end == StreamEnd::lost);
    CHECK(sender.result(second).end == StreamEnd::lost);
    CHECK(sender.result(third).body == "third");
    CHECK(server.connections() == 2);
    CHECK(sender.announcements == std::vector{false});
}

TEST_CASE("a stream that the server resets is lost, and other streams are not affected")
{
    Server const server;
    Sender sender(to(server));
    auto const reset = sender.add("/reset"), fine = sender.add("/echo");
    REQUIRE(sender.run_to_end());
    CHECK(sender.result(reset).end == StreamEnd::lost);
    CHECK(sender.result(fine).end == StreamEnd::answered);
    CHECK(server.connections() == 1);
}

TEST_CASE("a late response times out and its stream is released")
{
    Server const server(R"({"streams": 1})");
    ClientOptions options = one_connection(server);
    options.urgent_streams = 0;
    Sender sender(options);
    auto const hangs = sender.add("/hang");
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 1; }));
    auto const waits = sender.add("/echo", "my turn");
    sender.ahead = 11s;
    CHECK(sender.result(hangs).end == StreamEnd::timeout);
    sender.ahead = 0s;
    CHECK(sender.result(waits).body == "my turn");
    CHECK(server.connections() == 1);
}

TEST_CASE("a connection that does not answer a PING is closed")
{
    Server server;
    ClientOptions options = one_connection(server);
    options.answer_timeout = 1h;
    Sender sender(options);
    REQUIRE(sender.result(sender.add("/echo")).status == 200);
    server.process().signal(SIGSTOP);
    auto const unheard = sender.add("/echo");
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 1; }));
    sender.ahead = 6s; // after 6 s without data the client sends a PING
    sender.run_until([passes = 0]() mutable { return ++passes > 3; });
    CHECK_FALSE(sender.results[unheard]);
    sender.ahead = 12s;
    CHECK(sender.result(unheard).end == StreamEnd::lost);
    REQUIRE(sender.notices.size() == 1);
    CHECK(sender.notices.front().find("PING") != std::string::npos);
    CHECK_FALSE(sender.announcements.front());
    server.process().signal(SIGCONT);
    sender.ahead = 0s;
    CHECK(sender.result(sender.add("/echo")).status == 200);
}

TEST_CASE("a slow response alone does not end a connection")
{
    Server const server;
    ClientOptions options = one_connection(server);
    options.answer_timeout = 1h;
    Sender sender(options);
    auto const held = sender.add("/hold", "held");
    REQUIRE(sender.run_until([&] { return sender.client->in_flight() == 1; }));
    sender.ahead = 6s;
    // The response to the PING keeps the connection open although no other data arrive.
    sender.run_until([passes = 0]() mutable { return ++passes > 50; });
    CHECK_FALSE(sender.results[held]);
    sender.ahead = 0s;
    CHECK(sender.result(sender.add("/echo")).end == StreamEnd::answered);
    CHECK(sender.result(held).body == "held");
    CHECK(server.connections() == 1);
}

TEST_CASE("an unused connection is closed")
{
    Server const server;
    Sender sender(one_connection(server));
    REQUIRE(sender.result(sender.add("/echo")).status == 200);
    sender.ahead = 301s;
    CHECK(sender.run_until([&] { return sender.client->connections() == 0; }));
    CHECK(sender.notices.empty());
    sender.ahead = 0s;
    CHECK(sender.result(sender.add("/echo")).status == 200);
    CHECK(testing::eventually([&] { return server.connections() == 2; }));
}

TEST_CASE("a server that is down is unreachable, and is used when it is up")
{
    auto const port = testing::free_port();
    Sender sender({.host = "127.0.0.1", .port = port, .tls = false});
    CHECK(sender.result(sender.add("/echo")).end == StreamEnd::lost);
    REQUIRE_FALSE(sender.failures.empty());
    CHECK(sender.failures.front().find("connect") != std::string::npos);
    auto const tries = sender.failures.size();
    sender.give_up = false;
    auto const patient = sender.add("/echo");
    REQUIRE(sender.run_until([&] { return sender.failures.size() > tries; }));
    CHECK_FALSE(sender.results[patient]);
}

TEST_CASE("the connection to a server that sends nothing fails after a time-out")
{
    testing::TemporaryDirectory const folder("http2");
    auto const port = testing::free_port();
    testing::Process const mute({.argv = {"node", "-e",
                                     "require('net').createServer(() => {}).listen(" + std::to_string(port) +
                                         ", '127.0.0.1', () => console.log('up'))"},
        .output = folder.path() + "/log"});
    REQUIRE(testing::eventually([&] { return std::ifstream(folder.path() + "/log").peek() == 'u'; }));
    Sender sender({.host = "127.0.0.1", .port = port, .tls = false});
    auto const waits = sender.add("/echo");
    REQUIRE(sender.run_until([&] { return sender.client->connections() == 1; }));
    CHECK_FALSE(sender.results[waits]);
    sender.ahead = 6s;
    CHECK(sender.result(waits).end == StreamEnd::lost);
    CHECK(sender.failures.front().find("in time") != std::string::npos);
}

TEST_CASE("a server with another protocol is distinguished from a silent server")
{
    testing::TemporaryDirectory const folder("http2");
    auto const port = testing::free_port();
    testing::Process const old({.argv = {"node", "-e",
                                    "require('http').createServer((_, r) => r.end()).listen(" +
                                        std::to_string(port) + ", '127.0.0.1', () => console.log('up'))"},
        .output = folder.path() + "/log"});
    REQUIRE(testing::eventually([&] { return std::ifstream(folder.path() + "/log").peek() == 'u'; }));
    Sender sender({.host = "127.0.0.1", .port = port, .tls = false});
    CHECK(sender.result(sender.add("/echo")).end == StreamEnd::lost);
    REQUIRE_FALSE(sender.failures.empty());
}

TEST_CASE("TLS requires a trusted certificate for the host, and HTTP/2")
{
    testing::TemporaryDirectory const folder("http2");
    std::string const key = folder.path() + "/key.pem", certificate = folder.path() + "/cert.pem";
    testing::output_of({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                           "-nodes", "-subj", "/CN=push.test", "-addext", "subjectAltName=IP:127.0.0.1",
                           "-days", "2", "-keyout", key, "-out", certificate},
        1min);
    std::string const files = R"("key": ")" + key + R"(", "cert": ")" + certificate + '"';
    Server const server("{" + files + "}");
    ClientOptions const options{.host = "127.0.0.1", .port = server.port()};

    Sender trusting(options, certificate);
    std::string const long_text(50'000, 'z'); // more than a TLS record
    auto const small = trusting.add("/echo", "sealed"), large = trusting.add("/echo", long_text);
    CHECK(trusting.result(small).body == "sealed");
    CHECK(trusting.result(large).body == long_text.substr(0, http2_client::Stream::max_answer));

    Sender doubting(options);
    CHECK(doubting.result(doubting.add("/echo")).end == StreamEnd::lost);
    CHECK(doubting.failures.front().find("certificate") != std::string::npos);

    Sender elsewhere({.host = "localhost", .port = server.port()}, certificate);
    CHECK(elsewhere.result(elsewhere.add("/echo")).end == StreamEnd::lost);
    CHECK(elsewhere.failures.front().find("mismatch") != std::string::npos);

    Server const old("{" + files + R"(, "old": true})");
    Sender modern({.host = "127.0.0.1", .port = old.port()}, certificate);
    CHECK(modern.result(modern.add("/echo")).end == StreamEnd::lost);
    CHECK_FALSE(modern.failures.empty());
}

TEST_CASE("concurrent requests get their own responses")
{
    Server const server(R"({"streams": 100})");
    Sender sender(to(server));
    for (int i = 0; i < 2'000; ++i)
        sender.add("/echo", "body of request " + std::to_string(i));
    REQUIRE(sender.run_to_end());
    for (std::size_t i = 0; i < sender.results.size(); ++i) {
        INFO(i);
        CHECK(sender.results[i]->end == StreamEnd::answered);
        CHECK(sender.results[i]->body == "body of request " + std::to_string(i));
    }
}
