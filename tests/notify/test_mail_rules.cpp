#include "core/config.hpp"
#include "domain/email_address.hpp"
#include "domain/plain_text.hpp"
#include "providers/mail_options.hpp"
#include "providers/smtp.hpp"
#include "support/config.hpp"
#include "support/json.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace notify;

namespace {

std::string config_faults(testing::Variables const& variables)
{
    auto config = testing::config_of("NOTIFY", variables);
    MailOptions::read(config);
    return testing::faults_of(config);
}

} // namespace

TEST_CASE("domain names are validated", "[mail]")
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

TEST_CASE("only addresses that SMTP can carry are accepted", "[mail]")
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

TEST_CASE("HTML is converted to plain text", "[mail]")
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

TEST_CASE("replies of a mail server are classified", "[mail]")
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
        auto const result = read_smtp_reply(c.code, c.line);
        CHECK(result.verdict == c.verdict);
        CHECK(result.reason == c.line);
    }
    CHECK(read_smtp_reply(550, "").reason == "550");
    CHECK(read_smtp_reply(550, "550 caf\xE9 \x01").reason == "550 caf? ?");
    CHECK(read_smtp_reply(550, "550 " + std::string(1'000, 'x')).reason.size() == max_reason);
}

TEST_CASE("the configuration of email is validated", "[mail]")
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
