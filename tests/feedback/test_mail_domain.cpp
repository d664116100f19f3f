#include "domain/mail_key.hpp"
#include "workers/mail_text.hpp"

#include <catch2/catch.hpp>

#include <regex>

using namespace feedback;

namespace {

MailKey key(char c)
{
    return MailKey(core::Secret(std::string(MailKey::size, c)));
}

ThreadMail mail_of(std::string recipient)
{
    ThreadMail mail;
    mail.id = core::Uuid::v7();
    mail.feedback_id = core::Uuid::v7();
    mail.recipient = std::move(recipient);
    mail.title = "Dark\r\nmode & <more>";
    mail.category = "feature";
    mail.body = "First line\r\nsecond <line>";
    mail.user_email = "ada@example.com";
    mail.is_user_email_verified = true;
    return mail;
}

std::string without_returns(std::string text)
{
    std::erase(text, '\r');
    return text;
}

MailChange change(MailChangeKind kind, std::string text = {})
{
    return {.at = core::Time(std::chrono::seconds(1)), .kind = kind, .text = std::move(text)};
}

} // namespace

TEST_CASE("a token names its thread and its address, and only its key reads it")
{
    auto const id = core::Uuid::v7();
    auto const token = key('a').token(id, "Ada@Example.com");
    CHECK(token.size() == 86);
    CHECK(std::regex_match(token, std::regex("[A-Za-z0-9_-]+")));
    CHECK(token == key('a').token(id, "ada@example.com"));
    CHECK(token != key('a').token(core::Uuid::v7(), "ada@example.com"));
    CHECK(token != key('a').token(id, "bob@example.com"));
    auto const read = key('a').read(token);
    REQUIRE(read);
    CHECK(read->feedback_id == id);
    CHECK(read->address_hash == key('a').hash_of("ADA@example.com"));
    CHECK(read->address_hash.size() == 64);
    CHECK(read->address_hash != key('b').hash_of("ada@example.com"));
    CHECK_FALSE(key('b').read(token));
    for (std::size_t i = 0; i < token.size(); ++i) {
        auto changed = token;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        CHECK_FALSE(key('a').read(changed));
    }
    for (std::string const wrong : {"", "x", "%"})
        CHECK_FALSE(key('a').read(wrong));
    CHECK_FALSE(key('a').read(token + "AAAA"));
}

TEST_CASE("an email has another id if it reports other changes")
{
    auto const mail = mail_of("ada");
    auto const until = core::Time(std::chrono::seconds(2));
    CHECK(message_id_of(mail, until) == message_id_of(mail, until));
    CHECK(message_id_of(mail, until) != message_id_of(mail, until + std::chrono::microseconds(1)));
    CHECK(message_id_of(mail, until) != message_id_of(mail_of("ada"), until));
    auto later = mail;
    later.since += std::chrono::microseconds(1);
    CHECK(message_id_of(mail, until) != message_id_of(later, until));
}

TEST_CASE("an email to a user has all changes as text and as HTML")
{
    auto mail = mail_of("ada");
    mail.is_reporter = true;
    auto const made = render_mail(mail,
        {.items = {change(MailChangeKind::reply, "Line <1>\r\n\nLine {{3}}"),
             change(MailChangeKind::status, "in-progress"), change(MailChangeKind::merged)}},
        {.brand = "Acme", .link = "https://a.example/x", .unsubscribe = "https://a.example/u"});
    CHECK(made.subject == "[Acme] Dark  mode & <more>");
    CHECK(without_returns(made.text) == R"(There is news about your feedback

Dark  mode & <more>

The team replied:

Line <1>

Line {{3}}

The status is now: in progress

The team merged this thread into another one. You will get emails about that thread.

Open the thread:
https://a.example/x

You get this email because you wrote this feedback.

Unsubscribe:
https://a.example/u
)");
    for (auto const* part : {"Line &lt;1&gt;<br>", "Line {{3}}<br>", "Dark  mode &amp; &lt;more&gt;",
             "The status is now: in progress", "href=\"https://a.example/u\""}) {
        INFO(part << '\n' << made.html);
        CHECK(made.html.find(part) != std::string::npos);
    }
    CHECK(made.html.find("ada@example.com") == std::string::npos);
    CHECK(made.html.find("<script") == std::string::npos);
}

TEST_CASE("an email to notifyEmail shows the thread, and has no link to unsubscribe")
{
    auto const made = render_mail(mail_of(""),
        {.items = {change(MailChangeKind::created), change(MailChangeKind::reply, "Hello?")}, .more = true},
        {.brand = "Acme", .link = {}, .unsubscribe = {}});
    CHECK(without_returns(made.text) == R"(New feedback

Dark  mode & <more>

Category: feature. From: ada@example.com

First line
second <line>

A user replied:

Hello?

There are more changes. They follow in the next email.

You get this email because your address is the setting notifyEmail of this service.
)");
    CHECK(made.html.find("nsubscribe") == std::string::npos);
    CHECK(made.html.find("ada@example.com") != std::string::npos);
}

TEST_CASE("an email to notifyEmail says that the user's address is not verified")
{
    auto mail = mail_of("");
    mail.is_user_email_verified = false;
    auto const made = render_mail(mail, {.items = {change(MailChangeKind::created)}, .more = false},
        {.brand = "Acme", .link = {}, .unsubscribe = {}});
    CHECK(made.text.find("From: ada@example.com (not verified)") != std::string::npos);
    CHECK(made.html.find("From: ada@example.com (not verified)") != std::string::npos);
}
