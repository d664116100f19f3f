#include "broadcasts.hpp"
#include "support/twilio.hpp"

#include <set>
#include <sstream>

using broadcast_test::Fixture;
using testing::TwilioServer;
namespace json = boost::json;

// Workers pass the trace of the original request on to the provider.

namespace {

constexpr char const* trace = "0af7651916cd43dd8448eb211c80319c";
constexpr char const* callers_span = "b7ad6b7169203331";

testing::HttpClient::Headers traced()
{
    return {{"traceparent", std::string("00-") + trace + '-' + callers_span + "-01"}};
}

/// Whether `traceparent` belongs to the request's trace, has a new span, and keeps the sampling flag.
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

/// The service's log messages of the test's trace: `request`, and for jobs `job <queue> <outcome>`.
std::multiset<std::string> logged(World& world)
{
    std::multiset<std::string> messages;
    std::istringstream lines(world.logged());
    // The last line may be incomplete.
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

TEST_CASE("an email contains the trace of its send request", "[traces]")
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

TEST_CASE("a text message has the trace of its send request", "[traces]")
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

TEST_CASE("a push and a test push have the trace of their request", "[traces]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1", "ios");
    f.world.new_device(ada, "ok:2", "android");
    send(f.world, {{"templateName", "news"}, {"channel", "push"}, {"to", ada}});
    for (auto const* carrier : {&f.apns, &f.fcm}) { // `send` returns after the first push
        REQUIRE(eventually([&] { return carrier->seen().size() == 1; }));
        CHECK(continues(text(carrier->seen()[0].at("headers"), "traceparent")));
    }
    REQUIRE(f.world.as_backend().post("/v1/devices/ok:2/test", "", traced()).status == 200);
    REQUIRE(f.fcm.seen().size() == 2);
    CHECK(continues(text(f.fcm.seen()[1].at("headers"), "traceparent")));
}

TEST_CASE("every push of a broadcast has the trace of the request", "[traces]")
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

TEST_CASE("workers log a notification with the trace of its send request", "[traces]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1");
    f.world.new_template("mail");
    f.world.new_template("text", {{"channel", "sms"}});
    send(f.world, {{"templateName", "mail"}, {"channel", "email"}, {"to", "ada@example.com"}});
    send(f.world, {{"templateName", "text"}, {"channel", "sms"}, {"to", "+14155550100"}});
    send(f.world, {{"templateName", "news"}, {"channel", "push"}, {"to", ada}});
    std::multiset<std::string> const expected{"request", "request", "request", "job notify.email done",
        "job notify.sms done", "job notify.push.fcm done"};
    CHECK(eventually([&] { return logged(f.world) == expected; }));
}

TEST_CASE("an unexpected failure in a worker is logged with the trace of the send request", "[traces]")
{
    Fixture f;
    f.world.new_device(ada, "ok:1");
    f.world.postgres.query("UPDATE platforms SET sealed_credential = 'broken' WHERE kind = 'fcm'");
    ask(f.world, {{"templateName", "news"}, {"channel", "push"}, {"to", ada}});
    std::multiset<std::string> const expected{"request",
        "handling a notification failed unexpectedly notify.push.fcm", "job notify.push.fcm retry"};
    CHECK(eventually([&] { return logged(f.world) == expected; }));
}

TEST_CASE("a refused credential is logged with the trace of the send request", "[traces]")
{
    Fixture f;
    f.world.new_device(ada, "PERMISSION_DENIED:1");
    ask(f.world, {{"templateName", "news"}, {"channel", "push"}, {"to", ada}});
    CHECK(eventually(
        [&] { return logged(f.world).contains("a carrier refused a credential; its platform is paused"); }));
}

TEST_CASE("workers log a broadcast with the trace of its request", "[traces]")
{
    Fixture f;
    f.new_devices(3, "ok:a");
    auto const r = f.world.as_backend().post(broadcast_test::path, broadcast_test::asked(), traced());
    REQUIRE(r.status == 202);
    std::multiset<std::string> const expected{
        "request", "job notify.broadcast done", "job notify.broadcast_chunk.fcm done"};
    CHECK(eventually([&] { return logged(f.world) == expected; }));
}
