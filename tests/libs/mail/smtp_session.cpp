#include "client_calls.hpp"
#include "crypto/encoding.hpp"
#include "support/eventually.hpp"

#include <future>

// The client against servers that follow a script, most of them faulty.

using namespace mailing;
using testing::ScriptedSmtpServer, testing::eventually;

namespace {

/// A certificate of an authority that the client trusts.
struct Trusted {
    testing::Authority authority;
    testing::Certificate certificate = authority.issue("DNS:localhost");

    SmtpOptions options(std::string url) const { return to_server(std::move(url), authority.file()); }
};

} // namespace

TEST_CASE("the commands of a message are sent in one piece if the server offers PIPELINING")
{
    bool const offered = GENERATE(true, false);
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        if (!offered) return serve(peer);
        peer.greet(pipelining);
        for (;;) {
            for (int i = 0; i < 3; ++i) // no reply before the last command has arrived
                peer.line();
            peer.say_all({"250 2.1.0 Ok", "250 2.1.5 Ok", "354 Go ahead"});
            peer.message();
            peer.say("250 2.0.0 Ok: queued as 4FA1");
        }
    });
    SmtpClient client(to_server(server.url("", "smtp") + "/client.example"));
    auto const sent = start(client, envelope_to("ada@example.org", "Subject: x\r\n\r\n.hidden\r\n")).get();
    CHECK(sent.outcome == Outcome::accepted);
    CHECK(sent.stage == Stage::message);
    CHECK(sent.code == 250);
    CHECK(sent.accepted_reply == (offered ? "2.0.0 Ok: queued as 4FA1" : "2.0.0 Ok"));
    CHECK(sent.enhanced_code.empty());
    CHECK(send(client, "bob@example.org").outcome == Outcome::accepted);
    CHECK(server.connections() == 1);
    std::string const size = offered ? " SIZE=" : "";
    CHECK(server.lines() == std::vector<std::string>{"EHLO client.example",
                                "MAIL FROM:<from@example.com>" + (offered ? size + "23" : ""),
                                "RCPT TO:<ada@example.org>", "DATA", "Subject: x", "", "..hidden", ".",
                                "MAIL FROM:<from@example.com>" + (offered ? size + "21" : ""),
                                "RCPT TO:<bob@example.org>", "DATA", "Subject: x", "", "Hello", "."});
}

TEST_CASE("a session goes on after a refused recipient")
{
    struct Case {
        std::string reply, to_data;
        Outcome outcome;
        std::string enhanced_code;
    };

    auto const c =
        GENERATE(values<Case>({{"550 5.1.1 No such user", "554 No recipient", Outcome::gone, "5.1.1"},
            {"452 4.2.2 Full", "503 No recipient", Outcome::transient, "4.2.2"},
            // RFC 2920, 3.1: the server may ask for the message although it has no recipient.
            {"550 5.7.1 Denied", "354 Go ahead", Outcome::refused, "5.7.1"}}));
    bool const pipelined = GENERATE(true, false);
    INFO(c.reply << pipelined);
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.greet(pipelined ? pipelining : std::vector<std::string>());
        peer.line();
        peer.say("250 Ok");
        peer.line();
        peer.say(c.reply);
        if (pipelined) {
            peer.line();
            peer.say(c.to_data);
            if (c.to_data.starts_with("354")) {
                CHECK(peer.message().empty());
                peer.say("554 No recipient");
            }
        }
        CHECK(peer.line() == "RSET");
        peer.say("250 Ok");
        for (;;)
            peer.take_message();
    });
    SmtpClient client(to_server(server.url()));
    auto const refused = send(client, "gone@example.org");
    CHECK(refused.outcome == c.outcome);
    CHECK(refused.stage == Stage::recipient);
    CHECK(refused.reason == c.reply);
    CHECK(refused.enhanced_code == c.enhanced_code);
    for (int i = 0; i < 3; ++i)
        CHECK(send(client).outcome == Outcome::accepted);
    CHECK(server.connections() == 1);
}

TEST_CASE("a server that fails at any step ends the attempt, and the next message uses a new connection")
{
    static constexpr std::array steps{"greeting", "EHLO", "MAIL", "RCPT", "DATA", "message", "dot"};
    std::size_t const step = GENERATE(range(std::size_t{0}, steps.size()));
    std::string const kind = GENERATE("close", "421", "garbage", "endless", "unexpected", "mismatch");
    bool const pipelined = GENERATE(true, false);
    INFO(steps[step] << ' ' << kind << ' ' << pipelined);
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int number) {
        if (number > 0) return serve(peer);
        auto const fails_at = [&](std::size_t here) {
            if (here != step) return false;
            if (kind == "421") peer.say("421 4.3.2 Closing");
            if (kind == "garbage") peer.say("\x01\x02 garbage");
            if (kind == "unexpected") peer.say(here == 4 ? "250 Ok" : "354 Go ahead");
            if (kind == "mismatch") peer.say_all({"250-one", "220 two"});
            while (kind == "endless")
                peer.send(std::string(1'000, '2'));
            return true;
        };
        if (fails_at(0)) return;
        peer.say("220 mail.test");
        peer.line();
        if (fails_at(1)) return;
        if (pipelined)
            peer.say_all({"250-mail.test", "250 PIPELINING"});
        else
            peer.say("250 mail.test");
        for (std::size_t command = 2; command < 5; ++command) {
            peer.line();
            if (fails_at(command)) return;
            peer.say(command == 4 ? "354 Go ahead" : "250 Ok");
        }
        peer.line();
        if (fails_at(5)) return;
        peer.message();
        fails_at(6);
    });
    SmtpClient client(to_server(server.url()));
    auto const failed = send(client);
    CHECK(failed.outcome == Outcome::transient);
    static constexpr std::array stages{Stage::connect, Stage::connect, Stage::sender, Stage::recipient,
        Stage::message, Stage::message, Stage::message};
    CHECK(failed.stage == stages[step]);
    // With a large input buffer, the client may have sent the whole message before the server fails.
    if (kind == "421" && (step != 5 || failed.code == 421)) {
        CHECK(failed.reason == "421 4.3.2 Closing");
        CHECK(failed.code == 421);
        CHECK(failed.enhanced_code == "4.3.2");
    } else if (step < 5) {
        CHECK_THAT(failed.reason, Catch::StartsWith(kind == "close" ? "CONNECTION: " : "PROTOCOL: "));
    } else {
        CHECK_THAT(failed.reason, Catch::StartsWith("NO_ANSWER: "));
    }
    SendResult next;
    CHECK(eventually([&] { // the client backs off after a failed connection
        next = send(client);
        return next.outcome == Outcome::accepted;
    }));
    CHECK(server.connections() == 2);
}

namespace {

/// The limit of a wait that must fail. A busy machine needs less time for the steps before it.
constexpr auto short_wait = 5s;

/// Replies until the step, and then no more.
void hang_at(SmtpPeer& peer, std::size_t step)
{
    if (step == 0) peer.wait_for_close();
    peer.say("220 mail.test");
    if (step == 1) peer.wait_for_close();
    if (step == 2 || step == 3) {
        peer.hello({"STARTTLS"});
        peer.line();
        if (step == 3) peer.say("220 Go ahead");
        peer.wait_for_close();
    }
    peer.hello({});
    for (std::size_t command = 4; command < 7; ++command) {
        if (step == command) peer.wait_for_close();
        peer.line();
        peer.say(command == 6 ? "354 Go ahead" : "250 Ok");
    }
    peer.wait_for_close();
}

} // namespace

TEST_CASE("a server that hangs at any step is left after a time limit")
{
    static constexpr std::array stages{Stage::connect, Stage::connect, Stage::tls, Stage::tls, Stage::sender,
        Stage::recipient, Stage::message, Stage::message};
    Trusted const trusted;
    auto const attempt = [&](std::size_t step) {
        ScriptedSmtpServer const server([step](SmtpPeer& peer, int) { hang_at(peer, step); });
        auto options = trusted.options(server.url());
        (step < 4 ? options.connect_timeout : options.reply_timeout) = short_wait;
        SmtpClient client(std::move(options));
        return send(client);
    };
    std::vector<std::future<SendResult>> attempts;
    for (std::size_t step = 0; step < stages.size(); ++step)
        attempts.push_back(std::async(std::launch::async, attempt, step));
    for (std::size_t step = 0; step < stages.size(); ++step) {
        INFO(step);
        auto const failed = attempts[step].get();
        CHECK(failed.outcome == Outcome::transient);
        CHECK(failed.stage == stages[step]);
        CHECK(failed.code == 0);
        CHECK_THAT(failed.reason, Catch::StartsWith(step == 7 ? "NO_ANSWER: " : "TIMEOUT: "));
    }
}

TEST_CASE("a server that does not read the message is left after a time limit")
{
    std::promise<void> left;
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.greet({});
        peer.accept_commands();
        left.get_future().wait();
    });
    auto options = to_server(server.url());
    options.reply_timeout = short_wait;
    SmtpClient client(std::move(options));
    auto const failed = start(client, envelope_to("ada@example.org", std::string(30'000'000, 'x'))).get();
    left.set_value();
    CHECK(failed.outcome == Outcome::transient);
    CHECK(failed.stage == Stage::message);
    CHECK_THAT(failed.reason, Catch::StartsWith("TIMEOUT: "));
}

TEST_CASE("a server may refuse a message before it has received all of it")
{
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.greet({});
        peer.accept_commands();
        peer.line();
        peer.say("552 5.3.4 Too large");
        peer.wait_for_close();
    });
    SmtpClient client(to_server(server.url()));
    std::string message;
    for (int i = 0; i < 100'000; ++i)
        message += "A line of the message.\r\n";
    auto const refused = start(client, envelope_to("ada@example.org", message)).get();
    CHECK(refused.outcome == Outcome::refused);
    CHECK(refused.reason == "552 5.3.4 Too large");
    CHECK(refused.stage == Stage::message);
}

TEST_CASE("data that a server sends before the TLS handshake are not trusted")
{
    Trusted const trusted;
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.say("220 mail.test");
        peer.hello({"STARTTLS"});
        peer.line();
        // An attacker on the network adds replies for the session inside TLS (CVE-2011-0411).
        peer.say_all({"220 Go ahead", "250-mail.test", "250 AUTH PLAIN", "235 Welcome"});
        peer.start_tls(trusted.certificate);
        serve(peer);
    });
    SmtpClient client(trusted.options(server.url("user:right@")));
    auto const failed = send(client);
    CHECK(failed.outcome == Outcome::transient);
    CHECK(failed.stage == Stage::tls);
    CHECK_THAT(failed.reason, Catch::StartsWith("TLS: "));
    CHECK(server.lines() == std::vector<std::string>{server.lines().at(0), "STARTTLS"});
}

TEST_CASE("the extensions that a server offered before TLS are forgotten")
{
    Trusted const trusted;
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.say("220 mail.test");
        peer.hello({"STARTTLS", "PIPELINING", "AUTH PLAIN", "SIZE"});
        peer.line();
        peer.say("220 Go ahead");
        peer.start_tls(trusted.certificate);
        peer.hello({"AUTH LOGIN"});
        for (auto const* reply : {"334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6", "235 2.7.0 Welcome"}) {
            peer.line();
            peer.say(reply);
        }
        for (;;)
            peer.take_message(); // hangs unless the client sends single commands
    });
    SmtpClient client(trusted.options(server.url("us%40er:p%3A@") + "/me"));
    CHECK(send(client).outcome == Outcome::accepted);
    auto const lines = server.lines();
    REQUIRE(lines.size() > 6);
    CHECK(std::vector(lines.begin(), lines.begin() + 7) ==
          std::vector<std::string>{"EHLO me", "STARTTLS", "EHLO me", "AUTH LOGIN",
              crypto::base64::encode("us@er"), crypto::base64::encode("p:"), "MAIL FROM:<from@example.com>"});
}

TEST_CASE("a refused login or STARTTLS concerns every message")
{
    struct Case {
        std::string starttls, auth;
        Outcome outcome;
        Stage stage;
        std::string reason;
    };

    auto const c =
        GENERATE(values<Case>({{"454 4.7.0 Not now", "", Outcome::transient, Stage::tls, "454 4.7.0 Not now"},
            {"554 5.7.3 Never", "", Outcome::transient, Stage::tls, "554 5.7.3 Never"},
            {"220 Go ahead", "535 5.7.8 Wrong", Outcome::credential, Stage::login, "535 5.7.8 Wrong"},
            {"220 Go ahead", "550 Denied", Outcome::credential, Stage::login, "550 Denied"},
            {"220 Go ahead", "421 4.7.0 Too many logins", Outcome::transient, Stage::login,
                "421 4.7.0 Too many logins"},
            {"220 Go ahead", "", Outcome::credential, Stage::login, "AUTH: "}}));
    INFO(c.reason);
    Trusted const trusted;
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.say("220 mail.test");
        peer.hello({"STARTTLS"});
        peer.line();
        peer.say(c.starttls);
        if (!c.starttls.starts_with("220")) peer.wait_for_close();
        peer.start_tls(trusted.certificate);
        peer.hello(c.auth.empty() ? std::vector<std::string>() : std::vector<std::string>{"AUTH PLAIN"});
        peer.line();
        peer.say(c.auth);
        peer.wait_for_close();
    });
    SmtpClient client(trusted.options(server.url("user:right@")));
    auto const failed = send(client);
    CHECK(failed.outcome == c.outcome);
    CHECK(failed.stage == c.stage);
    CHECK_THAT(failed.reason, Catch::StartsWith(c.reason));
    CHECK_FALSE(concerns_message(failed));
    if (c.outcome != Outcome::credential) return;
    // The client backs off, so that the server does not lock the account.
    for (int i = 0; i < 5; ++i)
        CHECK(send(client).reason == failed.reason);
    CHECK(server.connections() == 1);
}

TEST_CASE("a server without EHLO is greeted with HELO")
{
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.say("220 mail.test");
        peer.line();
        peer.say("502 5.5.1 Not implemented");
        peer.line();
        peer.say("250 mail.test");
        peer.take_message();
    });
    SmtpClient client(to_server(server.url() + "/me"));
    CHECK(send(client).outcome == Outcome::accepted);
    CHECK(server.lines().at(1) == "HELO me");
}

TEST_CASE("a message is sent again if the server had closed the idle session")
{
    std::string const farewell = GENERATE("", "421 4.4.2 Idle for too long");
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int number) {
        if (number > 0) return serve(peer);
        peer.greet({});
        peer.take_message();
        peer.line(); // MAIL of the second message
        if (!farewell.empty()) peer.say(farewell);
    });
    SmtpClient client(to_server(server.url()));
    for (int i = 0; i < 3; ++i)
        CHECK(send(client).outcome == Outcome::accepted);
    CHECK(server.connections() == 2);
}

TEST_CASE("a reply without a command ends the session before the next message")
{
    ScriptedSmtpServer const server([](SmtpPeer& peer, int number) {
        if (number > 0) return serve(peer);
        peer.greet({});
        peer.take_message("250 2.0.0 Ok\r\n250 2.0.0 Ok");
        peer.wait_for_close();
    });
    SmtpClient client(to_server(server.url()));
    for (int i = 0; i < 3; ++i)
        CHECK(send(client).outcome == Outcome::accepted);
    CHECK(server.connections() == 2);
}

TEST_CASE("a message is not sent again if a part of it was sent")
{
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.greet({});
        peer.take_message();
        peer.accept_commands();
        peer.line();
    });
    SmtpClient client(to_server(server.url()));
    CHECK(send(client).outcome == Outcome::accepted);
    auto const lost = send(client);
    CHECK(lost.outcome == Outcome::transient);
    CHECK(lost.stage == Stage::message);
    CHECK(server.connections() == 1);
}
