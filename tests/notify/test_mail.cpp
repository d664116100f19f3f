#include "core/config.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/random.hpp"
#include "domain/email_address.hpp"
#include "domain/plain_text.hpp"
#include "peer.hpp"
#include "providers/mail_options.hpp"
#include "providers/mime.hpp"
#include "providers/outbox.hpp"
#include "providers/smtp.hpp"
#include "testing/eventually.hpp"
#include "testing/json.hpp"
#include "testing/process.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

// Messages are read by mailparser and taken by smtp-server, which others wrote (node/smtp.mjs).

using namespace std::chrono_literals;
using namespace notify;
using testing::eventually, testing::text;

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

Mailbox const shared{"Tetrad Nötify", "notify@shared.example"};

Email email_to(std::string to, std::string subject = "Hello")
{
    Email email;
    email.id = core::Uuid::v7();
    email.date = *core::parse_rfc3339("2026-03-01T12:00:00.500Z");
    email.to = std::move(to);
    email.content.subject = std::move(subject);
    email.content.body = "<p>Hi</p>";
    email.content.html = true;
    return email;
}

std::string read_file(std::string const& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::string sha256(std::string const& bytes)
{
    crypto::Digest const digest = crypto::sha256(bytes);
    return crypto::hex::encode(crypto::view(digest));
}

/// A mail server that says what it does.
class SmtpServer {
public:
    explicit SmtpServer(json::object const& options = {}) : peer_("smtp.mjs", options) {}

    std::string url(std::string const& scheme = "smtp", std::string const& user = "") const
    {
        return scheme + "://" + user + "localhost:" + std::to_string(port());
    }

    int port() const noexcept { return peer_.port(); }

    /// The messages it took, once there are that many; never more.
    std::vector<json::object> mails(std::size_t count) const
    {
        CHECK(eventually([&] { return peer_.said("raw").size() >= count; }));
        auto found = peer_.said("raw");
        CHECK(found.size() == count);
        found.resize(count);
        return found;
    }

    std::size_t connections() const { return peer_.said("connected").size(); }

    void close_connections()
    {
        peer_.process().signal(SIGUSR2);
        REQUIRE(eventually([this] { return !peer_.said("closed").empty(); }));
    }

private:
    Peer peer_;
};

/// A certificate for `localhost`, and for nothing else, that signed itself.
class Certificate {
public:
    Certificate()
    {
        std::signal(SIGPIPE, SIG_IGN); // as in a service
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

SmtpOptions to_server(std::string url, std::string ca_file = {})
{
    return {.url = core::Secret(std::move(url)), .ca_file = std::move(ca_file)};
}

Mailer mailer(SmtpOptions options)
{
    return Mailer(shared, std::make_unique<Smtp>(std::move(options)));
}

/// Keeps what it is given.
struct Kept final : MailTransport {
    Answer deliver(Envelope const& envelope, std::stop_token const&) override
    {
        envelopes.push_back(envelope);
        return {.verdict = Verdict::accepted};
    }

    std::vector<Envelope> envelopes;
};

std::vector<std::string> lines_of(std::string const& message)
{
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < message.size();) {
        auto const end = message.find("\r\n", at);
        REQUIRE(end != std::string::npos);
        lines.push_back(message.substr(at, end - at));
        at = end + 2;
    }
    return lines;
}

std::string config_faults(std::map<std::string, std::string> const& variables)
{
    core::Config config("NOTIFY", {}, [&](std::string const& name) {
        auto const it = variables.find(name);
        return it == variables.end() ? std::nullopt : std::optional(it->second);
    });
    MailOptions::read(config);
    try {
        config.check();
    } catch (core::ConfigError const& error) {
        return error.what();
    }
    return {};
}

} // namespace

// --- rules -----------------------------------------------------------------------------------------------

TEST_CASE("domain names", "[mail]")
{
    CHECK(DomainName::parse("Example.COM")->text() == "example.com");
    CHECK(DomainName::parse("xn--Bcher-kva.example")->text() == "xn--bcher-kva.example");
    CHECK(DomainName::parse("a-b.c1.example"));
    std::string const label(63, 'a');
    CHECK(DomainName::parse(label + ".example"));
    std::string const bad[] = {"", ".", "localhost", "example.", ".example", "a..example", "-a.example",
        "a-.example", "a_b.example", "bücher.example", "exa mple.com", "127.0.0.1", "example.123",
        label + "a.example", "a.example\n", std::string("a.exam\0ple", 10), "user@example.com",
        "http://example.com", label + '.' + label + '.' + label + '.' + label};
    for (auto const& text : bad) {
        INFO(text);
        CHECK_FALSE(DomainName::parse(text));
    }
    auto const domain = *DomainName::parse("example.com");
    CHECK(domain.holds("example.com"));
    CHECK(domain.holds("mail.example.com"));
    CHECK_FALSE(domain.holds("notexample.com"));
    CHECK_FALSE(domain.holds("example.com.evil.example"));
    CHECK_FALSE(domain.holds("com"));
}

TEST_CASE("addresses that SMTP can carry", "[mail]")
{
    CHECK(EmailAddress::parse("Ada.Lovelace+x@Example.COM")->text() == "Ada.Lovelace+x@example.com");
    CHECK(EmailAddress::parse("ada@example.com")->domain() == "example.com");
    CHECK(EmailAddress::parse(std::string(64, 'a') + "@example.com"));
    std::string const bad[] = {"", "ada", "@example.com", "ada@", "a b@example.com", ".ada@example.com",
        "ada.@example.com", "a..b@example.com", "ada@example..com", "ada@-example.com", "\"a b\"@example.com",
        "ada@[127.0.0.1]", "äda@example.com", "ada@exämple.com", "ada@example.com>", "<ada@example.com",
        "ada@example.com\r\nRCPT TO:<eve@example.com>", "ada@example.com\n", "ada@example.com, b@example.com",
        std::string(65, 'a') + "@example.com", "ada@" + std::string(251, 'a')};
    for (auto const& text : bad) {
        INFO(text);
        CHECK_FALSE(EmailAddress::parse(text));
    }
}

TEST_CASE("what HTML says, as plain text", "[mail]")
{
    auto const is = [](std::string const& html, std::string const& expected) {
        INFO(html);
        CHECK(plain_text(html) == expected);
    };
    is("", "");
    is("Hello", "Hello\n");
    is("  Hello\n\t world  ", "Hello world\n");
    is("<p>One</p><p>Two<br>lines</p>", "One\n\nTwo\nlines\n");
    is("<h1>Title</h1><div>a</div><div>b</div>", "Title\n\na\nb\n");
    is("<ul><li>a</li><li><p>b</p></li></ul>c", "- a\n- b\n\nc\n");
    is("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc\n");
    is("a &lt;b&gt; &amp;amp; &quot;c&quot; &#8364; &#x20aC; &nbsp;d &unknown; & &#0; &#xD800; &#x110000;",
        "a <b> &amp; \"c\" \u20AC \u20AC \u00A0d &unknown; & &#0; &#xD800; &#x110000;\n");
    is("<a href=\"https://example.com/?a=1&amp;b=2\">Open</a>.", "Open (https://example.com/?a=1&b=2).\n");
    is("<a href='https://example.com'>https://example.com</a>", "https://example.com\n");
    is("<a href=mailto:ada@example.com>ada@example.com</a> <a href=\"#top\">up</a>", "ada@example.com up\n");
    is("<a href=\"https://example.com\"><img src=x alt=\"Logo\"></a>", "Logo (https://example.com)\n");
    is("<a href=\"https://example.com\"></a>", "https://example.com\n");
    is("a<!-- <p>no</p> -->b<!doctype html><?php x ?>c", "abc\n");
    is("<style>p{}</style>a<script>if (a < b) {}</SCRIPT >b", "ab\n");
    is("<html><head><title>T</title><meta x></head><body>B</body></html>", "B\n");
    is("<head><p>The head has no end", "The head has no end\n");
    is("<pre>a\n  b\n</pre>c", "a\n  b\n\nc\n");
    is("1 < 2 <3 <\n", "1 < 2 <3 <\n");
    is("<p title='a > b'>x", "x\n");
    is("<p", "");
    is("<a href=\"never closed", "");
    is("<script>never closed", "");
    is("<!-- never closed", "");
    is("a<hr>b", "a\n\n----------\n\nb\n");
    is("日本<b>語</b>", "日本語\n");
}

TEST_CASE("what a mail server's refusal means", "[mail]")
{
    using enum Verdict;

    struct Case {
        unsigned code;
        std::string line;
        Verdict verdict;
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
        auto const answer = read_smtp_reply(c.code, c.line);
        CHECK(answer.verdict == c.verdict);
        CHECK(answer.reason == c.line);
    }
    CHECK(read_smtp_reply(550, "").reason == "550");
    CHECK(read_smtp_reply(550, "550 caf\xE9 \x01").reason == "550 caf? ?");
    CHECK(read_smtp_reply(550, "550 " + std::string(1'000, 'x')).reason.size() == max_reason);
}

TEST_CASE("the configuration of email", "[mail]")
{
    CHECK(config_faults({{"EMAIL_OUTBOX", "/tmp/x"}}).empty());
    CHECK(config_faults({{"EMAIL_PROVIDER", "smtp"}, {"EMAIL_FROM", "Demo <a@example.com>"},
                            {"SMTP_URL", "smtps://u:p@mail.example.com:465"},
                            {"DNS_SERVERS", "127.0.0.1:5353,[::1]:53,::1,192.0.2.1"}})
            .empty());
    auto const faulty = [](std::string const& name, std::map<std::string, std::string> variables) {
        variables.try_emplace("EMAIL_OUTBOX", "/tmp/x");
        variables.try_emplace("EMAIL_FROM", "a@example.com");
        CHECK_THAT(config_faults(variables), Catch::Contains(name));
    };
    CHECK_THAT(config_faults({}), Catch::Contains("EMAIL_OUTBOX"));
    faulty("SMTP_URL", {{"EMAIL_PROVIDER", "smtp"}});
    faulty("SMTP_URL", {{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", "https://mail.example.com"}});
    faulty("SMTP_URL", {{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", "smtp://"}});
    CHECK_THAT(config_faults({{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", "smtp://localhost"}}),
        Catch::Contains("EMAIL_FROM"));
    for (auto const* from : {"Demo", "Demo <a@example.com", "De\nmo <a@example.com>", "a@example.com b"})
        faulty("EMAIL_FROM", {{"EMAIL_FROM", from}});
    for (auto const* servers : {"localhost", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:53:1", "[::1",
             "127.0.0.1,,127.0.0.2", "127.0.0.1, 127.0.0.2"})
        faulty("DNS_SERVERS", {{"DNS_SERVERS", servers}});
}

// --- messages --------------------------------------------------------------------------------------------

TEST_CASE("a message says what it was given, to a mail program that others wrote", "[mail]")
{
    SmtpServer const server;
    auto post = mailer(to_server(server.url()));
    auto email = email_to("Ada@example.org", "Grüße: 50 % off, \"today\" 💥");
    email.content.body = "<h1>Grüße</h1><p>One &amp; two</p>\n.\n..dots\r\nFrom here\rthere = x  ";
    std::string const bytes = crypto::random_bytes(2'000'000);
    email.attachments = {
        {"Rechnung für März – “2026”, eine sehr lange Bezeichnung, länger als eine Zeile.pdf",
            "application/pdf", bytes},
        {"plain.txt", "text/plain; charset=utf-8", "line\nline\r\n"}, {"empty.csv", "text/csv", ""},
        {"forwarded", "message/rfc822", "From: x\r\n\r\nx"}, {"odd", "no type at all", "x"}};
    auto const answer = post.send(email);
    REQUIRE(answer.verdict == Verdict::accepted);
    std::string const id = email.id.to_string() + "@shared.example";
    CHECK(answer.provider_id == id);

    auto const mail = server.mails(1)[0];
    CHECK(mail.at("envelope") == json::parse(R"({"from":"notify@shared.example","to":["Ada@example.org"]})"));
    REQUIRE(mail.at("from").as_array().size() == 1);
    CHECK(text(mail.at("from").at(0), "address") == shared.address);
    CHECK(text(mail.at("from").at(0), "name") == shared.name);
    CHECK(text(mail.at("to").at(0), "address") == "Ada@example.org");
    CHECK(text(mail, "subject") == email.content.subject);
    CHECK(text(mail, "date") == "2026-03-01T12:00:00.000Z");
    CHECK(text(mail, "messageId") == '<' + id + '>');
    std::multiset<std::string> headers;
    for (auto const& name : mail.at("headers").as_array())
        headers.insert(std::string(name.as_string()));
    CHECK(headers == std::multiset<std::string>{
                         "from", "to", "subject", "date", "message-id", "mime-version", "content-type"});
    CHECK(text(mail, "text") == "Grüße\n\nOne & two\n\n. ..dots From here there = x\n");
    CHECK(text(mail, "html") == "<h1>Grüße</h1><p>One &amp; two</p>\n.\n..dots\nFrom here\nthere = x  \n");

    auto const& attachments = mail.at("attachments").as_array();
    REQUIRE(attachments.size() == email.attachments.size());
    char const* const types[] = {
        "application/pdf", "text/plain", "text/csv", "application/octet-stream", "application/octet-stream"};
    for (std::size_t i = 0; i < attachments.size(); ++i) {
        CHECK(text(attachments[i], "filename") == email.attachments[i].filename);
        CHECK(text(attachments[i], "contentType") == types[i]);
        CHECK(text(attachments[i], "sha256") == sha256(email.attachments[i].content));
    }
}

TEST_CASE("subjects and names come through whatever they hold", "[mail]")
{
    SmtpServer const server;
    auto post = mailer(to_server(server.url()));
    std::string long_words, emoji;
    for (int i = 0; i < 40; ++i) {
        long_words += (i == 0 ? "" : " ") + std::string("word") + std::to_string(i);
        emoji += "💥é";
    }
    std::vector<std::string> const texts{"plain", "=?utf-8?q?not_encoded?=", "a =? b", long_words, emoji,
        std::string(500, 'x'), "tab\there", "bell\x07", "two  spaces   three", "quote \" and \\ slash",
        "Doe, Jane <jane@example.com>", "日本語のとても長い件名", "mixed ascii und Umläute " + emoji};
    for (auto const& value : texts) {
        auto email = email_to("ada@example.org", value);
        auto const message = mime::compose(email, {value, "a@example.com"}, "id@example.com");
        REQUIRE(message);
        std::string const head = message->substr(0, message->find("\r\n\r\n") + 2);
        for (auto const& line : lines_of(head)) {
            INFO(line);
            CHECK(line.size() <= 90);
            CHECK(line.find_first_not_of(" \t") != std::string::npos);
            for (auto at = line.find("=?UTF-8?"); at != std::string::npos; at = line.find("=?UTF-8?", at + 1))
                CHECK(line.find("?=", at + 10) + 2 - at <= 75); // RFC 2047, 2
        }
        CHECK(post.send(email).verdict == Verdict::accepted);
    }
    auto const mails = server.mails(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i)
        CHECK(text(mails[i], "subject") == texts[i]);

    auto const named = [&](std::string const& name) {
        Mailer with_name({name, "a@example.com"}, std::make_unique<Smtp>(to_server(server.url())));
        return with_name.send(email_to("ada@example.org")).verdict == Verdict::accepted;
    };
    for (auto const& value : texts)
        REQUIRE(named(value));
    auto const again = server.mails(2 * texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        auto const& from = again[texts.size() + i].at("from");
        REQUIRE(from.as_array().size() == 1);
        CHECK(text(from.at(0), "address") == "a@example.com");
        CHECK(text(from.at(0), "name") == texts[i]);
    }
}

TEST_CASE("a message is seven bits wide, its lines are short, and it is the same every time", "[mail]")
{
    auto email = email_to("ada@example.org", "Grüße");
    email.content.body = "<p>" + std::string(5'000, 'x') + "日本語 \xC3\xA4</p>\r\n\n\r";
    email.attachments = {{"ä.bin", "application/zip", crypto::random_bytes(10'000)}};
    auto const message = mime::compose(email, shared, "id@example.com");
    REQUIRE(message);
    for (auto const& line : lines_of(*message)) {
        CHECK(line.size() <= 100);
        CHECK(std::ranges::all_of(line, [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); }));
    }
    CHECK(mime::compose(email, shared, "id@example.com") == message);
}

TEST_CASE("text alone is one part", "[mail]")
{
    auto email = email_to("ada@example.org");
    email.content.html = false;
    email.content.body = "1 < 2 & <b>so on</b>";
    auto const message = mime::compose(email, shared, "id@example.com");
    REQUIRE(message);
    CHECK_THAT(*message, Catch::Contains("\r\nContent-Type: text/plain; charset=utf-8\r\n"));
    CHECK_THAT(*message, Catch::EndsWith("\r\n\r\n1 < 2 & <b>so on</b>\r\n"));
    CHECK_THAT(*message, !Catch::Contains("multipart"));
}

TEST_CASE("no value can end a header field or begin one", "[mail]")
{
    auto transport = std::make_unique<Kept>();
    Kept const& kept = *transport;
    Mailer post(shared, std::move(transport));
    auto const is_refused = [&](Email const& email) {
        auto const answer = post.send(email);
        CHECK(answer.verdict == Verdict::refused);
        CHECK(answer.reason == "INVALID_HEADER");
        CHECK(kept.envelopes.empty());
    };
    std::string const evils[] = {"x\r\nBcc: eve@example.com", "x\nBcc: eve@example.com", "x\rBcc: y",
        std::string("x\0y", 3), "\r\n", "x\r\n", "\r\n\r\nbody"};
    for (auto const& evil : evils) {
        INFO(evil);
        is_refused(email_to("ada@example.org", evil));
        is_refused(email_to(evil));
        is_refused(email_to("ada@example.org" + evil));
        is_refused(email_to(evil + "ada@example.org"));
        auto email = email_to("ada@example.org");
        email.attachments = {{evil, "text/plain", ""}};
        is_refused(email);
        email.attachments = {{"a.txt", "text/plain; x=\"" + evil + '"', ""}};
        is_refused(email);
        email = email_to("ada@example.org");
        email.sender = EmailSender{{evil, "a@example.com"}, {}};
        is_refused(email);
        email.sender = EmailSender{{"A", "a@example.com" + evil}, {}};
        is_refused(email);
    }
    CHECK(post.send(email_to("ada@example.org")).verdict == Verdict::accepted);
    CHECK(kept.envelopes.size() == 1);
}

// --- outbox ----------------------------------------------------------------------------------------------

TEST_CASE("the outbox holds whole files, one a message, however often it is sent", "[mail]")
{
    testing::TemporaryDirectory const folder("outbox");
    std::string const directory = folder.path() + "/deep/mail";
    Mailer post(shared, std::make_unique<MailOutbox>(directory));
    CHECK((fs::status(directory).permissions() & fs::perms::all) == fs::perms::owner_all);
    auto const email = email_to("ada@example.org");
    for (int i = 0; i < 2; ++i)
        REQUIRE(post.send(email).verdict == Verdict::accepted);
    std::vector<std::string> names;
    for (auto const& entry : fs::directory_iterator(directory))
        names.push_back(entry.path().filename());
    CHECK(names == std::vector<std::string>{email.id.to_string() + ".eml"});
    auto const message = read_file(directory + '/' + names.at(0));
    CHECK(message == mime::compose(email, shared, email.id.to_string() + "@shared.example"));

    fs::remove_all(directory);
    auto const answer = post.send(email);
    CHECK(answer.verdict == Verdict::transient);
    CHECK_THAT(answer.reason, Catch::StartsWith("OUTBOX: "));
    std::ofstream(folder.path() + "/file") << "x";
    CHECK_THROWS_AS(MailOutbox(folder.path() + "/file"), std::runtime_error);
}

// --- SMTP ------------------------------------------------------------------------------------------------

TEST_CASE("connections are kept, and one that was closed meanwhile is replaced", "[mail]")
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

TEST_CASE("every answer of a mail server is told apart", "[mail]")
{
    SmtpServer const server;
    auto options = to_server(server.url());
    options.reply_timeout = 1s;
    auto post = mailer(std::move(options));
    auto const to = [&](std::string const& who) { return post.send(email_to(who + "@example.org")); };
    auto const is = [](Answer const& answer, Verdict verdict, std::string const& reason) {
        CHECK(answer.verdict == verdict);
        CHECK_THAT(answer.reason, Catch::StartsWith(reason));
        CHECK(answer.provider_id.empty());
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

    // It has the message, and whether it keeps it nobody knows: it is sent again, under the same id.
    auto const lost = email_to("vanish@example.org");
    is(post.send(lost), Verdict::transient, "NO_ANSWER");
    is(post.send(lost), Verdict::transient, "NO_ANSWER");
    auto const mails = server.mails(2);
    CHECK(text(mails[0], "messageId") == '<' + lost.id.to_string() + "@shared.example>");
    CHECK(mails[0].at("raw") == mails[1].at("raw"));
    is(to("hang"), Verdict::transient, "NO_ANSWER");
    CHECK(to("ada").verdict == Verdict::accepted);
    server.mails(4);
}

TEST_CASE("somebody who hangs is left when the service stops", "[mail]")
{
    SmtpServer const server;
    auto options = to_server(server.url());
    options.farewell = 1ms;
    auto post = mailer(std::move(options));
    std::stop_source stop;
    auto sent = std::async(
        std::launch::async, [&] { return post.send(email_to("hang@example.org"), stop.get_token()); });
    server.mails(1); // by now it waits for the answer
    stop.request_stop();
    auto const answer = sent.get();
    CHECK(answer.verdict == Verdict::transient);
    CHECK(answer.reason == "STOPPED");
}

TEST_CASE("a server that is not there, or no mail server, is transient", "[mail]")
{
    auto const nobody = "smtp://127.0.0.1:" + std::to_string(testing::free_port());
    auto const answer = mailer(to_server(nobody)).send(email_to("ada@example.org"));
    CHECK(answer.verdict == Verdict::transient);
    CHECK_THAT(answer.reason, Catch::StartsWith("CONNECT: "));
}

TEST_CASE("a user is authenticated", "[mail]")
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

TEST_CASE("TLS is used where it is offered, and believed only with a good certificate", "[mail]")
{
    Certificate const certificate;
    SmtpServer const offers(certificate.options(false));
    SmtpServer const plain;
    auto const send = [](SmtpOptions options) {
        return mailer(std::move(options)).send(email_to("ada@example.org"));
    };
    CHECK(send(to_server(offers.url(), certificate.file())).verdict == Verdict::accepted);
    CHECK(offers.mails(1)[0].at("secure") == json::value(true));
    auto const is_not_believed = [](Answer const& answer) {
        CHECK(answer.verdict == Verdict::transient);
        CHECK_THAT(answer.reason, Catch::StartsWith("TLS: "));
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

TEST_CASE("smtps begins with TLS", "[mail]")
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
                    auto const answer = post.send(email);
                    std::lock_guard const lock(mutex);
                    CHECK(answer.verdict == Verdict::accepted);
                    expected.insert('<' + answer.provider_id + '>');
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
