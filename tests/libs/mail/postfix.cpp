#include "mailing.hpp"
#include "postfix_server.hpp"
#include "wire_tap.hpp"

#include <future>
#include <set>
#include <unistd.h>

// The client and a real mail server.

using namespace mailing;
using testing::eventually, testing::PostfixServer;

namespace {

/// Without root, the test passes with a warning.
bool may_run()
{
    if (geteuid() != 0) WARN("Postfix needs root, so it is not tested");
    return geteuid() == 0;
}

SmtpOptions login_at(PostfixServer const& server, std::string const& login, unsigned short port)
{
    return to_server("smtp://" + login + "localhost:" + std::to_string(port), server.ca_file());
}

/// Sends all messages at once.
std::vector<SendResult> send_all(Mailer& post, std::vector<Message> const& messages)
{
    std::vector<std::promise<SendResult>> promises(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i)
        post.send_async(messages[i], {},
            [&promise = promises[i]](SendResult result) { promise.set_value(std::move(result)); });
    std::vector<SendResult> results;
    results.reserve(promises.size());
    for (auto& promise : promises)
        results.push_back(promise.get_future().get());
    return results;
}

} // namespace

TEST_CASE(
    "Postfix takes messages after STARTTLS and a login, and a session goes on after a refused recipient")
{
    if (!may_run()) return;
    PostfixServer const server;
    auto options = login_at(server, "user:right@", server.submission());
    options.max_connections = 1;
    auto post = mailer(std::move(options));
    auto const to = [&](std::string const& who) { return post.send(message_to(who + "@example.org")); };

    auto const first = to("ada");
    INFO(first.reason << server.log());
    REQUIRE(first.outcome == Outcome::accepted);
    CHECK(first.code == 250);
    CHECK_THAT(first.accepted_reply, Catch::StartsWith("2.0.0 Ok: queued as "));
    auto const gone = to("gone");
    CHECK(gone.outcome == Outcome::gone);
    CHECK(gone.stage == Stage::recipient);
    CHECK(gone.enhanced_code == "5.1.1");
    CHECK_THAT(gone.reason, Catch::StartsWith("550 5.1.1 ") && Catch::Contains("No such user"));
    auto const full = to("full");
    CHECK(full.outcome == Outcome::transient);
    CHECK(full.enhanced_code == "4.2.2");
    CHECK(to("bob").outcome == Outcome::accepted);
    CHECK(eventually([&] { return server.sessions() >= 1; }));
    CHECK(server.sessions() == 1);

    auto const slow = to("slow"); // Postfix closes the connection after 421
    CHECK(slow.outcome == Outcome::transient);
    CHECK(slow.code == 421);
    CHECK(slow.stage == Stage::recipient);
    CHECK(concerns_message(slow));
    CHECK(to("eve").outcome == Outcome::accepted);
    CHECK(eventually([&] { return server.sessions() >= 2; }));
    CHECK(server.sessions() == 2);
    // Postfix counts the commands of a session: accepted ones, and all.
    CHECK(eventually([&] {
        return server.log().find("ehlo=2 starttls=1 auth=1 mail=5 rcpt=2/5 data=2/4 rset=2") !=
               std::string::npos;
    }));
    CHECK(eventually([&] { return server.delivered().size() == 3; }));
}

TEST_CASE("Postfix gets no login without TLS, and a wrong login concerns every message")
{
    if (!may_run()) return;
    PostfixServer const server;
    auto const send = [&](std::string const& login, unsigned short port) {
        return mailer(login_at(server, login, port)).send(message_to("ada@example.org"));
    };
    auto const plain = send("user:right@", server.plain());
    CHECK(plain.stage == Stage::tls);
    CHECK_THAT(plain.reason, Catch::StartsWith("TLS: "));
    CHECK(send("", server.plain()).outcome == Outcome::accepted);
    for (auto const* mechanism : {"PLAIN", "LOGIN"}) {
        INFO(mechanism);
        std::string const option = ";AUTH=" + std::string(mechanism) + "@";
        CHECK(send("user:right" + option, server.submission()).outcome == Outcome::accepted);
        auto const wrong = send("user:wrong" + option, server.submission());
        CHECK(wrong.outcome == Outcome::credential);
        CHECK(wrong.stage == Stage::login);
        CHECK_THAT(wrong.reason, Catch::StartsWith("535 5.7.8 "));
    }
}

TEST_CASE("200 messages go to Postfix through few connections, and all arrive")
{
    if (!may_run()) return;
    PostfixServer const server;
    auto options = login_at(server, "user:right@", server.submission());
    options.max_connections = 4;
    auto post = mailer(std::move(options));
    std::vector<Message> messages;
    for (int i = 0; i < 200; ++i)
        messages.push_back(message_to(i % 10 == 9 ? "gone@example.org" : "ada@example.org"));
    auto const results = send_all(post, messages);
    std::set<std::string> accepted;
    for (std::size_t i = 0; i < results.size(); ++i) {
        CHECK(results[i].outcome == (i % 10 == 9 ? Outcome::gone : Outcome::accepted));
        if (i % 10 != 9) accepted.insert(results[i].message_id);
    }
    CHECK(accepted.size() == 180);
    CHECK(server.sessions() <= 4);
    std::regex const message_id("Message-ID: <([^>]+)>");
    auto const is_complete = [&](std::string const& message) {
        return std::regex_search(message, message_id);
    };
    REQUIRE(eventually(
        [&] {
            auto const delivered = server.delivered();
            return delivered.size() == accepted.size() && std::ranges::all_of(delivered, is_complete);
        },
        2min));
    for (auto const& message : server.delivered()) {
        std::smatch id;
        REQUIRE(std::regex_search(message, id, message_id));
        CHECK(accepted.erase(id[1]) == 1);
    }
    CHECK(accepted.empty());
}

TEST_CASE("Postfix gets the commands of a message in one piece")
{
    if (!may_run()) return;
    PostfixServer const server;
    testing::WireTap const tap(server.plain());
    auto post = mailer(to_server("smtp://127.0.0.1:" + std::to_string(tap.port()) + "/me"));
    for (auto const* who : {"ada", "gone", "bob"})
        post.send(message_to(std::string(who) + "@example.org"));
    auto const sent = tap.sent();
    REQUIRE(sent.size() >= 6); // EHLO, three groups of commands, two messages
    CHECK(sent[0] == "EHLO me\r\n");
    auto const is_group = [](std::string const& piece, std::string const& begin, std::string const& to) {
        CHECK_THAT(piece, Catch::StartsWith(begin + "MAIL FROM:<notify@shared.example> SIZE=") &&
                              Catch::EndsWith("\r\nRCPT TO:<" + to + "@example.org>\r\nDATA\r\n"));
    };
    is_group(sent[1], "", "ada");
    CHECK_THAT(sent[2], Catch::EndsWith("\r\n.\r\n"));
    is_group(sent[3], "", "gone");
    is_group(sent[4], "RSET\r\n", "bob");
    CHECK_THAT(sent[5], Catch::EndsWith("\r\n.\r\n"));
}
