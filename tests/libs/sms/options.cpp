#include "sms/options.hpp"

#include "support/config.hpp"
#include "support/fake_clock.hpp"
#include "support/process.hpp"
#include "support/run_awaitable.hpp"

#include <catch2/catch.hpp>

namespace {

std::string fault_of(testing::Variables variables)
{
    auto c = testing::config_of("AUTH", std::move(variables));
    sms::Options::read(c);
    return testing::faults_of(c);
}

} // namespace

TEST_CASE("the outbox is the default and requires its file")
{
    auto c = testing::config_of("AUTH", {{"SMS_OUTBOX", "/tmp/x"}});
    auto const options = sms::Options::read(c);
    CHECK_NOTHROW(c.check());
    CHECK_FALSE(options.twilio);
    CHECK(options.outbox == "/tmp/x");
    CHECK_FALSE(options.sender_verified);
    CHECK(fault_of({}).find("SMS_OUTBOX") != std::string::npos);
}

TEST_CASE("Twilio requires an account, a token and a sender, and all missing settings are reported at once")
{
    auto const faults = fault_of({{"SMS_PROVIDER", "twilio"}, {"TWILIO_BASE_URL", "ftp://x"}});
    for (auto const* name : {"TWILIO_BASE_URL", "TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_FROM"}) {
        INFO(name);
        CHECK(faults.find(name) != std::string::npos);
    }
    auto c =
        testing::config_of("AUTH", {{"SMS_PROVIDER", "twilio"}, {"TWILIO_BASE_URL", "http://127.0.0.1:9/"},
                                       {"TWILIO_ACCOUNT_SID", "AC1"}, {"AUTH_TWILIO_AUTH_TOKEN", "t"},
                                       {"TWILIO_FROM", "+18005550100"}, {"SMS_SENDER_VERIFIED", "true"}});
    auto const options = sms::Options::read(c);
    CHECK_NOTHROW(c.check());
    CHECK(options.twilio);
    CHECK(options.account.base_url == "http://127.0.0.1:9");
    CHECK(options.account.auth_token.equals("t"));
    CHECK(options.sender() == "+18005550100");
    CHECK(options.sender_verified);
}

TEST_CASE("outcomes of messages are counted for every provider")
{
    testing::TemporaryDirectory const folder("sms");
    auto c = testing::config_of("AUTH", {{"SMS_OUTBOX", folder.path() + "/sms"}});
    auto const options = sms::Options::read(c);
    testing::FakeClock const clock;
    observe::Metrics metrics("auth-mfa");
    auto const sender = sms::make_sender(options, {}, clock, metrics);
    sms::Message const message{core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo"),
        *sms::PhoneNumber::parse("+14155550100"), "Hello"};
    auto const counted = [&](std::string const& answer) {
        std::string const name =
            "tetrad_provider_answers_total{answer=\"" + answer + "\",provider=\"sms\",service=\"auth-mfa\"} ";
        auto const text = metrics.expose();
        auto const at = text.find(name);
        REQUIRE(at != std::string::npos);
        return std::stoi(text.substr(at + name.size()));
    };
    for (auto const outcome : core::names_of<sms::Outcome>)
        CHECK(counted(std::string(outcome)) == 0);
    for (int i = 0; i < 2; ++i)
        CHECK(testing::run_awaitable(sender->send(message, sms::send_timeout)).outcome ==
              sms::Outcome::accepted);
    CHECK(counted("accepted") == 2);
    CHECK(counted("unknown") == 0);
}
