#include "client_calls.hpp"
#include "support/eventually.hpp"

#include <future>

// The pool of connections, its queue, stop requests, and the messages that it takes.

using namespace mailing;
using testing::ScriptedSmtpServer, testing::eventually;

TEST_CASE("an unused connection is closed with QUIT")
{
    ScriptedSmtpServer const server([](SmtpPeer& peer, int) {
        peer.greet({});
        peer.take_message();
        if (peer.line() == "QUIT") peer.say("221 Bye");
        peer.wait_for_close();
    });
    auto options = to_server(server.url());
    options.idle_timeout = 50ms;
    SmtpClient client(std::move(options));
    CHECK(send(client).outcome == Outcome::accepted);
    CHECK(eventually([&] { return server.lines().back() == "QUIT"; }));
    CHECK(eventually([&] { return client.stats().connections == 0; }));
}

TEST_CASE("many messages use few connections, and no thread waits")
{
    ScriptedSmtpServer const server([](SmtpPeer& peer, int) { serve(peer, {}); });
    auto options = to_server(server.url());
    options.max_connections = 3;
    SmtpClient client(std::move(options));
    std::vector<std::future<SendResult>> sent;
    for (int i = 0; i < 200; ++i)
        sent.push_back(start(client, envelope_to("ada@example.org")));
    for (auto& each : sent)
        CHECK(each.get().outcome == Outcome::accepted);
    CHECK(server.connections() == 3);
    CHECK(client.stats().queued == 0);
}

TEST_CASE("the queue of messages is bounded, by their number and by their bytes")
{
    std::promise<void> go_on;
    auto const gate = go_on.get_future().share();
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        gate.wait();
        serve(peer);
    });
    bool const by_count = GENERATE(true, false);
    auto options = to_server(server.url());
    // A message has 21 bytes. A tenant may have four fifths of the queue.
    (by_count ? options.max_queued : options.max_queued_bytes) = by_count ? 3 : 70;
    SmtpClient client(std::move(options));
    std::vector<std::future<SendResult>> taken;
    for (int i = 0; i < 2; ++i)
        taken.push_back(start(client, envelope_to("ada@example.org")));
    auto const refused = send(client);
    CHECK(refused.outcome == Outcome::transient);
    CHECK(refused.reason == "BUSY");
    CHECK(refused.stage == Stage::local);
    CHECK(client.stats().queued == 2);
    taken.push_back(start(client, envelope_of(1, "ada@example.org")));
    CHECK(client.stats().queued == 3);
    CHECK(start(client, envelope_of(2, "ada@example.org")).get().reason == "BUSY");
    go_on.set_value();
    for (auto& each : taken)
        CHECK(each.get().outcome == Outcome::accepted);
    CHECK(send(client).outcome == Outcome::accepted);
}

TEST_CASE("a message that waits too long for a connection ends")
{
    ScriptedSmtpServer const server([](SmtpPeer& peer, int) { peer.wait_for_close(); });
    auto options = to_server(server.url());
    options.timeout = 100ms;
    options.max_connections = 1;
    SmtpClient client(std::move(options));
    auto const failed = send(client);
    CHECK(failed.outcome == Outcome::transient);
    CHECK(failed.stage == Stage::local);
    CHECK_THAT(failed.reason, Catch::StartsWith("TIMEOUT: "));
}

TEST_CASE("without a connection, all messages end with the reason of the failure")
{
    ScriptedSmtpServer const server([](SmtpPeer& peer, int) { peer.say("421 4.7.0 Too many connections"); });
    SmtpClient client(to_server(server.url()));
    std::vector<std::future<SendResult>> sent;
    for (int i = 0; i < 50; ++i)
        sent.push_back(start(client, envelope_to("ada@example.org")));
    for (auto& each : sent) {
        auto const failed = each.get();
        CHECK(failed.reason == "421 4.7.0 Too many connections");
        CHECK(failed.stage == Stage::connect);
    }
}

TEST_CASE("messages use the open connections if the server refuses further ones")
{
    ScriptedSmtpServer const server([](SmtpPeer& peer, int number) {
        if (number == 0) return serve(peer);
        peer.say("421 4.7.0 Too many connections");
    });
    SmtpClient client(to_server(server.url()));
    CHECK(send(client).outcome == Outcome::accepted);
    std::vector<std::future<SendResult>> sent;
    for (int i = 0; i < 50; ++i)
        sent.push_back(start(client, envelope_to("ada@example.org")));
    for (auto& each : sent)
        CHECK(each.get().outcome == Outcome::accepted);
}

TEST_CASE("a stop request ends waiting messages at once and awaits the reply to a sent message")
{
    std::promise<void> dot, go_on;
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.greet({});
        peer.accept_commands();
        peer.message();
        dot.set_value();
        go_on.get_future().wait();
        peer.say("250 2.0.0 Ok");
        peer.wait_for_close();
    });
    bool const by_destructor = GENERATE(true, false);
    auto options = to_server(server.url());
    options.max_connections = 1;
    auto client = std::make_unique<SmtpClient>(std::move(options));
    std::stop_source stop;
    auto first = start(*client, envelope_to("ada@example.org"), stop.get_token());
    dot.get_future().wait();
    auto second = start(*client, envelope_to("bob@example.org"), stop.get_token());
    auto third = start(*client, envelope_to("eve@example.org"));
    std::future<void> ended;
    if (by_destructor)
        ended = std::async(std::launch::async, [&] { client.reset(); });
    else
        stop.request_stop();
    auto const waiting = second.get();
    CHECK(waiting.outcome == Outcome::transient);
    CHECK(waiting.reason == "STOPPED");
    CHECK(waiting.stage == Stage::local);
    CHECK(first.wait_for(0s) == std::future_status::timeout);
    go_on.set_value();
    CHECK(first.get().outcome == Outcome::accepted);
    if (by_destructor) CHECK(third.get().reason == "STOPPED");
}

TEST_CASE("a stop request ends a message that was not sent completely")
{
    std::promise<void> begun;
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.greet({});
        peer.line();
        begun.set_value();
        peer.wait_for_close();
    });
    SmtpClient client(to_server(server.url()));
    std::stop_source stop;
    auto sent = start(client, envelope_to("ada@example.org"), stop.get_token());
    begun.get_future().wait();
    stop.request_stop();
    auto const result = sent.get();
    CHECK(result.outcome == Outcome::transient);
    CHECK(result.reason == "STOPPED");
    // A message that is stopped already is not sent.
    CHECK(start(client, envelope_to("ada@example.org"), stop.get_token()).get().reason == "STOPPED");
    CHECK(server.connections() == 1);
}

TEST_CASE("an address cannot add a command")
{
    ScriptedSmtpServer const server([](SmtpPeer& peer, int) { serve(peer); });
    SmtpClient client(to_server(server.url()));
    for (auto const* to : {"", "a@b>\r\nRSET", "a@b> X=1", "a b@c", "\xC3\xA9@example.com"}) {
        auto const refused = send(client, to);
        CHECK(refused.outcome == Outcome::refused);
        CHECK(refused.reason == "INVALID_ADDRESS");
    }
    CHECK(send(client).outcome == Outcome::accepted);
    CHECK(server.lines().at(1) == "MAIL FROM:<from@example.com>");
}

TEST_CASE("a message with bytes above 127 is sent as 8BITMIME, if the server offers it")
{
    bool const offered = GENERATE(true, false);
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        serve(peer, offered ? std::vector<std::string>{"8BITMIME"} : std::vector<std::string>());
    });
    SmtpClient client(to_server(server.url()));
    auto const result =
        start(client, envelope_to("ada@example.org", "Subject: x\r\n\r\ncaf\xC3\xA9\r\n")).get();
    CHECK(result.outcome == (offered ? Outcome::accepted : Outcome::refused));
    CHECK(send(client).outcome == Outcome::accepted);
    CHECK(server.lines().at(1) ==
          (offered ? "MAIL FROM:<from@example.com> BODY=8BITMIME" : "MAIL FROM:<from@example.com>"));
}

TEST_CASE("a mailer sends messages without a thread for each")
{
    ScriptedSmtpServer const server([](SmtpPeer& peer, int) { serve(peer); });
    auto post = mailer(to_server(server.url()));
    std::vector<std::promise<SendResult>> results(50);
    for (auto& result : results)
        post.send_async(
            message_to("ada@example.org"), {}, [&](SendResult sent) { result.set_value(std::move(sent)); });
    for (auto& result : results) {
        auto const sent = result.get_future().get();
        CHECK(sent.outcome == Outcome::accepted);
        CHECK_THAT(sent.message_id, Catch::EndsWith("@shared.example"));
    }
    std::promise<SendResult> invalid, unsigned_message;
    post.send_async(
        message_to("no address"), {}, [&](SendResult sent) { invalid.set_value(std::move(sent)); });
    CHECK(invalid.get_future().get().reason == "INVALID_HEADER");
    auto message = message_to("ada@example.org");
    message.sender = CustomSender{.from = {"A", "a@example.com"},
        .key = {.domain = "example.com", .selector = "s", .private_key = core::Secret("x")}};
    post.send_async(message, {}, [&](SendResult sent) { unsigned_message.set_value(std::move(sent)); });
    auto const failed = unsigned_message.get_future().get();
    CHECK(failed.outcome == Outcome::transient);
    CHECK_THAT(failed.reason, Catch::StartsWith("COMPOSE: "));
}
