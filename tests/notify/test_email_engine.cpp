#include "core/hex.hpp"
#include "crypto/hash.hpp"
#include "libs/blobs/samples.hpp"
#include "pg/database.hpp"
#include "scripted_smtp_server.hpp"
#include "sends.hpp"
#include "smtp_server.hpp"
#include "storage/email_domains.hpp"
#include "support/gate.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <set>

using testing::ScriptedSmtpServer, testing::SmtpPeer, testing::SmtpServer;

// How emails are sent when the mail server, or the server of a domain, does not take them.

namespace {

namespace json = boost::json;

using Ids = std::vector<std::string>;

/// The service with a mail server at `url`.
struct Service {
    explicit Service(std::string const& url)
        : world(
              {.environment = {{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", url}, {"EMAIL_FROM", "n@x.example"}}})
    {
        world.new_template("mail");
    }

    std::string send(std::string const& to = "ada@example.com", json::object const& more = {})
    {
        json::object fields{{"templateName", "mail"}, {"channel", "email"}, {"to", to}};
        for (auto const& [name, value] : more)
            fields[name] = value;
        return world.send(fields);
    }

    /// Sends `count` emails that are due at the same time, to different mailboxes of the domain.
    Ids schedule(std::size_t count, std::string const& domain, json::object const& more = {})
    {
        Ids ids;
        ids.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            auto fields = more;
            fields["sendAt"] = core::to_rfc3339(due);
            ids.push_back(send("user" + std::to_string(i) + '@' + domain, fields));
        }
        return ids;
    }

    /// Moves the clock to the time when scheduled emails are due.
    void begin() { world.clock.set(due); }

    std::size_t count(std::string const& condition) const
    {
        return std::stoul(world.postgres.query("SELECT count(*) FROM " + condition));
    }

    std::size_t in_status(std::string const& status) const
    {
        return count("notifications WHERE status = '" + status + "'");
    }

    /// The number of emails that wait for a later attempt.
    std::size_t put_off() const
    {
        return count("jobs WHERE queue = 'notify.email' AND lease_owner IS NULL AND run_at > '" +
                     core::to_rfc3339(world.clock.now() + 1ms) + "'");
    }

    /// Whether `condition` becomes true while the clock goes on.
    template <class Condition> bool in_time(Condition condition)
    {
        return eventually([&] {
            world.clock.advance(500ms);
            return condition();
        });
    }

    bool all_sent(std::size_t total)
    {
        return in_time([&] { return in_status("sent") == total; });
    }

    World world;
    core::Time const due = world.clock.now() + 1h;
};

std::string url_of(int port)
{
    return "smtp://localhost:" + std::to_string(port);
}

int unused_port()
{
    return SmtpServer().port();
}

std::set<std::string> message_ids(std::vector<json::object> const& mails)
{
    std::set<std::string> ids;
    for (auto const& mail : mails)
        ids.insert(text(mail, "messageId"));
    return ids;
}

/// Stores a verified domain of the scope whose private key cannot be decrypted.
void break_key(World const& world, std::string const& tenant)
{
    pg::Database db({.url = world.postgres.service_url(), .threads = 1});
    core::Scope const scope{core::ScopeId{std::stoll(world.scope_id(tenant))}, "demo"};
    notify::EmailDomain const domain{.id = core::Uuid::v7(),
        .domain = "broken.example",
        .from_email = "hello@broken.example",
        .from_name = "Demo",
        .token = "token",
        .selector = "selector",
        .public_key = "key",
        .state = {.status = notify::DomainStatus::verified},
        .checks = {},
        .created_at = world.clock.now(),
        .checked_at = world.clock.now(),
        .verified_at = world.clock.now()};
    db.transact_blocking(
        scope, [&](pg::Tx& tx) { notify::email_domains::put(tx, scope, domain, "test:AAAA"); });
}

} // namespace

// --- the mail server

TEST_CASE("emails wait while the mail server is down, and are sent when it is back", "[email]")
{
    int const port = unused_port();
    Service f(url_of(port));
    auto const ids = f.schedule(5, "example.com");
    f.begin();
    REQUIRE(eventually([&] { return f.put_off() == ids.size(); }));
    for (auto const& id : ids) {
        auto const n = f.world.notification(id);
        CHECK(text(n, "status") == "queued");
        CHECK(n.at("attempts") == 0);
        CHECK(text(n, "failureReason") == "null");
    }
    CHECK_THAT(f.world.logged(), Catch::Contains("the mail server is down"));

    SmtpServer const server({{"port", port}});
    REQUIRE(f.all_sent(ids.size()));
    CHECK(f.count("notifications WHERE attempts = 1") == ids.size());
    CHECK(message_ids(server.mails(ids.size())).size() == ids.size());
    CHECK_THAT(f.world.logged(), Catch::Contains("the mail server works again"));
}

TEST_CASE("while the mail server is down, one email at a time is sent as a probe", "[email]")
{
    testing::Gate gate;
    std::atomic<bool> down = true;
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        if (down) return peer.say("421 4.3.2 Down for maintenance");
        gate.pass_blocking();
        peer.greet({});
        for (;;)
            peer.take_message();
    });
    Service f(server.url());
    testing::OpenAtEnd const open_at_end{gate};
    constexpr std::size_t total = 10;
    f.schedule(total, "example.com");
    f.begin();
    REQUIRE(eventually([&] { return f.put_off() == total; }));

    down = false;
    REQUIRE(f.in_time([&] { return gate.arrived() == 1; })); // the probe has connected
    f.world.clock.advance(20s);
    REQUIRE(eventually([&] { return f.put_off() == total - 1; })); // all others were put off again
    CHECK(gate.arrived() == 1);
    CHECK(f.count("notifications WHERE attempts > 0") == 0);

    gate.open();
    REQUIRE(f.all_sent(total));
    CHECK(f.count("notifications WHERE attempts = 1") == total);
}

TEST_CASE("emails fail after an hour without the mail server, with its reason", "[email]")
{
    ScriptedSmtpServer const server([](SmtpPeer& peer, int) { peer.say("421 4.3.2 Down until Monday"); });
    Service f(server.url());
    auto const ids = f.schedule(5, "example.com");
    f.begin();
    REQUIRE(eventually([&] { return f.put_off() == ids.size(); }));
    f.world.clock.advance(59min);
    REQUIRE(eventually([&] { return f.put_off() == ids.size(); }));
    CHECK(f.in_status("queued") == ids.size());
    f.world.clock.advance(2min);
    for (auto const& id : ids) {
        REQUIRE(f.world.becomes(id, "failed"));
        auto const n = f.world.notification(id);
        CHECK_THAT(text(n, "failureReason"), Catch::Contains("4.3.2 Down until Monday"));
        CHECK(n.at("attempts") == 0);
    }
    CHECK(f.count("jobs WHERE queue = 'notify.email'") == 0);
}

TEST_CASE("a stop of the service does not fail an email that is late", "[email]")
{
    ScriptedSmtpServer const server([](SmtpPeer& peer, int number) {
        if (number == 0) peer.wait_for_close();
        peer.greet({});
        for (;;)
            peer.take_message();
    });
    Service f(server.url());
    auto const ids = f.schedule(1, "example.com");
    f.world.clock.set(f.due + 2h); // as if the service had been down
    REQUIRE(eventually([&] { return server.connections() == 1; }));
    f.world.restart();
    REQUIRE(f.world.becomes(ids.front(), "sent"));
    CHECK(f.world.notification(ids.front()).at("attempts") == 1);
}

TEST_CASE("a refused recipient fails its email only, and keeps the session", "[email]")
{
    SmtpServer const server;
    Service f(server.url());
    auto const first = f.send();
    REQUIRE(f.world.becomes(first, "sent"));
    auto const refused = f.send("refuse-550-5.1.1@example.com");
    REQUIRE(f.world.becomes(refused, "failed"));
    CHECK_THAT(text(f.world.notification(refused), "failureReason"), Catch::Contains("5.1.1"));
    CHECK(f.world.notification(refused).at("attempts") == 1);
    auto const second = f.send();
    REQUIRE(f.world.becomes(second, "sent"));
    auto const mails = server.mails(2);
    CHECK(mails[0].at("connection") == mails[1].at("connection"));
    CHECK(server.connections() == 1);
}

// --- recipients' domains

TEST_CASE("a domain whose server throttles slows its own emails only", "[email]")
{
    SmtpServer const server({{"throttle", json::object{{"slow.example", 1}}}});
    Service f(server.url());
    constexpr std::size_t slow = 30, fast = 3;
    auto const ids = f.schedule(slow, "slow.example");
    for (auto const& id : f.schedule(fast, "fast.example"))
        REQUIRE(text(f.world.notification(id), "status") == "queued");
    f.begin();
    REQUIRE(eventually([&] { return f.in_status("sent") + f.put_off() == slow + fast; }));
    CHECK(f.count("notifications WHERE status = 'sent' AND recipient LIKE '%@fast.example'") == fast);
    CHECK(f.count("notifications WHERE status = 'queued' AND attempts = 1") == 1);
    auto const untried = f.count("notifications WHERE status = 'queued' AND attempts = 0");
    CHECK(untried >= 1);
    CHECK(f.put_off() == untried + 1);

    REQUIRE(f.all_sent(slow + fast));
    CHECK(f.count("notifications WHERE attempts = 2") == 1);
    CHECK(f.count("notifications WHERE attempts = 1") == slow + fast - 1);
    CHECK(message_ids(server.mails(slow + fast)).size() == slow + fast);
}

// --- the contents

TEST_CASE("more emails with files than can be read at once are all sent", "[email]")
{
    SmtpServer const server({{"delay", 50}});
    Service f(server.url());
    auto const upload = sends::uploaded(f.world, "uploaded bytes");
    json::array const files{sends::file("inline bytes", "note.txt"), {{"attachmentId", upload}}};
    constexpr std::size_t total = 20;
    f.schedule(total, "example.com", {{"attachments", files}});
    f.begin();
    REQUIRE(f.all_sent(total));
    CHECK(f.count("notifications WHERE attempts = 1") == total);
    auto const mails = server.mails(total);
    CHECK(message_ids(mails).size() == total);
    auto const hash = [](std::string const& bytes) {
        return core::hex::encode(crypto::view(crypto::sha256(bytes)));
    };
    for (auto const& mail : mails) {
        auto const& found = mail.at("attachments").as_array();
        REQUIRE(found.size() == 2);
        CHECK(text(found[0], "filename") == "note.txt");
        CHECK(text(found[0], "sha256") == hash("inline bytes"));
        CHECK(text(found[1], "filename") == "report.txt");
        CHECK(text(found[1], "sha256") == hash("uploaded bytes"));
    }
}

TEST_CASE("uploads keep their names, types and bytes in an email", "[email]")
{
    struct File {
        char const* name;
        char const* type;
        std::string bytes;
    };

    std::vector<File> const uploads{
        {"Bericht über €.png", "image/png", blobs_test::samples().at("image/png")},
        {"offer.docx", "application/zip", blobs_test::decoded(blobs_test::encoded::docx)},
        {"film.mp4", "video/mp4", blobs_test::samples().at("video/mp4")},
        {"naïve, \"quoted\".csv", "text/csv", blobs_test::samples().at("text/csv")}};
    SmtpServer const server;
    Service f(server.url());
    json::array files;
    for (auto const& [name, type, bytes] : uploads)
        files.push_back(json::object{{"attachmentId", sends::uploaded_as(f.world, name, type, bytes)}});
    f.schedule(1, "example.com", {{"attachments", files}});
    f.begin();
    REQUIRE(f.all_sent(1));
    auto const mails = server.mails(1);
    auto const& found = mails.at(0).at("attachments").as_array();
    REQUIRE(found.size() == uploads.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(text(found[i], "filename") == uploads[i].name);
        CHECK(text(found[i], "contentType") == uploads[i].type);
        CHECK(text(found[i], "sha256") == core::hex::encode(crypto::view(crypto::sha256(uploads[i].bytes))));
    }
}

TEST_CASE("an email that finds no room in this process is sent later, however late it is", "[email]")
{
    testing::Gate gate;
    ScriptedSmtpServer const server([&](SmtpPeer& peer, int) {
        peer.greet({});
        for (;;) {
            peer.accept_commands();
            peer.message();
            gate.pass_blocking();
            peer.say("250 2.0.0 Ok");
        }
    });
    Service f(server.url());
    testing::OpenAtEnd const open_at_end{gate};
    // Five of these emails exceed the bytes that SmtpClient holds.
    auto const upload = sends::uploaded(f.world, std::string(std::size_t{10} << 20, 'x'));
    constexpr std::size_t total = 6;
    f.schedule(total, "example.com", {{"attachments", json::array{json::object{{"attachmentId", upload}}}}});
    f.world.clock.set(f.due + 2h); // as if the service had been down
    REQUIRE(eventually([&] { return f.put_off() + f.in_status("failed") > 0; }));
    CHECK(f.in_status("failed") == 0);
    gate.open();
    REQUIRE(f.all_sent(total));
    CHECK(f.count("notifications WHERE attempts = 1") == total);
}

TEST_CASE("a domain key that cannot be decrypted fails the emails of its scope only", "[email]")
{
    World world;
    world.new_template("mail");
    world.new_template("mail", {}, "other-sandbox");
    break_key(world, "demo-sandbox");
    core::Time const due = world.clock.now() + 1h;
    json::object const mail{{"templateName", "mail"}, {"channel", "email"}, {"to", "ada@example.com"},
        {"sendAt", core::to_rfc3339(due)}};
    auto const broken = world.send(mail);
    auto const good = world.send(mail, "other-sandbox");
    world.clock.set(due); // one claim takes both emails
    REQUIRE(world.becomes(good, "sent", "other-sandbox"));
    CHECK(world.notification(good, "other-sandbox").at("attempts") == 1);
    for (int attempt = 1; attempt < 9; ++attempt) {
        REQUIRE(eventually([&] { return world.notification(broken).at("attempts") == attempt; }));
        CHECK(text(world.notification(broken), "status") == "queued");
        world.clock.advance(12s * (1 << (attempt - 1)));
    }
    REQUIRE(world.becomes(broken, "failed"));
    CHECK(text(world.notification(broken), "failureReason") == "INTERNAL");
    CHECK(world.mails().size() == 1);
    CHECK_THAT(world.logged(), Catch::Contains("a DKIM key cannot be decrypted"));
}

// --- many emails

TEST_CASE("many emails to a slow mail server arrive once each", "[email]")
{
    SmtpServer const server({{"delay", 20}});
    Service f(server.url());
    constexpr std::size_t total = 300;
    for (std::string const domain : {"a.example", "b.example", "c.example"})
        f.schedule(total / 3, domain);
    f.begin();
    REQUIRE(eventually([&] { return f.in_status("sent") == total; }));
    CHECK(f.count("notifications WHERE attempts = 1") == total);
    auto const mails = server.mails(total);
    CHECK(message_ids(mails).size() == total);
    std::set<std::string> recipients;
    for (auto const& mail : mails)
        recipients.insert(std::string(mail.at("envelope").at("to").at(0).as_string()));
    CHECK(recipients.size() == total);
}
