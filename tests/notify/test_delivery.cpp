#include "receiver.hpp"
#include "smtp_server.hpp"
#include "support/twilio.hpp"
#include "support/webhook_tests.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

using testing::TwilioServer;

namespace {

namespace json = boost::json;

constexpr char const* address = "ada@example.com";

std::string send_mail(World const& world, std::string const& to = address, json::object more = {})
{
    json::object fields{{"templateName", "mail"}, {"channel", "email"}, {"to", to}};
    for (auto& [name, value] : more)
        fields[name] = value;
    return world.send(fields);
}

std::string send_text(World const& world, std::string const& tenant = "demo-sandbox")
{
    return world.send({{"templateName", "text"}, {"channel", "sms"}, {"to", "+14155550100"}}, tenant);
}

void make_templates(World const& world)
{
    world.new_template("mail");
    world.new_template("text", {{"channel", "sms"}});
}

/// The service with smtp-server as mail server.
struct Smtp {
    Smtp()
        : world({.environment = {
                     {"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", server.url()}, {"EMAIL_FROM", "n@x.example"}}})
    {
        make_templates(world);
    }

    testing::SmtpServer server;
    World world;
};

std::map<std::string, std::string> twilio_at(std::string const& url)
{
    return {{"SMS_PROVIDER", "twilio"}, {"TWILIO_BASE_URL", url},
        {"TWILIO_ACCOUNT_SID", TwilioServer::account_sid}, {"TWILIO_AUTH_TOKEN", TwilioServer::auth_token},
        {"TWILIO_FROM", TwilioServer::from}};
}

bool attempted(World const& world, std::string const& id, int times)
{
    return eventually([&] { return world.notification(id).at("attempts") == times; });
}

std::string jobs_of(World const& world, std::string const& id)
{
    return world.postgres.query("SELECT count(*) FROM jobs WHERE ref = '" + id + "'");
}

} // namespace

// --- attempts

TEST_CASE("after a temporary failure an email is sent later with the same Message-ID", "[delivery]")
{
    Smtp f;
    auto const id = send_mail(f.world, "vanish@example.com"); // the connection is lost after the message
    REQUIRE(attempted(f.world, id, 1));
    CHECK(text(f.world.notification(id), "status") == "queued");
    f.world.clock.advance(12s);
    REQUIRE(attempted(f.world, id, 2));
    auto const mails = f.server.mails();
    REQUIRE(mails.size() == 2);
    CHECK(mails[0].at("messageId") == mails[1].at("messageId"));
    CHECK(mails[0].at("raw") == mails[1].at("raw"));
}

TEST_CASE("a permanent refusal fails at once, with the server's reason", "[delivery]")
{
    Smtp f;
    auto const id = send_mail(f.world, "refuse-550-5.1.1@example.com");
    REQUIRE(f.world.becomes(id, "failed"));
    auto const n = f.world.notification(id);
    CHECK(text(n, "failureReason").find("550") != std::string::npos);
    CHECK(n.at("attempts") == 1);
    CHECK(jobs_of(f.world, id) == "0");
}

TEST_CASE("an email fails after eight retries, and POST /retry starts again", "[delivery]")
{
    Smtp f;
    auto const id = send_mail(f.world, "fail-451-4.3.0@example.com");
    for (int attempt = 1; attempt < 9; ++attempt) {
        REQUIRE(attempted(f.world, id, attempt));
        CHECK(text(f.world.notification(id), "status") == "queued");
        f.world.clock.advance(12s * (1 << (attempt - 1)));
    }
    REQUIRE(f.world.becomes(id, "failed"));
    auto const n = f.world.notification(id);
    CHECK(n.at("attempts") == 9);
    CHECK(text(n, "failureReason").find("451") != std::string::npos);
    CHECK(jobs_of(f.world, id) == "0");

    f.world.clock.advance(1h);
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/retry", "{}").status == 202);
    REQUIRE(attempted(f.world, id, 1));
    CHECK(text(f.world.notification(id), "status") == "queued");
    CHECK(jobs_of(f.world, id) == "1");
}

TEST_CASE("a notification that was opened while it waited for a retry is not sent again", "[delivery]")
{
    Smtp f;
    auto const id = send_mail(f.world, "fail-451-4.3.0@example.com");
    REQUIRE(attempted(f.world, id, 1));
    REQUIRE(f.world.as_backend().post("/v1/notifications/" + id + "/opened", "{}").status == 200);
    f.world.clock.advance(1h);
    auto const next = send_mail(f.world);
    REQUIRE(f.world.becomes(next, "sent"));
    CHECK(f.world.notification(id).at("attempts") == 1);
    CHECK(text(f.world.notification(id), "status") == "opened");
    CHECK(jobs_of(f.world, id) == "0");
}

TEST_CASE("a notification is not sent before its sendAt", "[delivery]")
{
    World world;
    make_templates(world);
    auto const later = send_mail(world, address, {{"sendAt", core::to_rfc3339(world.clock.now() + 24h)}});
    REQUIRE(world.becomes(send_mail(world), "sent")); // this email was accepted later
    CHECK(text(world.notification(later), "status") == "queued");
    CHECK(world.mails().size() == 1);
    world.clock.advance(24h);
    REQUIRE(world.becomes(later, "sent"));
    CHECK(world.mails().size() == 2);
}

TEST_CASE("an email with a missing upload fails", "[delivery]")
{
    World world;
    make_templates(world);
    auto backend = world.as_backend();
    auto const presigned = backend.post("/v1/attachments/presign",
        body({{"filename", "a.txt"}, {"contentType", "text/plain"}, {"sizeBytes", 5}}));
    REQUIRE(presigned.status == 201);
    auto const url = text(presigned.json(), "uploadUrl");
    REQUIRE(
        backend.put(url.substr(url.find("/uploads/")), "hello", {{"Content-Type", "text/plain"}}).status ==
        200);
    auto const upload = text(presigned.json(), "attachmentId");
    auto const send_at = [&](std::chrono::seconds after) {
        return send_mail(world, address,
            {{"attachments", json::array{json::object{{"attachmentId", upload}}}},
                {"sendAt", core::to_rfc3339(world.clock.now() + after)}});
    };
    auto const first = send_at(10s);
    auto const second = send_at(30s);
    world.clock.advance(10s);
    REQUIRE(world.becomes(first, "sent"));
    std::filesystem::remove_all(world.directory.path() + "/blobs/" + world.scope_id());
    world.clock.advance(20s);
    REQUIRE(world.becomes(second, "failed"));
    CHECK(text(world.notification(second), "failureReason") == "ATTACHMENT_MISSING");
}

// --- waiting and fairness

TEST_CASE("a suspended tenant's notifications wait", "[delivery]")
{
    World world;
    make_templates(world);
    world.new_template("text", {{"channel", "sms"}}, "other-sandbox");
    auto const at = core::to_rfc3339(world.clock.now() + 10s);
    auto const id = send_mail(world, address, {{"sendAt", at}});
    auto const set = [&](std::string const& status, unsigned answer) {
        auto const r = world.as_master("demo").put(
            "/v1/admin/tenants/demo", body({{"displayName", "A tenant"}, {"status", status}}));
        REQUIRE(r.status == 200);
        REQUIRE(eventually([&] { return world.as_backend().get("/v1/settings").status == answer; }));
    };
    set("suspended", 403);
    world.clock.advance(10s);
    REQUIRE(eventually([&] {
        return world.postgres.query("SELECT run_at > '" + core::to_rfc3339(world.clock.now() + 1min) +
                                    "' FROM jobs WHERE queue = 'notify.email'") == "t";
    }));
    REQUIRE(world.becomes(send_text(world, "other-sandbox"), "sent", "other-sandbox"));
    CHECK(world.mails().empty());
    set("active", 200);
    world.clock.advance(5min);
    REQUIRE(world.becomes(id, "sent"));
    CHECK(world.notification(id).at("attempts") == 1);
}

TEST_CASE("a provider that hangs does not delay other channels", "[delivery]")
{
    TwilioServer twilio;
    World world({.environment = twilio_at(twilio.url())});
    make_templates(world);
    twilio.delay(10min);
    for (int i = 0; i < 20; ++i)
        send_text(world);
    REQUIRE(eventually([&] { return twilio.requests() >= 8; })); // as many as one scope may have in flight
    CHECK(world.becomes(send_mail(world), "sent"));
}

// --- webhooks

TEST_CASE(
    "every status change is published to the scope's webhooks, with the trace of the send", "[delivery]")
{
    World world;
    make_templates(world);
    testing::Receiver receiver([](auto const&) { return testing::reply(204); });
    auto backend = world.as_backend();
    REQUIRE(backend.post("/v1/webhooks", body({{"url", receiver.url("/hook")}})).status == 201);
    std::string const trace = "0af7651916cd43dd8448eb211c80319c";
    auto const accepted = backend.post("/v1/notifications/send",
        body({{"templateName", "mail"}, {"channel", "email"}, {"to", address}}),
        {{"traceparent", "00-" + trace + "-b7ad6b7169203331-01"}});
    REQUIRE(accepted.status == 202);
    auto const id = text(accepted.json(), "notificationId");
    REQUIRE(eventually([&] { return receiver.received().size() == 1; }));
    REQUIRE(backend.post("/v1/notifications/" + id + "/opened", "{}").status == 200);
    REQUIRE(eventually([&] { return receiver.received().size() == 3; }));

    std::multiset<std::string> types;
    for (auto const& request : receiver.received()) {
        auto const told = json::parse(request.body);
        types.insert(text(told, "type"));
        CHECK(text(told.at("data"), "notificationId") == id);
        CHECK(text(told.at("data"), "to") == address);
        CHECK(request.headers.at("traceparent").find(trace) != std::string::npos);
    }
    CHECK(types ==
          std::multiset<std::string>{"notification.delivered", "notification.opened", "notification.sent"});
    auto const first = json::parse(receiver.received().front().body);
    CHECK(text(first, "type") == "notification.sent");
    CHECK(text(first.at("data"), "status") == "sent");
}

TEST_CASE("a failure is published with its reason", "[delivery]")
{
    TwilioServer twilio;
    World world({.environment = twilio_at(twilio.url())});
    make_templates(world);
    testing::Receiver receiver([](auto const&) { return testing::reply(204); });
    REQUIRE(world.as_backend()
                .post("/v1/webhooks",
                    body({{"url", receiver.url("/hook")}, {"events", json::array{"notification.failed"}}}))
                .status == 201);
    twilio.refuse_with(400, 21614);
    auto const id = send_text(world);
    REQUIRE(eventually([&] { return receiver.received().size() == 1; }));
    auto const told = json::parse(receiver.received().front().body);
    CHECK(text(told, "type") == "notification.failed");
    CHECK(text(told.at("data"), "notificationId") == id);
    CHECK(text(told.at("data"), "failureReason") == "21614");
}

TEST_CASE("backends can test a webhook of their environment", "[delivery]")
{
    World const world;
    testing::check_webhook_tests({.manager = world.as_backend(),
        .user = world.as_user(testing::ada),
        .elsewhere = world.as_backend("other-sandbox")});
}

// --- outages

TEST_CASE("a provider's response that arrives while PostgreSQL is down is stored when PostgreSQL is back",
    "[delivery][faults]")
{
    TwilioServer twilio;
    World world({.environment = twilio_at(twilio.url())});
    make_templates(world);
    twilio.delay(500ms);
    auto const id = send_text(world);
    REQUIRE(eventually([&] { return twilio.requests() == 1; }));
    world.postgres.stop();
    REQUIRE(eventually([&] { return twilio.accepted().size() == 1; }));
    world.postgres.start();
    REQUIRE(eventually([&] {
        auto const r = world.as_backend().get("/v1/notifications/" + id);
        return r.status == 200 && text(r.json(), "status") == "sent";
    }));
    CHECK(world.notification(id).at("attempts") == 1);
    CHECK(twilio.requests() == 1);
}

TEST_CASE("accepted notifications are sent without Redis", "[delivery][faults]")
{
    World world;
    make_templates(world);
    auto const id = send_mail(world, address, {{"sendAt", core::to_rfc3339(world.clock.now() + 10s)}});
    world.redis.stop();
    world.clock.advance(10s);
    CHECK(world.becomes(id, "sent"));
}
