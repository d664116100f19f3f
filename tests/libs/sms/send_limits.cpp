#include "sms/send_limits.hpp"

#include "support/redis_fixture.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using sms::Outcome, sms::PhoneNumber, sms::Purpose, sms::Refusal, sms::SendLimits;
using enum sms::Purpose;

namespace {

constexpr std::array purposes{sign_in, enrolment};

struct Fixture : testing::RedisFixture {
    SendLimits::Message message(
        Purpose purpose, core::Environment environment = core::Environment::production)
    {
        bool const sandbox = environment == core::Environment::sandbox;
        return {sandbox ? sandbox_scope : scope, phone, purpose, tenant};
    }

    SendLimits::Permit take(Purpose purpose, core::Environment environment = core::Environment::production)
    {
        return await(limits.take(message(purpose, environment)));
    }

    int counted(std::string const& purpose, std::string const& reason)
    {
        std::string const name = "tetrad_sms_refusals_total{purpose=\"" + purpose + "\",reason=\"" + reason +
                                 "\",service=\"auth-mfa\"} ";
        auto const text = metrics.expose();
        auto const at = text.find(name);
        return at == std::string::npos ? -1 : std::stoi(text.substr(at + name.size()));
    }

    observe::Metrics metrics{"auth-mfa"};
    core::Scope scope = core::Scope::of(core::TenantId{7}, core::Environment::production, "demo");
    core::Scope sandbox_scope = core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo");
    PhoneNumber phone = *PhoneNumber::parse("+9607712345");
    sms::TenantLimits tenant{.per_day = 1'000};
    SendLimits limits{
        sms::SenderGuard(client, "+18005550100", true, 80), "auth-mfa", purposes, client, metrics};
};

} // namespace

TEST_CASE("messages of a sandbox use nothing of the allowance, and have their own limit per day")
{
    Fixture f;
    f.tenant.per_day = 40;
    for (int i = 0; i < 40; ++i) {
        auto const permit = f.take(enrolment, core::Environment::sandbox);
        CHECK(permit.allowed());
        CHECK(permit.stays_in_sandbox);
        CHECK_FALSE(permit.conversion); // nothing is sent, so nothing has to be confirmed
    }
    CHECK(f.take(sign_in, core::Environment::sandbox).refusal == Refusal::tenant_day);
    auto const permit = f.take(sign_in);
    CHECK(permit.allowed());
    CHECK_FALSE(permit.stays_in_sandbox);
    CHECK(f.counted("sign_in", "tenant_day") == 1);
}

TEST_CASE("if the operator allows it, messages of a sandbox are limited like those of production")
{
    Fixture f;
    f.tenant = {.per_day = 25, .sandbox_sends = true};
    for (int i = 0; i < 10; ++i)
        CHECK_FALSE(f.take(sign_in, core::Environment::sandbox).stays_in_sandbox);
    for (int i = 0; i < 10; ++i)
        CHECK(f.take(sign_in).allowed());
    CHECK(f.take(sign_in).refusal == Refusal::tenant_share); // half of 50 % of 80
    f.clock.advance(1min);
    for (int i = 0; i < 5; ++i)
        CHECK(f.take(sign_in, core::Environment::sandbox).allowed());
    CHECK(f.take(sign_in).refusal == Refusal::tenant_day);
}

TEST_CASE("enrolment codes that are not confirmed are stopped, and sign-in codes are not")
{
    Fixture f;
    for (int i = 0; i < 20; ++i) {
        CHECK(f.take(enrolment).allowed());
        f.clock.advance(10s); // within the tenant's share
    }
    auto const refused = f.take(enrolment);
    CHECK(refused.refusal == Refusal::conversion);
    REQUIRE(refused.conversion);
    CHECK(refused.conversion->first);
    CHECK(f.take(sign_in).allowed());
    CHECK(f.counted("enrolment", "conversion") == 1);
    CHECK(f.counted("sign_in", "conversion") == -1);
    CHECK(f.counted("enrolment", "share") == 0);
    CHECK(f.counted("notify", "share") == -1); // the service does not have this purpose
}

TEST_CASE("a message that was not sent, or that a later limit refused, is not counted")
{
    Fixture f;
    for (int i = 0; i < 30; ++i) {
        auto const message = f.message(enrolment);
        auto const permit = f.await(f.limits.take(message));
        REQUIRE(permit.allowed());
        f.await(f.limits.settle(message, permit, Outcome::not_sent));
    }
    // The provider got these messages, but they cannot arrive.
    for (int i = 0; i < 30; ++i) {
        auto const message = f.message(enrolment);
        auto const permit = f.await(f.limits.take(message));
        REQUIRE(permit.allowed());
        f.await(f.limits.settle(message, permit, Outcome::unreachable));
        f.clock.advance(10s);
    }
    f.clock.advance(1min);
    for (int i = 0; i < 12; ++i)
        CHECK(f.take(enrolment).allowed());
    for (int i = 0; i < 10; ++i)
        CHECK(f.take(enrolment).refusal == Refusal::tenant_share); // half of 30 % of 80
    f.clock.advance(1min);
    for (int i = 0; i < 8; ++i)
        CHECK(f.take(enrolment).allowed());
    CHECK(f.take(enrolment).refusal == Refusal::conversion);
}
