#include "broadcasts.hpp"
#include "testing/twilio.hpp"

#include <set>
#include <sstream>

using broadcast_test::Fixture;
using testing::TwilioServer;
namespace json = boost::json;

// The trace of the request that asked for it goes with what is handed to a provider later, by a worker.

namespace {

constexpr char const* trace = "0af7651916cd43dd8448eb211c80319c";
constexpr char const* callers_span = "b7ad6b7169203331";

testing::HttpClient::Headers traced()
{
    return {{"traceparent", std::string("00-") + trace + '-' + callers_span + "-01"}};
}

/// Whether it is of that trace, in a span of ours, and sampled as the caller wished.
bool continues(std::string const& traceparent)
{
    return traceparent.starts_with(std::string("00-") + trace + '-') && traceparent.ends_with("-01") &&
           traceparent.find(callers_span) == std::string::npos;
}

std::string ask(World const& world, json::object const& fields)
{
    auto const r = world.as_backend().post("/v1/notifications/send", body(fields), traced());
    INFO(r.body);
    REQUIRE(r.status == 202);
    return text(r.json(), "notificationId");
}

void send(World const& world, json::object const& fields)
{
    REQUIRE(world.becomes(ask(world, fields), "sent"));
}

/// What the service has logged of that trace: `request`, and of jobs `job <queue> <outcome>`.
std::multiset<std::string> logged(World& world)
{
    std::multiset<std::string> messages;
    std::istringstream lines(world.logged());
    // The last one may be half written.
    for (std::string line; std::getline(lines, line) && !lines.eof();) {
        auto const fields = json::parse(line).as_object();
        if (!fields.contains("traceId") || fields.at("traceId") != trace) continue;
        auto message = text(fields, "message");
        for (auto const* more : {"queue", "outcome"})
            if (fields.contains(more)) message += ' ' + text(fields, more);
        messages.insert(std::move(message));
    }
    return messages;
}

} // namespace

TEST_CASE("an email bears the trace of its send", "[traces]")
{
    World const world;
    world.new_template("mail");
    send(world, {{"templateName", "mail"}, {"channel", "email"}, {"to", "ada@example.com"}});
    auto const mails = world.mails();
    REQUIRE(mails.size() == 1);
    std::string const field = "\r\nTraceparent: ";
    auto const at = mails[0].find(field);
    REQUIRE(at != std::string::npos);
    auto const begin = at + field.size();
    CHECK(continues(mails[0].substr(begin, mails[0].find("\r\n", begin) - begin)));
}

TEST_CASE("a text message is handed over in the trace of its send", "[traces]")
{
    TwilioServer const twilio;
    World const world(
        {.environment = {{"SMS_PROVIDER", "twilio"}, {"TWILIO_BASE_URL", twilio.url()},
             {"TWILIO_ACCOUNT_SID", TwilioServer::account_sid},
             {"TWILIO_AUTH_TOKEN", TwilioServer::auth_token}, {"TWILIO_FROM", TwilioServer::from}}});
    world.new_template("text", {{"channel", "sms"}});
    send(world, {{"templateName", "text"}, {"channel", "sms"}, {"to", "+14155550100"}});
    auto const traces = twilio.traces();
    REQUIRE(traces.size() == 1);
    CHECK(continues(traces[0]));
}

TEST_CASE("a push is handed over in the trace of its send, a test of a device in its own", "[traces]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1", "ios");
    f.world.new_device(ada, "ok:2", "android");
    send(f.world, {{"templateName", "news"}, {"channel", "push"}, {"to", ada}});
    for (auto const* carrier : {&f.apns, &f.fcm}) {
        REQUIRE(carrier->seen().size() == 1);
        CHECK(continues(text(carrier->seen()[0].at("headers"), "traceparent")));
    }
    REQUIRE(f.world.as_backend().post("/v1/devices/ok:2/test", "", traced()).status == 200);
    REQUIRE(f.fcm.seen().size() == 2);
    CHECK(continues(text(f.fcm.seen()[1].at("headers"), "traceparent")));
}

TEST_CASE("a broadcast reaches every device in the trace of its request", "[traces]")
{
    Fixture f;
    f.new_devices(3, "ok:a");
    f.new_devices(2, "ok:i", "ios");
    auto const r = f.world.as_backend().post(broadcast_test::path, broadcast_test::asked(), traced());
    INFO(r.body);
    REQUIRE(r.status == 202);
    REQUIRE(f.completes(text(r.json(), "broadcastId")));
    CHECK(f.fcm.seen().size() == 3);
    CHECK(f.apns.seen().size() == 2);
    for (auto const* carrier : {&f.apns, &f.fcm})
        for (auto const& push : carrier->seen())
            CHECK(continues(text(push.at("headers"), "traceparent")));
}

TEST_CASE("what workers log of a notification is of the trace of its send", "[traces]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1");
    f.world.new_template("mail");
    f.world.new_template("text", {{"channel", "sms"}});
    send(f.world, {{"templateName", "mail"}, {"channel", "email"}, {"to", "ada@example.com"}});
    send(f.world, {{"templateName", "text"}, {"channel", "sms"}, {"to", "+14155550100"}});
    send(f.world, {{"templateName", "news"}, {"channel", "push"}, {"to", ada}});
    std::multiset<std::string> const expected{"request", "request", "request", "job notify.email done",
        "job notify.sms done", "job notify.push done"};
    CHECK(eventually([&] { return logged(f.world) == expected; }));
}

TEST_CASE("what breaks in a worker is logged with the trace of its send", "[traces]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1");
    f.world.postgres.query("UPDATE platforms SET sealed_credential = 'broken' WHERE kind = 'fcm'");
    ask(f.world, {{"templateName", "news"}, {"channel", "push"}, {"to", ada}});
    std::multiset<std::string> const expected{
        "request", "a notification could not be handled notify.push", "job notify.push retry"};
    CHECK(eventually([&] { return logged(f.world) == expected; }));
}

TEST_CASE("a credential that is refused is logged with the trace of the send that met it", "[traces]")
{
    Fixture f;
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    ask(f.world, {{"templateName", "news"}, {"channel", "push"}, {"to", ada}});
    CHECK(eventually([&] {
        return logged(f.world).contains("a carrier refuses a credential, whose platform is paused");
    }));
}

TEST_CASE("what workers log of a broadcast is of the trace of its request", "[traces]")
{
    Fixture f;
    f.new_devices(3, "ok:a");
    auto const r = f.world.as_backend().post(broadcast_test::path, broadcast_test::asked(), traced());
    REQUIRE(r.status == 202);
    std::multiset<std::string> const expected{
        "request", "job notify.broadcast done", "job notify.broadcast_chunk done"};
    CHECK(eventually([&] { return logged(f.world) == expected; }));
}
