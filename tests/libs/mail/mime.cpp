#include "mail/mime.hpp"

#include "core/hex.hpp"
#include "crypto/hash.hpp"
#include "crypto/random.hpp"
#include "mailing.hpp"

#include <algorithm>
#include <set>

using namespace mailing;

namespace {

std::string sha256(std::string const& bytes)
{
    crypto::Digest const digest = crypto::sha256(bytes);
    return core::hex::encode(crypto::view(digest));
}

/// A transport that stores all envelopes.
struct Kept final : Transport {
    void deliver(Envelope envelope, std::stop_token, Done done) override
    {
        envelopes.push_back(std::move(envelope));
        done({.outcome = Outcome::accepted});
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

} // namespace

TEST_CASE("an independent mail parser reads every part of a message unchanged")
{
    SmtpServer const server;
    auto post = mailer(to_server(server.url()));
    auto email = message_to("Ada@example.org", "Grüße: 50 % off, \"today\" 💥");
    email.html = "<h1>Grüße</h1><p>One &amp; two</p>\n.\n..dots\r\nFrom here\rthere = x  ";
    std::string const bytes = crypto::random_bytes(2'000'000);
    email.attachments = {
        {"Rechnung für März – “2026”, eine sehr lange Bezeichnung, länger als eine Zeile.pdf",
            "application/pdf", bytes},
        {"plain.txt", "text/plain; charset=utf-8", "line\nline\r\n"}, {"empty.csv", "text/csv", ""},
        {"forwarded", "message/rfc822", "From: x\r\n\r\nx"}, {"odd", "no type at all", "x"},
        {"beyond", "applicatión/pdf", "x"}};
    auto const result = post.send(email);
    REQUIRE(result.outcome == Outcome::accepted);
    std::string const id = email.id.to_string() + "@shared.example";
    CHECK(result.message_id == id);

    auto const mail = server.mails(1)[0];
    CHECK(mail.at("envelope") == json::parse(R"({"from":"notify@shared.example","to":["Ada@example.org"]})"));
    REQUIRE(mail.at("from").as_array().size() == 1);
    CHECK(text(mail.at("from").at(0), "address") == shared.address);
    CHECK(text(mail.at("from").at(0), "name") == shared.name);
    CHECK(text(mail.at("to").at(0), "address") == "Ada@example.org");
    CHECK(text(mail, "subject") == email.subject);
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
    char const* const types[] = {"application/pdf", "text/plain", "text/csv", "application/octet-stream",
        "application/octet-stream", "application/octet-stream"};
    for (std::size_t i = 0; i < attachments.size(); ++i) {
        CHECK(text(attachments[i], "filename") == email.attachments[i].filename);
        CHECK(text(attachments[i], "contentType") == types[i]);
        CHECK(text(attachments[i], "sha256") == sha256(email.attachments[i].content));
    }
}

TEST_CASE("subjects and names with any content can be decoded again")
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
        auto email = message_to("ada@example.org", value);
        auto const message = compose(email, {value, "a@example.com"}, "id@example.com");
        REQUIRE(message);
        std::string const head = message->substr(0, message->find("\r\n\r\n") + 2);
        for (auto const& line : lines_of(head)) {
            INFO(line);
            CHECK(line.size() <= 90);
            CHECK(line.find_first_not_of(" \t") != std::string::npos);
            for (auto at = line.find("=?UTF-8?"); at != std::string::npos; at = line.find("=?UTF-8?", at + 1))
                CHECK(line.find("?=", at + 10) + 2 - at <= 75); // RFC 2047, 2
        }
        CHECK(post.send(email).outcome == Outcome::accepted);
    }
    auto const mails = server.mails(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i)
        CHECK(text(mails[i], "subject") == texts[i]);

    auto const named = [&](std::string const& name) {
        Mailer with_name({name, "a@example.com"}, std::make_unique<SmtpClient>(to_server(server.url())));
        return with_name.send(message_to("ada@example.org")).outcome == Outcome::accepted;
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

TEST_CASE("a message is 7-bit with short lines, and equal values give equal bytes")
{
    auto email = message_to("ada@example.org", "Grüße");
    email.html = "<p>" + std::string(5'000, 'x') + "日本語 \xC3\xA4</p>\r\n\n\r";
    email.attachments = {{"ä.bin", "application/zip", crypto::random_bytes(10'000)}};
    auto const message = compose(email, shared, "id@example.com");
    REQUIRE(message);
    for (auto const& line : lines_of(*message)) {
        CHECK(line.size() <= 100);
        CHECK(std::ranges::all_of(line, [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); }));
    }
    CHECK(compose(email, shared, "id@example.com") == message);
}

TEST_CASE("a text email is a single part")
{
    auto email = message_to("ada@example.org");
    email.html.reset();
    email.text = "1 < 2 & <b>so on</b>";
    auto const message = compose(email, shared, "id@example.com");
    REQUIRE(message);
    CHECK_THAT(*message, Catch::Contains("\r\nContent-Type: text/plain; charset=utf-8\r\n"));
    CHECK_THAT(*message, Catch::EndsWith("\r\n\r\n1 < 2 & <b>so on</b>\r\n"));
    CHECK_THAT(*message, !Catch::Contains("multipart"));
}

TEST_CASE("the text beside the HTML is made from the HTML, unless the sender gives another text")
{
    auto email = message_to("ada@example.org");
    email.html = "<p>HTML</p>";
    auto const made = compose(email, shared, "id@example.com");
    email.text = "Text";
    auto const given = compose(email, shared, "id@example.com");
    REQUIRE(made);
    REQUIRE(given);
    CHECK_THAT(*made, Catch::Contains("\r\n\r\nHTML\r\n"));
    CHECK_THAT(*given, Catch::Contains("\r\n\r\nText\r\n") && !Catch::Contains("\r\n\r\nHTML\r\n"));
    for (auto const& message : {*made, *given}) {
        CHECK_THAT(message, Catch::Contains("\r\nContent-Type: multipart/alternative;"));
        CHECK(message.find("text/plain") < message.find("text/html")); // the last part is preferred
        CHECK_THAT(message, Catch::Contains("\r\n\r\n<p>HTML</p>\r\n"));
    }
}

TEST_CASE("no value can add or end a header field")
{
    auto transport = std::make_unique<Kept>();
    Kept const& kept = *transport;
    Mailer post(shared, std::move(transport));
    auto const is_refused = [&](Message const& email) {
        auto const result = post.send(email);
        CHECK(result.outcome == Outcome::refused);
        CHECK(result.reason == "INVALID_HEADER");
        CHECK(kept.envelopes.empty());
    };
    std::string const evils[] = {"x\r\nBcc: eve@example.com", "x\nBcc: eve@example.com", "x\rBcc: y",
        std::string("x\0y", 3), "\r\n", "x\r\n", "\r\n\r\nbody"};
    for (auto const& evil : evils) {
        INFO(evil);
        is_refused(message_to("ada@example.org", evil));
        is_refused(message_to(evil));
        is_refused(message_to("ada@example.org" + evil));
        is_refused(message_to(evil + "ada@example.org"));
        auto email = message_to("ada@example.org");
        email.attachments = {{evil, "text/plain", ""}};
        is_refused(email);
        email.attachments = {{"a.txt", "text/plain; x=\"" + evil + '"', ""}};
        is_refused(email);
        email = message_to("ada@example.org");
        email.sender = CustomSender{{evil, "a@example.com"}, {}};
        is_refused(email);
        email.sender = CustomSender{{"A", "a@example.com" + evil}, {}};
        is_refused(email);
    }
    CHECK(post.send(message_to("ada@example.org")).outcome == Outcome::accepted);
    CHECK(kept.envelopes.size() == 1);
}

TEST_CASE("a message carries the traceparent of its request")
{
    auto email = message_to("ada@example.com");
    auto const plain = compose(email, shared, "id@shared.example");
    email.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    auto const traced = compose(email, shared, "id@shared.example");
    REQUIRE(plain);
    REQUIRE(traced);
    auto lines = lines_of(*traced);
    CHECK(std::erase(lines, "Traceparent: " + email.traceparent) == 1);
    CHECK(lines == lines_of(*plain));
    email.traceparent += "\r\nBcc: everybody@example.com";
    CHECK_FALSE(compose(email, shared, "id@shared.example"));
}

TEST_CASE("a message can name its thread, and how its recipient unsubscribes")
{
    SmtpServer const server;
    auto post = mailer(to_server(server.url()));
    auto message = message_to("ada@example.org");
    message.thread = core::Uuid::v7();
    message.auto_generated = true;
    message.unsubscribe = Unsubscribe{"https://demo.example.com/unsubscribe/" + std::string(800, 'x')};
    REQUIRE(post.send(message).outcome == Outcome::accepted);
    auto const raw = text(server.mails(1).front(), "raw");
    auto const head = "\r\n" + raw.substr(0, raw.find("\r\n\r\n") + 2);
    auto const thread = '<' + message.thread->to_string() + "@shared.example>";
    for (auto const& field :
        {"In-Reply-To: " + thread, "References: " + thread, std::string("Auto-Submitted: auto-generated"),
            "List-Unsubscribe: <" + message.unsubscribe->url + '>',
            std::string("List-Unsubscribe-Post: List-Unsubscribe=One-Click")})
        CHECK(head.find("\r\n" + field + "\r\n") != std::string::npos);

    auto const plain = compose(message_to("ada@example.org"), shared, "id@example.com");
    REQUIRE(plain);
    for (auto const* field : {"In-Reply-To", "References", "Auto-Submitted", "List-Unsubscribe"})
        CHECK(plain->find(field) == std::string::npos);
}

TEST_CASE("a URL that does not fit into the header is refused")
{
    for (std::string const url : {"https://a.example/ x", "https://a.example/\r\nBcc: eve@example.org",
             "https://a.example/>, <mailto:eve@example.org", "https://a.example/ü"}) {
        auto message = message_to("ada@example.org");
        message.unsubscribe = Unsubscribe{url};
        CHECK_FALSE(compose(message, shared, "id@example.com"));
    }
    auto message = message_to("ada@example.org");
    message.unsubscribe = Unsubscribe{"https://a.example/" + std::string(900, 'x')};
    CHECK_FALSE(compose(message, shared, "id@example.com"));
}
