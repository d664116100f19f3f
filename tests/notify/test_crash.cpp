#include "program.hpp"
#include "push_server.hpp"
#include "testing/twilio.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <algorithm>
#include <map>
#include <set>

// The program itself is killed, stopped and run twice, over the data of a World whose own service has ended.

using testing::TwilioServer;

namespace {

namespace json = boost::json;

using Environment = NotifyProgram::Environment;

/// A World's data, templates and key, without its service, so that the programs have every job to themselves.
class Data {
public:
    Data()
    {
        world.new_template("mail");
        world.new_template("text", {{"channel", "sms"}, {"body", "{{text}}"}});
        world.new_template("ping", {{"channel", "push"}});
        world.put_apns();
        world.new_device(ada, "ok:1", "ios");
        world.new_device(bob, "hang:1", "ios");
        key = world.key();
        world.host->stop();
    }

    /// Has jobs taken now: those that wait for their time, and those whose lease a dead process had. Nobody
    /// who lives may hold one.
    void make_due() const
    {
        world.postgres.query("UPDATE jobs SET run_at = now() WHERE queue LIKE 'notify.%'");
    }

    /// How many notifications have that status.
    std::size_t count(std::string const& status) const
    {
        return std::stoul(
            world.postgres.query("SELECT count(*) FROM notifications WHERE status = '" + status + "'"));
    }

    World world;
    std::string key;
};

/// The program over that data.
class Program : public NotifyProgram {
public:
    Program(Data const& data, Environment environment = {})
        : NotifyProgram(data.world, data.key, std::move(environment))
    {
    }

    std::string send(json::object const& fields) const
    {
        auto const r = client().post("/v1/notifications/send", body(fields));
        INFO(r.body);
        REQUIRE(r.status == 202);
        return text(r.json(), "notificationId");
    }

    std::string send_mail(std::string const& to, json::object fields = {}) const
    {
        fields.insert({{"templateName", "mail"}, {"channel", "email"}, {"to", to}});
        return send(fields);
    }

    std::string send_text(std::string const& said, json::object fields = {}) const
    {
        fields.insert({{"templateName", "text"}, {"channel", "sms"}, {"to", "+14155550100"},
            {"variables", json::object{{"text", said}}}});
        return send(fields);
    }

    std::string send_push(std::string const& user, json::object fields = {}) const
    {
        fields.insert({{"templateName", "ping"}, {"channel", "push"}, {"to", user}});
        return send(fields);
    }

    json::value notification(std::string const& id) const
    {
        return client().get("/v1/notifications/" + id).json();
    }

    bool becomes(std::string const& id, std::string const& status) const
    {
        return eventually([&] { return text(notification(id), "status") == status; });
    }
};

Environment twilio_at(TwilioServer const& server)
{
    return {{"SMS_PROVIDER", "twilio"}, {"TWILIO_BASE_URL", server.url()},
        {"TWILIO_ACCOUNT_SID", TwilioServer::account_sid}, {"TWILIO_AUTH_TOKEN", TwilioServer::auth_token},
        {"TWILIO_FROM", TwilioServer::from}, {"SMS_SENDER_VERIFIED", "true"}};
}

Environment smtp_at(Peer const& server)
{
    return {{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", "smtp://localhost:" + std::to_string(server.port())},
        {"EMAIL_FROM", "n@x.example"}};
}

Environment apns_at(PushServer const& server)
{
    return {{"APNS_BASE_URL", server.url()}};
}

/// A header of all pushes that came, in order.
std::vector<std::string> headers_of(PushServer const& server, std::string_view name)
{
    std::vector<std::string> values;
    for (auto const& push : server.seen())
        values.push_back(text(push.at("headers"), name));
    return values;
}

/// Holds a notification fast, so that nobody can write down what becomes of it.
class Held {
public:
    Held(Data const& data, std::string const& id)
        : connection_(data.world.postgres.superuser_url()), transaction_(connection_)
    {
        transaction_.exec("SELECT FROM notifications WHERE notification_id = '" + id + "' FOR UPDATE");
    }

private:
    pqxx::connection connection_;
    pqxx::work transaction_;
};

/// In the future, so that nobody sends it before `make_due`.
json::object later()
{
    return {{"sendAt", core::to_rfc3339(core::SystemClock().now() + 1h)}};
}

/// How often each message was taken.
std::map<std::string, int> tally(TwilioServer const& server)
{
    std::map<std::string, int> times;
    for (auto const& form : server.accepted())
        ++times[form.at("Body")];
    return times;
}

constexpr int sms_workers = 16; ///< that a process has: what may be in flight

} // namespace

TEST_CASE(
    "kill -9 between the provider's answer and our commit repeats that message, and no other", "[crash]")
{
    TwilioServer twilio;
    Data data;
    std::string id;
    {
        Program first(data, twilio_at(twilio));
        REQUIRE(first.becomes(first.send_text("before"), "sent"));
        id = first.send_text("held", later());
        Held const held(data, id);
        data.make_due();
        REQUIRE(eventually([&] { return twilio.accepted().size() == 2; }));
        first.kill();
    }
    CHECK(data.count("queued") == 1); // the answer was not written down
    data.make_due();
    Program second(data, twilio_at(twilio));
    REQUIRE(second.becomes(id, "sent"));
    REQUIRE(second.becomes(second.send_text("after"), "sent"));
    CHECK(tally(twilio) == std::map<std::string, int>{{"after", 1}, {"before", 1}, {"held", 2}});
    CHECK(second.notification(id).at("attempts") == 1);
}

TEST_CASE("a mail that is repeated after kill -9 has the same Message-ID", "[crash]")
{
    Peer smtp("smtp.mjs");
    Data data;
    std::string id;
    {
        Program first(data, smtp_at(smtp));
        id = first.send_mail("ada@example.com", later());
        Held const held(data, id);
        data.make_due();
        REQUIRE(eventually([&] { return smtp.said("messageId").size() == 1; }));
        first.kill();
    }
    data.make_due();
    Program second(data, smtp_at(smtp));
    REQUIRE(second.becomes(id, "sent"));
    auto const mails = smtp.said("messageId");
    REQUIRE(mails.size() == 2);
    CHECK(mails[0].at("messageId") == mails[1].at("messageId"));
    CHECK(mails[0].at("raw") == mails[1].at("raw"));
    CHECK(text(mails[0], "messageId").find(id) != std::string::npos);
}

TEST_CASE("a push that is repeated after kill -9 has the same apns-id and collapse id", "[crash]")
{
    PushServer apns("apns.mjs");
    Data data;
    std::string id;
    {
        Program first(data, apns_at(apns));
        id = first.send_push(ada, later());
        Held const held(data, id);
        data.make_due();
        REQUIRE(eventually([&] { return apns.seen("ok:1") == 1; }));
        first.kill();
    }
    data.make_due();
    Program second(data, apns_at(apns));
    REQUIRE(second.becomes(id, "sent"));
    auto const ids = headers_of(apns, "apns-id");
    REQUIRE(ids.size() == 2);
    CHECK(ids[0] == ids[1]);
    CHECK(headers_of(apns, "apns-collapse-id") == std::vector<std::string>{id, id});
}

TEST_CASE("SIGTERM does not wait for a carrier that hangs; the push goes out later", "[crash]")
{
    PushServer apns("apns.mjs");
    Data data;
    std::string id;
    {
        Program first(data, apns_at(apns));
        id = first.send_push(bob);
        REQUIRE(eventually([&] { return apns.seen("hang:1") == 1; }));
        CHECK(first.terminate() == 0);
    }
    CHECK(data.count("queued") == 1);
    apns.script({{"tokens", json::object{{"hang:1", "ok"}}}});
    data.make_due();
    Program second(data, apns_at(apns));
    REQUIRE(second.becomes(id, "sent"));
    auto const ids = headers_of(apns, "apns-id");
    REQUIRE(ids.size() == 2);
    CHECK(ids[0] == ids[1]);
}

TEST_CASE(
    "kill -9 while the provider is asked loses nothing, and repeats what was in flight at most", "[crash]")
{
    constexpr int messages = 60;
    constexpr int kills = 3;
    TwilioServer twilio;
    twilio.delay(20ms);
    Data data;
    {
        Program program(data, twilio_at(twilio));
        for (int i = 0; i < messages; ++i)
            program.send_text("message " + std::to_string(i), later());
        program.kill();
    }
    for (int round = 1; round <= kills; ++round) {
        data.make_due();
        Program program(data, twilio_at(twilio));
        auto const enough = static_cast<unsigned>(round * messages / (kills + 1));
        REQUIRE(eventually([&] { return twilio.requests() >= enough; }));
        program.kill();
    }
    data.make_due();
    Program last(data, twilio_at(twilio));
    REQUIRE(eventually([&] { return data.count("sent") == messages; }));
    auto const times = tally(twilio);
    CHECK(times.size() == messages);
    CHECK(twilio.requests() <= messages + kills * sms_workers);
}

TEST_CASE("SIGTERM finishes what is in flight, leaves the rest to others and repeats nothing", "[crash]")
{
    constexpr int messages = 80;
    TwilioServer twilio;
    twilio.delay(30ms);
    Data data;
    {
        Program program(data, twilio_at(twilio));
        for (int i = 0; i < messages; ++i)
            program.send_text("message " + std::to_string(i), later());
        data.make_due();
        REQUIRE(eventually([&] { return twilio.accepted().size() >= messages / 4; }));
        CHECK(program.terminate() == 0);
    }
    CHECK(data.world.postgres.query("SELECT count(*) FROM jobs WHERE lease_owner IS NOT NULL") == "0");
    CHECK(data.count("sent") == twilio.accepted().size());
    CHECK(data.count("queued") == messages - twilio.accepted().size());
    Program next(data, twilio_at(twilio));
    REQUIRE(eventually([&] { return data.count("sent") == messages; }));
    CHECK(tally(twilio).size() == messages);
    CHECK(twilio.requests() == messages);
}

TEST_CASE("two replicas send each message once", "[crash]")
{
    constexpr int messages = 120;
    TwilioServer twilio;
    twilio.delay(5ms);
    Data data;
    Program one(data, twilio_at(twilio));
    Program two(data, twilio_at(twilio));
    for (int i = 0; i < messages; ++i)
        (i % 2 == 0 ? one : two).send_text("message " + std::to_string(i));
    REQUIRE(eventually([&] { return data.count("sent") == messages; }));
    CHECK(tally(twilio).size() == messages);
    CHECK(twilio.requests() == messages);
}

TEST_CASE("PostgreSQL that crashes under the program loses nothing that was accepted", "[crash]")
{
    constexpr int messages = 40;
    TwilioServer twilio;
    twilio.delay(20ms);
    Data data;
    Program program(data, twilio_at(twilio));
    for (int i = 0; i < messages; ++i)
        program.send_text("message " + std::to_string(i), later());
    data.make_due();
    REQUIRE(eventually([&] { return twilio.accepted().size() >= messages / 4; }));
    data.world.postgres.kill9();
    data.world.postgres.start();
    REQUIRE(eventually([&] { return data.count("sent") == messages; }, 3min));
    CHECK(tally(twilio).size() == messages);
}
