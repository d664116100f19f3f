#include "mail/smtp_protocol.hpp"

#include "crypto/encoding.hpp"
#include "mail/smtp_url.hpp"

#include <catch2/catch.hpp>

using namespace mail;

namespace {

std::vector<SmtpReply> replies_to(std::string_view bytes, std::size_t piece = std::string::npos)
{
    SmtpReplyParser parser;
    std::vector<SmtpReply> replies;
    while (!bytes.empty()) {
        parser.add(bytes.substr(0, piece));
        bytes.remove_prefix(std::min(piece, bytes.size()));
        while (auto reply = parser.next())
            replies.push_back(*std::move(reply));
    }
    return replies;
}

std::string fault_of(std::string_view bytes)
{
    SmtpReplyParser parser;
    parser.add(bytes);
    while (parser.next()) {
    }
    return std::string(parser.fault());
}

std::string encoded(std::string_view message, std::size_t piece = 1'000)
{
    SmtpData data(message);
    std::string out;
    while (data.next(out, piece)) {
    }
    CHECK(data.is_at_end());
    return out;
}

} // namespace

TEST_CASE("replies are split into lines, for each size of the pieces received")
{
    std::string const bytes =
        "220 mail.test\r\n250-mail.test\r\n250-SIZE 10\r\n250 PIPELINING\n354\r\n421 \r\n";
    for (std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, bytes.size()}) {
        auto const replies = replies_to(bytes, piece);
        REQUIRE(replies.size() == 4);
        CHECK(replies[0].code == 220);
        CHECK(replies[0].text(0) == "mail.test");
        CHECK(replies[1].lines == std::vector<std::string>{"250-mail.test", "250-SIZE 10", "250 PIPELINING"});
        CHECK(replies[1].text(2) == "PIPELINING");
        CHECK(replies[2].code == 354);
        CHECK(replies[2].text(0).empty());
        CHECK(replies[3].text(0).empty());
    }
    SmtpReplyParser parser;
    CHECK_FALSE(parser.has_bytes());
    parser.add("250-one\r\n");
    CHECK_FALSE(parser.next());
    CHECK(parser.has_bytes());
    parser.add("250 two\r\n");
    CHECK(parser.next());
    CHECK_FALSE(parser.has_bytes());
}

TEST_CASE("bytes that are not replies of SMTP are a fault")
{
    for (auto const* bytes : {"HTTP/1.1 400 Bad Request\r\n", "\r\n", "25\r\n", "2500 x\r\n", "250x\r\n",
             "150 x\r\n", "650 x\r\n", "250-one\r\n251 two\r\n", "250-one\r\n\r\n", "\x16\x03\x01\r\n"}) {
        INFO(bytes);
        CHECK(fault_of(bytes) == "the server's reply is not SMTP");
    }
    CHECK(fault_of("250 " + std::string(SmtpReplyParser::max_line - 4, 'x') + "\n").empty());
    CHECK_FALSE(fault_of("250 " + std::string(SmtpReplyParser::max_line, 'x') + "\n").empty());
    CHECK_FALSE(fault_of(std::string(SmtpReplyParser::max_line + 1, '2')).empty());
    std::string many;
    for (std::size_t i = 0; i <= SmtpReplyParser::max_lines; ++i)
        many += "250-x\r\n";
    CHECK(fault_of(many) == "the server's reply is too long");
    std::string large;
    while (large.size() <= SmtpReplyParser::max_reply + 2 * SmtpReplyParser::max_line)
        large.append("250-").append(SmtpReplyParser::max_line - 6, 'x').append("\r\n");
    CHECK(fault_of(large) == "the server's reply is too long");
}

TEST_CASE("the extensions of a server are read from its reply to EHLO")
{
    auto const read = [](std::string const& lines) { return read_extensions(replies_to(lines).at(0)); };
    auto const all = read("250-mail.test Hello\r\n250-PIPELINING\r\n250-size 1000\r\n250-STARTTLS\r\n"
                          "250-AUTH CRAM-MD5 plain LOGIN\r\n250-8BITMIME\r\n250 X-OTHER\r\n");
    CHECK((all.pipelining && all.size && all.starttls && all.eight_bit_mime));
    CHECK((all.auth_plain && all.auth_login));
    auto const none = read("250-PIPELINING\r\n250-PIPELININGS\r\n250-\r\n250 AUTH GSSAPI XLOGIN\r\n");
    CHECK_FALSE((none.pipelining || none.size || none.starttls || none.eight_bit_mime));
    CHECK_FALSE((none.auth_plain || none.auth_login));
    CHECK(read("250-x\r\n250 AUTH=LOGIN\r\n").auth_login);
    CHECK_FALSE(read("250 PIPELINING\r\n").pipelining); // the first line is the server's name
}

TEST_CASE("the enhanced code of a reply has the reply's class")
{
    CHECK(enhanced_code("550 5.1.1 No such user") == "5.1.1");
    CHECK(enhanced_code("452-4.2.2") == "4.2.2");
    CHECK(enhanced_code("250 2.0.0 Ok") == "2.0.0");
    for (auto const* line : {"550", "550 ", "550 No such user", "550 4.1.1 x", "550 5.1 x", "550 5.1.1.1 x",
             "550 5..1 x", "550 5.1234.1 x", "550 5.1.x y", "550 55.1.1 x"})
        CHECK(enhanced_code(line).empty());
}

TEST_CASE("a message is encoded as data of SMTP")
{
    for (std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{1'000}}) {
        CHECK(encoded("", piece) == ".\r\n");
        CHECK(encoded("a\r\n", piece) == "a\r\n.\r\n");
        CHECK(encoded("a", piece) == "a\r\n.\r\n");
        CHECK(encoded(".\r\n..\r\n.a.\r\nb.\r\n\r\n", piece) == "..\r\n...\r\n..a.\r\nb.\r\n\r\n.\r\n");
        // A server could take a dot after a lone LF or CR for the end of the message, and the rest for
        // commands.
        CHECK(encoded("a\n.\nMAIL\r\n", piece) == "a\r\n..\r\nMAIL\r\n.\r\n");
        CHECK(encoded("a\r.\r\nb\r\r\n", piece) == "a\r\n..\r\nb\r\n\r\n.\r\n");
        CHECK(encoded("a\n\r.\r", piece) == "a\r\n\r\n..\r\n.\r\n");
    }
}

TEST_CASE("the command MAIL has the parameters of the extensions that the server offers")
{
    SmtpExtensions const all{.eight_bit_mime = true, .size = true};
    CHECK(mail_command("a@example.com", 12, false, {}) == "MAIL FROM:<a@example.com>");
    CHECK(mail_command("a@example.com", 12, true, {}) == "MAIL FROM:<a@example.com>");
    CHECK(mail_command("a@example.com", 12, true, all) == "MAIL FROM:<a@example.com> SIZE=12 BODY=8BITMIME");
    CHECK(mail_command("", 12, false, all) == "MAIL FROM:<> SIZE=12");
    CHECK(is_eight_bit("caf\xC3\xA9"));
    CHECK_FALSE(is_eight_bit("cafe\r\n"));
    CHECK(auth_plain_command("user", "pass") ==
          "AUTH PLAIN " + crypto::base64::encode(std::string("\0user\0pass", 10)));
}

TEST_CASE("the parts of an SMTP URL")
{
    auto const plain = parse_smtp_url("smtp://mail.example.com");
    REQUIRE(plain);
    CHECK((plain->host == "mail.example.com" && plain->port == 25 && !plain->tls && !plain->has_login));
    auto const all = parse_smtp_url("SMTPS://us%40er:p:a@ss%3B;AUTH=login@[::1]:4650/client.example");
    REQUIRE(all);
    CHECK((all->host == "::1" && all->port == 4650 && all->tls && all->has_login));
    CHECK(all->user.reveal() == "us@er");
    CHECK(all->password.reveal() == "p:a@ss;");
    CHECK(all->mechanism == AuthMechanism::login);
    CHECK(all->client_name == "client.example");
    CHECK(parse_smtp_url("smtps://h")->port == 465);
    CHECK(parse_smtp_url("smtp://127.0.0.1:2525/")->host == "127.0.0.1");
    for (auto const* login : {"u@", ":p@", ";AUTH=PLAIN@", "u:p;auth=*@"})
        CHECK(parse_smtp_url("smtp://" + std::string(login) + "h")->has_login);
    CHECK_FALSE(parse_smtp_url("smtp://@h")->has_login);
    for (auto const* url : {"", "smtp:", "smtp://", "smtp:///x", "smtp://h:0", "smtp://h:65536", "smtp://h:x",
             "http://h", "mail.example.com", "smtp://u:p@", "smtp://u%zz@h", "smtp://u%00@h", "smtp://h?x=1",
             "smtp://h#x", "smtp://u;AUTH=NTLM@h", "smtp://u;x@h", "smtp://h/a%20b", "smtp://h/a/b",
             "smtp://h\r\n", "smtp://[::1", "smtp://a%0d%0ab"}) {
        INFO(url);
        CHECK_FALSE(parse_smtp_url(url));
    }
}

TEST_CASE("a result tells whether it concerns its message or every message")
{
    using enum Outcome;
    CHECK(concerns_message(accepted, Stage::message, 250));
    CHECK(concerns_message(gone, Stage::recipient, 550));
    CHECK(concerns_message(transient, Stage::recipient, 421)); // such as a limit of the recipient's domain
    CHECK(concerns_message(transient, Stage::message, 0));     // the message may be the cause
    CHECK(concerns_message(refused, Stage::local, 0));         // an invalid header
    CHECK(concerns_message(refused, Stage::sender, 550));
    CHECK_FALSE(concerns_message(transient, Stage::sender, 421));
    CHECK_FALSE(concerns_message(transient, Stage::sender, 0));
    CHECK_FALSE(concerns_message(credential, Stage::sender, 530));
    CHECK_FALSE(concerns_message(transient, Stage::local, 0)); // a full queue
    for (auto const stage : {Stage::connect, Stage::tls, Stage::login})
        CHECK_FALSE(concerns_message(transient, stage, 421));
}
