#include "crypto/random.hpp"
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

    json::object options(bool secure) const { return {{"key", key()}, {"cert", file()}, {"secure", secure}}; }

private:
    testing::TemporaryDirectory folder_{"cert"};
};

} // namespace

TEST_CASE("connections are reused, and a closed connection is replaced", "[mail]")
{
    SmtpServer server;
    auto post = mailer(to_server(server.url()));
    for (int i = 0; i < 3; ++i)
        REQUIRE(post.send(email_to("ada@example.org")).verdict == Verdict::accepted);
    CHECK(server.connections() == 1);
    server.close_connections();
    CHECK(post.send(email_to("ada@example.org")).verdict == Verdict::accepted);
    CHECK(server.connections() == 2);
    server.mails(4);
}

TEST_CASE("every reply of a mail server is classified", "[mail]")
{
    SmtpServer const server;
    auto post = mailer(to_server(server.url()));
    auto const to = [&](std::string const& who) { return post.send(email_to(who + "@example.org")); };
    auto const is = [](SendResult const& result, Verdict verdict, std::string const& reason) {
        CHECK(result.verdict == verdict);
        CHECK_THAT(result.reason, Catch::StartsWith(reason));
        CHECK(result.provider_id.empty());
    };
    is(to("refuse-550-5.1.1"), Verdict::gone, "550 5.1.1 Refused");
    is(to("refuse-550-5.7.1"), Verdict::refused, "550 5.7.1 Refused");
    is(to("refuse-450-4.2.1"), Verdict::transient, "450 4.2.1 Refused");
    is(to("refuse-530-5.7.0"), Verdict::credential, "530 5.7.0 Refused");
    is(to("fail-451-4.3.0"), Verdict::transient, "451 4.3.0 Not taken");
    is(to("fail-554-5.6.0"), Verdict::refused, "554 5.6.0 Not taken");
    server.mails(0);

    auto large = email_to("cut@example.org");
    large.attachments = {{"a.bin", "application/zip", crypto::random_bytes(8'000'000)}};
    auto const cut = post.send(large);
    CHECK(cut.verdict == Verdict::transient);
    server.mails(0);

    // The server has the message and may have accepted it, so the message is sent again with the same
    // Message-ID.
    auto const lost = email_to("vanish@example.org");
    is(post.send(lost), Verdict::transient, "NO_ANSWER");
    is(post.send(lost), Verdict::transient, "NO_ANSWER");
    auto const mails = server.mails(2);
    CHECK(text(mails[0], "messageId") == '<' + lost.id.to_string() + "@shared.example>");
    CHECK(mails[0].at("raw") == mails[1].at("raw"));
    auto hasty = to_server(server.url());
    hasty.reply_timeout = 2s;
    is(mailer(std::move(hasty)).send(email_to("hang@example.org")), Verdict::transient, "NO_ANSWER");
    CHECK(to("ada").verdict == Verdict::accepted);
    server.mails(4);
}

TEST_CASE("stopping the service ends the wait for a server that hangs", "[mail]")
{
    SmtpServer const server;
    auto options = to_server(server.url());
    options.stop_grace = 1ms;
    auto post = mailer(std::move(options));
    std::stop_source stop;
    auto sent = std::async(
        std::launch::async, [&] { return post.send(email_to("hang@example.org"), stop.get_token()); });
    server.mails(1); // the client now waits for the reply
    stop.request_stop();
    auto const result = sent.get();
    CHECK(result.verdict == Verdict::transient);
    CHECK(result.reason == "STOPPED");
}

TEST_CASE("an unreachable mail server is a transient failure", "[mail]")
{
    auto const closed_port = "smtp://127.0.0.1:" + std::to_string(testing::free_port());
    auto const result = mailer(to_server(closed_port)).send(email_to("ada@example.org"));
    CHECK(result.verdict == Verdict::transient);
    CHECK_THAT(result.reason, Catch::StartsWith("CONNECT: "));
}

TEST_CASE("the client authenticates as the user", "[mail]")
{
    SmtpServer const server({{"auth", true}});
    auto const as = [&](std::string const& user) {
        return mailer(to_server(server.url("smtp", user))).send(email_to("ada@example.org"));
    };
    CHECK(as("user%40example.com:right@").verdict == Verdict::accepted);
    CHECK(text(server.mails(1)[0], "user") == "user@example.com");
    auto const wrong = as("user:wrong-password@");
    CHECK(wrong.verdict == Verdict::credential);
    CHECK(wrong.reason == "535 5.7.8 Wrong password");
    auto const none = as("");
    CHECK(none.verdict == Verdict::credential);
    CHECK_THAT(none.reason, Catch::StartsWith("530 "));
    auto const busy = as("busy:right@");
    CHECK(busy.verdict == Verdict::transient);
    CHECK(busy.reason == "454 4.7.0 Not now");
    server.mails(1);
}

TEST_CASE("TLS is used if the server offers it, and only a valid certificate is trusted", "[mail]")
{
    Certificate const certificate;
    SmtpServer const offers(certificate.options(false));
    SmtpServer const plain;
    auto const send = [](SmtpOptions options) {
        return mailer(std::move(options)).send(email_to("ada@example.org"));
    };
    CHECK(send(to_server(offers.url(), certificate.file())).verdict == Verdict::accepted);
    CHECK(offers.mails(1)[0].at("secure") == json::value(true));
    auto const is_not_believed = [](SendResult const& result) {
        CHECK(result.verdict == Verdict::transient);
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
    CHECK(send(to_server(plain.url())).verdict == Verdict::accepted);
    CHECK(plain.mails(1)[0].at("secure") == json::value(false));
}

TEST_CASE("smtps uses TLS from the start", "[mail]")
{
    Certificate const certificate;
    SmtpServer const server(certificate.options(true));
    auto const send = [](SmtpOptions options) {
        return mailer(std::move(options)).send(email_to("ada@example.org"));
    };
    auto const stranger = send(to_server(server.url("smtps")));
    CHECK(stranger.verdict == Verdict::transient);
    CHECK_THAT(stranger.reason, Catch::StartsWith("TLS: "));
    CHECK(send(to_server(server.url("smtps"), certificate.file())).verdict == Verdict::accepted);
    CHECK(server.mails(1)[0].at("secure") == json::value(true));
}

TEST_CASE("many threads send through one mailer", "[mail]")
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
                    auto email = email_to("ada@example.org");
                    email.attachments = {{"a.txt", "text/plain", email.id.to_string()}};
                    auto const result = post.send(email);
                    std::lock_guard const lock(mutex);
                    CHECK(result.verdict == Verdict::accepted);
                    expected.insert('<' + result.provider_id + '>');
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
