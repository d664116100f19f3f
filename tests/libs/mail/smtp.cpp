#include "crypto/random.hpp"
#include "mail/smtp_protocol.hpp"
#include "mailing.hpp"
#include "support/process.hpp"

#include <future>
#include <mutex>
#include <set>
#include <thread>

using namespace mailing;

namespace {

/// A self-signed certificate for `localhost` only.
class Certificate {
public:
    Certificate()
    {
        std::signal(SIGPIPE, SIG_IGN); // the service also ignores SIGPIPE
        testing::output_of({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                               "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                               "subjectAltName=DNS:localhost", "-keyout", key(), "-out", file()},
            1min);
    }

    std::string file() const { return folder_.path() + "/cert.pem"; }

    std::string key() const { return folder_.path() + "/key.pem"; }

    json::object options(bool secure, bool auth = false) const
    {
        return {{"key", key()}, {"cert", file()}, {"secure", secure}, {"auth", auth}};
    }

private:
    testing::TemporaryDirectory folder_{"cert"};
};

} // namespace

TEST_CASE("connections are reused, and a closed connection is replaced")
{
    SmtpServer server;
    auto post = mailer(to_server(server.url()));
    for (int i = 0; i < 3; ++i)
        REQUIRE(post.send(message_to("ada@example.org")).outcome == Outcome::accepted);
    CHECK(server.connections() == 1);
    server.close_connections();
    CHECK(post.send(message_to("ada@example.org")).outcome == Outcome::accepted);
    CHECK(server.connections() == 2);
    server.mails(4);
}

TEST_CASE("replies of a mail server are classified")
{
    using enum Outcome;

    struct Case {
        unsigned code;
        std::string line;
        Outcome outcome;
    };

    Case const cases[] = {{421, "421 4.7.0 Too many", transient}, {450, "450 4.2.1 Greylisted", transient},
        {451, "451 Local error", transient}, {452, "452-4.2.2 Full", transient},
        {454, "454 4.7.0 Temporary authentication failure", transient}, {550, "550 5.1.1 No such user", gone},
        {550, "550-5.1.1 No such user,", gone}, {550, "550 5.1.10 Null MX", gone},
        {550, "550 5.2.1 Disabled", gone}, {551, "551 5.1.6 Moved", gone}, {550, "550 No such user", refused},
        {550, "550 5.7.1 5.1.1 Spam", refused}, {552, "552 5.2.2 Full", refused},
        {553, "553 5.1.3 Syntax", refused}, {554, "554 5.7.1 Relaying denied", refused},
        {550, "550 5.1.11 Else", refused}, {530, "530 5.7.0 Must issue a STARTTLS command first", credential},
        {535, "535 5.7.8 Wrong", credential}, {534, "534 5.7.9 Too weak", credential},
        {538, "538 5.7.11 TLS", credential}};
    for (auto const& c : cases) {
        INFO(c.line);
        auto const result = read_smtp_reply(c.code, c.line);
        CHECK(result.outcome == c.outcome);
        CHECK(result.reason == c.line);
    }
    CHECK(read_smtp_reply(550, "").reason == "550");
    CHECK(read_smtp_reply(550, "550 caf\xE9 \x01").reason == "550 caf? ?");
    CHECK(read_smtp_reply(550, "550 " + std::string(1'000, 'x')).reason.size() == max_reason);
}

TEST_CASE("every reply of a mail server is classified")
{
    SmtpServer const server;
    auto post = mailer(to_server(server.url()));
    auto const to = [&](std::string const& who) { return post.send(message_to(who + "@example.org")); };
    auto const is = [](SendResult const& result, Outcome outcome, std::string const& reason) {
        CHECK(result.outcome == outcome);
        CHECK_THAT(result.reason, Catch::StartsWith(reason));
        CHECK(result.message_id.empty());
    };
    is(to("refuse-550-5.1.1"), Outcome::gone, "550 5.1.1 Refused");
    is(to("refuse-550-5.7.1"), Outcome::refused, "550 5.7.1 Refused");
    is(to("refuse-450-4.2.1"), Outcome::transient, "450 4.2.1 Refused");
    is(to("refuse-530-5.7.0"), Outcome::refused, "530 5.7.0 Refused"); // of this recipient only
    is(to("fail-451-4.3.0"), Outcome::transient, "451 4.3.0 Not taken");
    is(to("fail-554-5.6.0"), Outcome::refused, "554 5.6.0 Not taken");
    server.mails(0);

    auto large = message_to("cut@example.org");
    large.attachments = {{"a.bin", "application/zip", crypto::random_bytes(8'000'000)}};
    auto const cut = post.send(large);
    CHECK(cut.outcome == Outcome::transient);
    server.mails(0);

    // The server has the message and may have accepted it, so the message is sent again with the same
    // Message-ID.
    auto const lost = message_to("vanish@example.org");
    is(post.send(lost), Outcome::transient, "NO_ANSWER");
    is(post.send(lost), Outcome::transient, "NO_ANSWER");
    auto const mails = server.mails(2);
    CHECK(text(mails[0], "messageId") == '<' + lost.id.to_string() + "@shared.example>");
    CHECK(mails[0].at("raw") == mails[1].at("raw"));
    auto hasty = to_server(server.url());
    hasty.reply_timeout = 2s;
    is(mailer(std::move(hasty)).send(message_to("hang@example.org")), Outcome::transient, "NO_ANSWER");
    CHECK(to("ada").outcome == Outcome::accepted);
    server.mails(4);
}

TEST_CASE("stopping the service ends the wait for a server that hangs")
{
    SmtpServer const server;
    auto options = to_server(server.url());
    options.stop_grace = 1ms;
    auto post = mailer(std::move(options));
    std::stop_source stop;
    auto sent = std::async(
        std::launch::async, [&] { return post.send(message_to("hang@example.org"), stop.get_token()); });
    server.mails(1); // the client now waits for the reply
    stop.request_stop();
    auto const result = sent.get();
    CHECK(result.outcome == Outcome::transient);
    CHECK(result.reason == "STOPPED");
}

TEST_CASE("an unreachable mail server is a transient failure")
{
    auto const closed_port = "smtp://127.0.0.1:" + std::to_string(testing::free_port());
    auto const result = mailer(to_server(closed_port)).send(message_to("ada@example.org"));
    CHECK(result.outcome == Outcome::transient);
    CHECK_THAT(result.reason, Catch::StartsWith("CONNECT: "));
}

TEST_CASE("the client authenticates as the user")
{
    Certificate const certificate;
    SmtpServer const server(certificate.options(false, true));
    auto const as = [&](std::string const& login) {
        return mailer(to_server(server.url("smtp", login), certificate.file()))
            .send(message_to("ada@example.org"));
    };
    CHECK(as("user%40example.com:right@").outcome == Outcome::accepted);
    CHECK(text(server.mails(1)[0], "user") == "user@example.com");
    auto const wrong = as("user:wrong-password@");
    CHECK(wrong.outcome == Outcome::credential);
    CHECK(wrong.reason == "535 5.7.8 Wrong password");
    auto const none = as("");
    CHECK(none.outcome == Outcome::credential);
    CHECK_THAT(none.reason, Catch::StartsWith("530 "));
    auto const busy = as("busy:right@");
    CHECK(busy.outcome == Outcome::transient);
    CHECK(busy.reason == "454 4.7.0 Not now");
    server.mails(1);
}

TEST_CASE("a login is sent only through TLS")
{
    SmtpServer const plain({{"auth", true}});
    for (auto const* login : {"user:right@", "user@", ":right@", "user:right;AUTH=LOGIN@", ";AUTH=PLAIN@"}) {
        INFO(login);
        auto const result = mailer(to_server(plain.url("smtp", login))).send(message_to("ada@example.org"));
        CHECK(result.outcome == Outcome::transient);
        CHECK_THAT(result.reason, Catch::StartsWith("TLS: "));
    }
    CHECK(plain.logins() == 0);
    plain.mails(0);

    Certificate const certificate;
    SmtpServer const secure(certificate.options(true, true));
    auto const url = secure.url("smtps", "user:right@");
    CHECK(mailer(to_server(url, certificate.file())).send(message_to("ada@example.org")).outcome ==
          Outcome::accepted);
    CHECK(secure.logins() == 1);
}

TEST_CASE("TLS is used if the server offers it, and only a valid certificate is trusted")
{
    Certificate const certificate;
    SmtpServer const offers(certificate.options(false));
    SmtpServer const plain;
    auto const send = [](SmtpOptions options) {
        return mailer(std::move(options)).send(message_to("ada@example.org"));
    };
    CHECK(send(to_server(offers.url(), certificate.file())).outcome == Outcome::accepted);
    CHECK(offers.mails(1)[0].at("secure") == json::value(true));
    auto const is_not_believed = [](SendResult const& result) {
        CHECK(result.outcome == Outcome::transient);
        CHECK_THAT(result.reason, Catch::StartsWith("TLS: "));
    };
    is_not_believed(send(to_server(offers.url())));
    auto const other_name = "smtp://127.0.0.1:" + std::to_string(offers.port());
    is_not_believed(send(to_server(other_name, certificate.file())));
    offers.mails(1);

    auto demanding = to_server(plain.url());
    demanding.require_tls = true;
    is_not_believed(send(demanding));
    plain.mails(0);
    CHECK(send(to_server(plain.url())).outcome == Outcome::accepted);
    CHECK(plain.mails(1)[0].at("secure") == json::value(false));
}

TEST_CASE("smtps uses TLS from the start")
{
    Certificate const certificate;
    SmtpServer const server(certificate.options(true));
    auto const send = [](SmtpOptions options) {
        return mailer(std::move(options)).send(message_to("ada@example.org"));
    };
    auto const stranger = send(to_server(server.url("smtps")));
    CHECK(stranger.outcome == Outcome::transient);
    CHECK_THAT(stranger.reason, Catch::StartsWith("TLS: "));
    CHECK(send(to_server(server.url("smtps"), certificate.file())).outcome == Outcome::accepted);
    CHECK(server.mails(1)[0].at("secure") == json::value(true));
}

TEST_CASE("many threads send through one mailer")
{
    SmtpServer const server;
    auto post = mailer(to_server(server.url()));
    constexpr int threads = 6, each = 10;
    std::set<std::string> expected;
    {
        std::mutex mutex;
        std::vector<std::jthread> senders;
        for (int i = 0; i < threads; ++i) {
            senders.emplace_back([&] {
                for (int k = 0; k < each; ++k) {
                    auto message = message_to("ada@example.org");
                    message.attachments = {{"a.txt", "text/plain", message.id.to_string()}};
                    auto const result = post.send(message);
                    std::lock_guard const lock(mutex);
                    CHECK(result.outcome == Outcome::accepted);
                    expected.insert('<' + result.message_id + '>');
                }
            });
        }
    }
    std::set<std::string> arrived;
    for (auto const& mail : server.mails(threads * each))
        arrived.insert(text(mail, "messageId"));
    CHECK(arrived == expected);
    CHECK(server.connections() <= threads);
}
