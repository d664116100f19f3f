#include "sms/sandbox.hpp"

#include "support/captured.hpp"
#include "support/fake_clock.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/run_awaitable.hpp"

#include <catch2/catch.hpp>

namespace {

struct Fixture {
    sms::SendResult send(std::string const& outbox)
    {
        sms::Options options;
        options.twilio = true;
        options.outbox = outbox;
        auto const sender = sms::make_sandbox_sender(options, clock, logger, metrics);
        return testing::run_awaitable(
            sender->send({core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo"),
                             *sms::PhoneNumber::parse("+14155550100"), "A secret text"},
                sms::send_timeout));
    }

    bool counted(std::string const& result)
    {
        return metrics.expose().find("tetrad_sms_sandbox_messages_total{result=\"" + result +
                                     "\",service=\"auth-mfa\"} 1\n") != std::string::npos;
    }

    testing::FakeClock clock;
    testing::Captured log;
    observe::Logger logger{"auth-mfa", observe::Level::info, log.fd()};
    observe::Metrics metrics{"auth-mfa"};
    testing::TemporaryDirectory folder{"sms"};
};

} // namespace

TEST_CASE("messages of a sandbox are written to the outbox, also with Twilio")
{
    Fixture f;
    std::string const path = f.folder.path() + "/sms";
    CHECK(f.send(path).outcome == sms::Outcome::accepted);
    CHECK(testing::read_file(path).find("A secret text") != std::string::npos);
    CHECK(f.counted("written"));
}

TEST_CASE("without an outbox, messages of a sandbox are dropped, and the log names only the tenant")
{
    Fixture f;
    CHECK(f.send("").outcome == sms::Outcome::accepted);
    CHECK(f.counted("dropped"));
    f.logger.flush(std::chrono::seconds(30));
    CHECK(f.log.text().find("\"tenant\":\"demo\"") != std::string::npos);
    CHECK(f.log.text().find("A secret text") == std::string::npos);
    CHECK(f.log.text().find("4155550100") == std::string::npos);
}

TEST_CASE("a message of a sandbox whose outbox cannot be written is not sent")
{
    Fixture f;
    CHECK(f.send("/nowhere/at/all").outcome == sms::Outcome::not_sent);
    CHECK(f.counted("failed"));
}
