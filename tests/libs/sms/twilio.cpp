#include "sms/twilio.hpp"

#include "receiver.hpp"
#include "silent_hosts.hpp"
#include "support/contexts.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"
#include "support/run_awaitable.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

using namespace std::chrono_literals;
using sms::Outcome;
namespace twilio = sms::twilio;

namespace {

sms::Message message()
{
    return {core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo"),
        *sms::PhoneNumber::parse("+14155550100"), "Caf\u00e9 & co: 1+1=2"};
}

twilio::Account account(std::string base_url, std::string from = "+18005550100")
{
    return {.base_url = std::move(base_url),
        .sid = "AC123",
        .auth_token = core::Secret("secret"),
        .from = std::move(from)};
}

http_client::ClientOptions nearby()
{
    return {.addresses = http_client::AddressPolicy(true)};
}

struct Fixture {
    explicit Fixture(testing::Receiver::Answer answer, std::string from = "+18005550100")
        : receiver(std::move(answer)), sender(account(receiver.url(""), std::move(from)), nearby())
    {
    }

    sms::SendResult send(sms::Message message, std::chrono::milliseconds timeout = 5s)
    {
        return testing::run_awaitable(sender.send(std::move(message), timeout));
    }

    testing::Receiver receiver;
    twilio::Sender sender;
};

} // namespace

TEST_CASE("a message is created in the form that Twilio's Messages resource documents")
{
    Fixture to([](auto const&) { return testing::reply(201, R"({"sid":"SM1","status":"queued"})"); });
    auto const sent = to.send(message());
    CHECK(sent.outcome == Outcome::accepted);
    CHECK(sent.provider_id == "SM1");
    auto const received = to.receiver.received();
    REQUIRE(received.size() == 1);
    CHECK(received[0].method == "POST");
    CHECK(received[0].target == "/2010-04-01/Accounts/AC123/Messages.json");
    CHECK(received[0].headers.at("authorization") == "Basic QUMxMjM6c2VjcmV0");
    CHECK(received[0].headers.at("content-type") == "application/x-www-form-urlencoded");
    CHECK(
        received[0].body == "To=%2B14155550100&From=%2B18005550100&Body=Caf%C3%A9%20%26%20co%3A%201%2B1%3D2");
}

TEST_CASE("the request for a message contains the URL for its status callback")
{
    Fixture to([](auto const&) { return testing::reply(201, R"({"sid":"SM1"})"); });
    auto told = message();
    told.status_callback = "https://notify.example.com/hook?scope=7&id=a";
    CHECK(to.send(told).outcome == Outcome::accepted);
    auto const form = http::parse_form(to.receiver.received().at(0).body);
    REQUIRE(form);
    CHECK(http::find(*form, "StatusCallback") == told.status_callback);
    CHECK(http::find(*form, "Body") == told.body);
}

TEST_CASE("the request to Twilio contains the trace of the request that caused it")
{
    Fixture to([](auto const&) { return testing::reply(201, R"({"sid":"SM1"})"); });
    auto traced = message();
    traced.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    CHECK(to.send(traced).outcome == Outcome::accepted);
    CHECK(to.send(message()).outcome == Outcome::accepted);
    CHECK(to.receiver.received().at(0).headers.at("traceparent") == traced.traceparent);
    CHECK_FALSE(to.receiver.received().at(1).headers.contains("traceparent"));
}

TEST_CASE("a refusal returns the status and the Retry-After")
{
    Fixture to([](auto const&) {
        return testing::reply(429, R"({"code":20429,"status":429})", "Retry-After: 30\r\n");
    });
    auto const sent = to.send(message());
    CHECK(sent.outcome == Outcome::refused);
    CHECK(sent.status == 429);
    CHECK(sent.code == 20429);
    CHECK(sent.retry_after == 30s);
}

TEST_CASE("a messaging service replaces the sender's number")
{
    Fixture to([](auto const&) { return testing::reply(201, R"({"sid":"SM1"})"); }, "MG1");
    CHECK(to.send(message()).outcome == Outcome::accepted);
    CHECK(to.receiver.received()[0].body.find("&MessagingServiceSid=MG1&") != std::string::npos);
}

TEST_CASE("responses are mapped to outcomes")
{
    struct Case {
        unsigned status;
        char const* body;
        Outcome outcome;
        unsigned code;
    };

    for (auto const& c :
        {Case{201, R"({"sid":"SM1"})", Outcome::accepted, 0}, Case{200, "<html>", Outcome::unknown, 0},
            Case{200, "{}", Outcome::unknown, 0}, Case{201, R"({"sid":""})", Outcome::unknown, 0},
            Case{400, R"({"code":21610})", Outcome::opted_out, 21610},
            Case{400, R"({"code":4294988906})", Outcome::refused, 0}, // 21610 in 32 bits
            Case{400, R"({"code":21408})", Outcome::country, 21408},
            Case{400, R"({"code":21211})", Outcome::unreachable, 21211},
            Case{400, R"({"code":21214})", Outcome::unreachable, 21214},
            Case{400, R"({"code":21217})", Outcome::unreachable, 21217},
            Case{400, R"({"code":21612})", Outcome::unreachable, 21612},
            Case{400, R"({"code":21614})", Outcome::unreachable, 21614},
            Case{400, R"({"code":30005})", Outcome::unreachable, 30005},
            Case{401, R"({"code":20003})", Outcome::refused, 20003},
            Case{429, R"({"code":20429})", Outcome::refused, 20429},
            Case{400, R"({"code":"21610"})", Outcome::refused, 0}, Case{400, "", Outcome::refused, 0},
            Case{400, R"({"code":21266})", Outcome::unreachable, 21266},
            Case{400, R"({"code":21635})", Outcome::unreachable, 21635},
            Case{403, R"({"code":60410})", Outcome::unreachable, 60410},
            // The message may have been created, unless the server was unavailable.
            Case{408, "", Outcome::unknown, 0}, Case{500, R"({"code":20500})", Outcome::unknown, 20500},
            Case{500, R"({"code":21610})", Outcome::unknown, 21610}, Case{502, "<html>", Outcome::unknown, 0},
            Case{503, "busy", Outcome::refused, 0}, Case{503, "{}", Outcome::refused, 0},
            Case{504, "", Outcome::unknown, 0}, Case{500, R"({"code":20503})", Outcome::unknown, 20503},
            Case{503, R"({"code":20503})", Outcome::refused, 20503}}) {
        INFO(c.status << ' ' << c.body);
        auto const sent = twilio::read_answer(c.status, c.body);
        CHECK(sent.outcome == c.outcome);
        CHECK(sent.code == c.code);
    }
}

TEST_CASE("without a response the outcome is unknown, without a connection not sent, and neither is repeated")
{
    SECTION("the response is too slow")
    {
        testing::Gate gate;
        Fixture to([&](auto const&) {
            gate.pass_blocking();
            return testing::reply(201, R"({"sid":"SM1"})");
        });
        testing::OpenAtEnd const guard{gate};
        CHECK(to.send(message(), 1s).outcome == Outcome::unknown);
        CHECK(to.receiver.received().size() <= 1);
    }
    SECTION("the connection is cut")
    {
        Fixture to([](auto const&) { return std::string(); });
        CHECK(to.send(message()).outcome == Outcome::unknown);
        CHECK(to.receiver.received().size() == 1);
    }
    SECTION("there is no server")
    {
        twilio::Sender sender(account("http://127.0.0.1:1"), nearby());
        CHECK(testing::run_awaitable(sender.send(message(), 5s)).outcome == Outcome::not_sent);
    }
}

TEST_CASE("a message is not sent twice if Twilio takes it on a kept connection and closes without an answer")
{
    std::atomic<int> requests = 0;
    Fixture to([&](auto const&) {
        return ++requests == 2 ? std::string() : testing::reply(201, R"({"sid":"SM1"})");
    });
    CHECK(to.send(message()).outcome == Outcome::accepted);
    CHECK(to.send(message()).outcome == Outcome::unknown);
    CHECK(to.receiver.received().size() == 2);
    CHECK(to.send(message()).outcome == Outcome::accepted);
    CHECK(to.receiver.received().size() == 3);
}

TEST_CASE("messages share connections, and a connection that closes while it is idle loses no message")
{
    Fixture to([&](auto const&) { return testing::reply(201, R"({"sid":"SM1"})"); });
    for (int i = 0; i < 5; ++i)
        CHECK(to.send(message()).outcome == Outcome::accepted);
    CHECK(to.receiver.connections() == 1);
    to.receiver.close_connections();
    REQUIRE(testing::eventually([&] { return testing::half_closed(to.receiver.port()) == 1; }));
    CHECK(to.send(message()).outcome == Outcome::accepted);
    CHECK(to.receiver.connections() == 2);
    CHECK(to.receiver.received().size() == 6);
}

TEST_CASE("many messages are in flight at once, and no thread waits for them")
{
    constexpr std::size_t count = 200;
    testing::SilentHosts twilio(1);
    auto sender = std::make_unique<twilio::Sender>(account(twilio.url(0, "")), nearby());
    testing::Contexts contexts(1);
    std::vector<std::future<sms::SendResult>> results;
    for (std::size_t i = 0; i < count; ++i)
        results.push_back(contexts.start(sender->send(message(), 1h)));
    CHECK(testing::eventually([&] { return twilio.in_flight() == count; }));
    sender.reset(); // ends the messages in flight
    for (auto& result : results)
        CHECK(result.get().outcome == Outcome::unknown);
}

TEST_CASE("signatures equal the signatures of Twilio")
{
    // The example of https://www.twilio.com/docs/usage/security.
    core::Secret const token("12345");
    std::vector<std::string> const urls{"https://mycompany.com/myapp.php?foo=1&bar=2"};
    http::Form const parameters{{"CallSid", "CA1234567890ABCDE"}, {"Caller", "+12349013030"},
        {"Digits", "1234"}, {"From", "+12349013030"}, {"To", "+18005551212"}};
    std::string const signature = "0/KCTR6DLpKmkAf8muzZqo1nDgQ=";
    CHECK(twilio::sign(token, urls[0], parameters) == signature);
    CHECK(twilio::is_signed(token, urls, parameters, signature));
    auto shuffled = parameters;
    std::ranges::reverse(shuffled);
    shuffled.push_back(shuffled.front());
    CHECK(twilio::is_signed(token, urls, shuffled, signature));

    auto changed = parameters;
    changed[3].second = "+12349013031";
    CHECK_FALSE(twilio::is_signed(token, urls, changed, signature));
    CHECK_FALSE(twilio::is_signed(core::Secret("12346"), urls, parameters, signature));
    CHECK_FALSE(twilio::is_signed(token, {}, parameters, signature));
    CHECK_FALSE(twilio::is_signed(token, urls, parameters, ""));
    std::string const unkeyed = twilio::sign(core::Secret(), urls[0], parameters);
    CHECK_FALSE(twilio::is_signed(core::Secret(), urls, parameters, unkeyed));
}

TEST_CASE("the keywords of the carriers are recognised")
{
    using twilio::Keyword;
    auto const of = [](std::string body, std::string type = {}) {
        http::Form parameters{{"Body", std::move(body)}};
        if (!type.empty()) parameters.emplace_back("OptOutType", std::move(type));
        return twilio::keyword_of(parameters);
    };
    CHECK(of("STOP") == Keyword::stop);
    CHECK(of(" stop\n") == Keyword::stop);
    CHECK(of("Unsubscribe") == Keyword::stop);
    CHECK(of("start") == Keyword::start);
    CHECK(of("unstop") == Keyword::start);
    CHECK(of("please stop") == Keyword::none);
    CHECK(of("HELP") == Keyword::none);
    CHECK(of("anything", "STOP") == Keyword::stop);
    CHECK(of("STOP", "HELP") == Keyword::none);
    CHECK(of("") == Keyword::none);
}
