#include "program.hpp"
#include "push_server.hpp"
#include "smtp_server.hpp"
#include "support/twilio.hpp"
#include "users.hpp"

#include <catch2/catch.hpp>
#include <pqxx/connection>
#include <pqxx/transaction>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

// The program is killed, stopped, or runs as two replicas, on the data of a World whose own service has
// stopped.

using testing::TwilioServer;

namespace {

namespace json = boost::json;

/// A World's data, templates and key, without its service, so that only the programs take jobs.
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

    /// Makes all jobs due now, and releases the leases of a dead process. Precondition: no running process
    /// holds a lease.
    void make_due() const
    {
        world.postgres.query(
            "UPDATE jobs SET run_at = jobs_now(), lease_owner = NULL WHERE queue LIKE 'notify.%'");
    }

    /// The number of notifications with this status.
    std::size_t count(std::string const& status) const
    {
        return std::stoul(
            world.postgres.query("SELECT count(*) FROM notifications WHERE status = '" + status + "'"));
    }

    /// Whether all messages are sent or failed.
    bool done(std::size_t messages) const { return count("sent") + count("failed") == messages; }

    /// The number of jobs that a program has claimed.
    std::size_t leased() const
    {
        return std::stoul(world.postgres.query("SELECT count(*) FROM jobs WHERE lease_owner IS NOT NULL"));
    }

    World world;
    std::string key;
};

/// The program, running on a Data.
class Program : public NotifyProgram {
public:
    Program(Data const& data, testing::Variables environment = {})
        : NotifyProgram(data.world, data.key, std::move(environment))
    {
    }

    std::string send(json::object const& fields) const
    {
        // A client repeats a request after 503. On a busy machine, Redis may answer too late.
        testing::HttpResponse r;
        eventually([&] { return (r = client().post("/v1/notifications/send", body(fields))).status != 503; });
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

testing::Variables twilio_at(TwilioServer const& server)
{
    return {{"SMS_PROVIDER", "twilio"}, {"TWILIO_BASE_URL", server.url()},
        {"TWILIO_ACCOUNT_SID", TwilioServer::account_sid}, {"TWILIO_AUTH_TOKEN", TwilioServer::auth_token},
        {"TWILIO_FROM", TwilioServer::from}, {"SMS_SENDER_VERIFIED", "true"}};
}

testing::Variables smtp_at(testing::SmtpServer const& server)
{
    return {{"EMAIL_PROVIDER", "smtp"}, {"SMTP_URL", server.url()}, {"EMAIL_FROM", "n@x.example"}};
}

testing::Variables apns_at(PushServer const& server)
{
    return {{"APNS_BASE_URL", server.url()}};
}

/// The values of a header in all received pushes, in order.
std::vector<std::string> headers_of(PushServer const& server, std::string_view name)
{
    std::vector<std::string> values;
    for (auto const& push : server.seen())
        values.push_back(text(push.at("headers"), name));
    return values;
}

/// Checks that a repeated push had the same id both times.
void check_same_name(PushServer const& server)
{
    auto const ids = headers_of(server, "apns-id");
    REQUIRE(ids.size() == 2);
    CHECK(ids[0] == ids[1]);
}

/// Locks a notification, so that its outcome cannot be written.
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

/// A time in the future, so that nothing is sent before `make_due`.
json::object later()
{
    return {{"sendAt", core::to_rfc3339(core::SystemClock().now() + 1h)}};
}

/// Lets a program send a notification, and kills the program when `answered` is true: between the provider's
/// response and the commit. `send` returns the id of the notification. Another program will send it again.
template <class Send, class Answered>
std::string kill_before_commit(
    Data const& data, testing::Variables const& environment, Send send, Answered answered)
{
    Program program(data, environment);
    std::string const id = send(program);
    Held const held(data, id);
    data.make_due();
    REQUIRE(eventually(answered));
    program.kill();
    return id;
}

/// A slow Twilio, and the programs that send through it.
class Texting {
public:
    explicit Texting(std::chrono::milliseconds delay = 0ms) { twilio.delay(delay); }

    Program program() const { return Program(data, twilio_at(twilio)); }

    /// Creates messages that are not due yet.
    static void prepare(Program const& program, int messages)
    {
        for (int i = 0; i < messages; ++i)
            program.send_text("message " + std::to_string(i), later());
    }

    /// The number of times that each message was accepted.
    std::map<std::string, int> tally() const
    {
        std::map<std::string, int> times;
        for (auto const& form : twilio.accepted())
            ++times[form.at("Body")];
        return times;
    }

    /// Waits until `messages` different messages are sent.
    void require_sent(std::size_t messages, std::chrono::milliseconds limit = 1min) const
    {
        REQUIRE(eventually([&] { return data.count("sent") == messages; }, limit));
        CHECK(tally().size() == messages);
    }

    TwilioServer twilio;
    Data data;
};

} // namespace

TEST_CASE("after kill -9 during an attempt, a text message is not sent again", "[crash]")
{
    bool const answered = GENERATE(false, true);
    INFO((answered ? "between the response and the commit" : "before the response"));
    Texting texting;
    std::string id;
    {
        auto first = texting.program();
        REQUIRE(first.becomes(first.send_text("before"), "sent"));
        texting.twilio.delay(10min);
        id = first.send_text("held");
        REQUIRE(eventually([&] { return texting.twilio.requests() == 2; }));
        Held const held(texting.data, id); // the outcome cannot be stored
        if (answered) {
            texting.twilio.delay(0ms);
            REQUIRE(eventually([&] { return texting.twilio.accepted().size() == 2; }));
        }
        first.kill();
    }
    texting.twilio.delay(0ms);
    CHECK(texting.data.count("queued") == 1);
    texting.data.make_due();
    auto const second = texting.program();
    REQUIRE(second.becomes(id, "failed"));
    auto const failed = second.notification(id);
    CHECK(text(failed, "failureReason") == "NO_ANSWER");
    CHECK(failed.at("attempts") == 1);
    REQUIRE(second.becomes(second.send_text("after"), "sent"));
    CHECK(texting.twilio.requests() == 3);

    // Only a retry request sends the message once more.
    testing::require(202, second.client().post("/v1/notifications/" + id + "/retry", "{}"));
    REQUIRE(second.becomes(id, "sent"));
    CHECK(texting.twilio.requests() == 4);
}

TEST_CASE("after kill -9 before an attempt, a text message is sent", "[crash]")
{
    Texting texting;
    std::string id;
    {
        auto first = texting.program();
        id = first.send_text("held", later());
        Held const held(texting.data, id); // the beginning of the attempt cannot be stored
        texting.data.make_due();
        REQUIRE(eventually([&] { return texting.data.leased() == 1; }));
        first.kill();
        // PostgreSQL may still run a statement of the killed process when the lock is free.
        texting.data.world.postgres.query("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                                          "WHERE wait_event_type = 'Lock'");
    }
    CHECK(texting.twilio.requests() == 0);
    texting.data.make_due();
    auto const second = texting.program();
    REQUIRE(second.becomes(id, "sent"));
    CHECK(texting.twilio.requests() == 1);
}

TEST_CASE("an email that is repeated after kill -9 has the same Message-ID", "[crash]")
{
    testing::SmtpServer const smtp;
    Data data;
    auto const id = kill_before_commit(
        data, smtp_at(smtp), [](Program const& first) { return first.send_mail("ada@example.com", later()); },
        [&] { return smtp.mails().size() == 1; });
    data.make_due();
    Program second(data, smtp_at(smtp));
    REQUIRE(second.becomes(id, "sent"));
    auto const mails = smtp.mails();
    REQUIRE(mails.size() == 2);
    CHECK(mails[0].at("messageId") == mails[1].at("messageId"));
    CHECK(mails[0].at("raw") == mails[1].at("raw"));
    CHECK(text(mails[0], "messageId").find(id) != std::string::npos);
}

TEST_CASE("a push that is repeated after kill -9 has the same apns-id and collapse id", "[crash]")
{
    PushServer apns("apns.mjs");
    Data data;
    auto const id = kill_before_commit(
        data, apns_at(apns), [](Program const& first) { return first.send_push(ada, later()); },
        [&] { return apns.seen("ok:1") == 1; });
    data.make_due();
    Program second(data, apns_at(apns));
    REQUIRE(second.becomes(id, "sent"));
    check_same_name(apns);
    CHECK(headers_of(apns, "apns-collapse-id") == std::vector<std::string>{id, id});
}

TEST_CASE("SIGTERM does not wait for a carrier that hangs, and the push is sent later", "[crash]")
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
    check_same_name(apns);
}

TEST_CASE("kill -9 during requests to the provider loses no message, and repeats none", "[crash]")
{
    constexpr int messages = 60;
    constexpr int kills = 3;
    Texting texting(20ms);
    {
        auto program = texting.program();
        Texting::prepare(program, messages);
        program.kill();
    }
    for (int round = 1; round <= kills; ++round) {
        texting.data.make_due();
        auto program = texting.program();
        auto const enough = static_cast<unsigned>(round * messages / (kills + 1));
        REQUIRE(
            eventually([&] { return texting.twilio.requests() >= enough || texting.data.done(messages); }));
        program.kill();
    }
    texting.data.make_due();
    auto const last = texting.program();
    REQUIRE(eventually([&] { return texting.data.done(messages); }, 1min));
    CHECK(texting.twilio.requests() <= messages);
    for (auto const& [message, times] : texting.tally()) {
        INFO(message);
        CHECK(times == 1);
    }
    // A message in flight at a kill fails, whether or not Twilio has accepted it.
    CHECK(texting.data.count("sent") <= texting.tally().size());
    CHECK(texting.data.count("failed") ==
          std::stoul(texting.data.world.postgres.query(
              "SELECT count(*) FROM notifications WHERE failure_reason = 'NO_ANSWER'")));
}

TEST_CASE(
    "at SIGTERM messages in flight are finished, other messages are left to other replicas, and no message "
    "is repeated",
    "[crash]")
{
    constexpr int messages = 80;
    Texting texting(30ms);
    auto& twilio = texting.twilio;
    auto& data = texting.data;
    {
        auto program = texting.program();
        Texting::prepare(program, messages);
        data.make_due();
        REQUIRE(eventually([&] { return twilio.accepted().size() >= messages / 4; }));
        CHECK(program.terminate() == 0);
    }
    CHECK(data.leased() == 0);
    CHECK(data.count("sent") == twilio.accepted().size());
    CHECK(data.count("queued") == messages - twilio.accepted().size());
    auto const next = texting.program();
    texting.require_sent(messages);
    CHECK(twilio.requests() == messages);
}

TEST_CASE("an erasure that kill -9 interrupts is completed by the next request", "[crash]")
{
    constexpr int step = 500;
    Data data;
    users::add_notifications(data.world, ada, 2 * step + 100);
    auto const oldest =
        data.world.postgres.query("SELECT notification_id FROM notifications ORDER BY created_at LIMIT 1");
    {
        Program first(data);
        Held const held(data, oldest);
        std::jthread const request([&] {
            try {
                first.client().del(users::path_of(ada));
            } catch (std::runtime_error const&) { // there is no response
            }
        });
        CHECK(eventually([&] {
            return users::count(data.world, "pg_stat_activity WHERE datname = current_database() AND "
                                            "wait_event_type = 'Lock'") != "0";
        }));
        first.kill();
    }
    CHECK(users::count(data.world, "notifications") == "100");
    Program const second(data);
    CHECK(second.client().del(users::path_of(ada)).status == 200);
    for (std::string const table : {"notifications", "notification_events", "push_deliveries"})
        CHECK(users::count(data.world, table) == "0");
    CHECK(users::count(data.world, "devices") == "1"); // bob's
}

TEST_CASE("two replicas send each message once", "[crash]")
{
    constexpr int messages = 120;
    Texting texting(5ms);
    auto const one = texting.program();
    auto const two = texting.program();
    for (int i = 0; i < messages; ++i)
        (i % 2 == 0 ? one : two).send_text("message " + std::to_string(i));
    texting.require_sent(messages);
    CHECK(texting.twilio.requests() == messages);
}

TEST_CASE("a crash of PostgreSQL loses no accepted message", "[crash]")
{
    constexpr int messages = 40;
    Texting texting(20ms);
    auto const program = texting.program();
    Texting::prepare(program, messages);
    texting.data.make_due();
    REQUIRE(eventually([&] { return texting.twilio.accepted().size() >= messages / 4; }));
    texting.data.world.postgres.kill9();
    texting.data.world.postgres.start();
    texting.require_sent(messages, 3min);
}
