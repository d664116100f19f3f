#include "sms/guard.hpp"
#include "support/redis_fixture.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using sms::Purpose, sms::Refusal, sms::SenderGuard;
using enum sms::Purpose;

namespace {

struct Fixture : testing::RedisFixture {
    SenderGuard::Use take(std::string_view tenant, Purpose purpose = sign_in, std::int64_t per_day = 1'000)
    {
        return await(guard.take(purpose, SenderGuard::Tenant{tenant, per_day}));
    }

    /// The number of messages that the tenant may send now. Sends them.
    int sent(std::string_view tenant, Purpose purpose = sign_in, std::int64_t per_day = 1'000)
    {
        int count = 0;
        while (take(tenant, purpose, per_day).allowed)
            ++count;
        return count;
    }

    SenderGuard guard{client, "+18005550100", true, 40}; // sign-in 20, enrolment 12, notify 8
};

} // namespace

TEST_CASE("a tenant may use half of each share, and other tenants the other half")
{
    Fixture f;
    CHECK(f.sent("demo") == 10);
    auto const refused = f.take("demo");
    CHECK_FALSE(refused.allowed);
    CHECK(refused.refusal == Refusal::tenant_share);
    CHECK(refused.retry_after == 1min);
    CHECK(f.sent("demo", enrolment) == 6);
    CHECK(f.sent("demo", notify) == 4);
    CHECK(f.sent("other") == 10); // the refused messages used nothing
    CHECK(f.sent("other", enrolment) == 6);
    CHECK(f.sent("other", notify) == 4);
    CHECK(f.sent("third") == 0);
    f.clock.advance(1min);
    CHECK(f.sent("third") == 10);
}

TEST_CASE("tenants may use what the tenants of later purposes have left")
{
    Fixture f;
    for (auto const* tenant : {"one", "two", "three", "four"})
        CHECK(f.sent(tenant) == 10);
    CHECK(f.take("five").refusal == Refusal::sender);
    f.clock.advance(1min);
    for (auto const* tenant : {"one", "two", "three"})
        CHECK(f.sent(tenant, enrolment) == 6);
    CHECK(f.sent("four", enrolment) == 2);
    CHECK(f.take("five", enrolment).refusal == Refusal::share);
    CHECK(f.sent("five") == 10); // the share of sign-in codes was not touched
}

TEST_CASE("all services that use the sender share a tenant's counts")
{
    Fixture f;
    SenderGuard elsewhere(f.client, "+18005550100", true, 40);
    for (int i = 0; i < 6; ++i)
        CHECK(f.await(elsewhere.take(sign_in, SenderGuard::Tenant{"demo"})).allowed);
    CHECK(f.sent("demo") == 4);
    for (int i = 0; i < 10; ++i)
        CHECK_FALSE(f.await(elsewhere.take(sign_in, SenderGuard::Tenant{"demo"})).allowed);
    CHECK(f.take("other", notify, 1).allowed);
    auto const refused = f.await(elsewhere.take(sign_in, SenderGuard::Tenant{"other", 1}));
    CHECK(refused.refusal == Refusal::tenant_day);
}

TEST_CASE("a tenant may use messages again that it has released")
{
    Fixture f;
    auto const use = f.take("demo", notify, 4);
    REQUIRE(use.allowed);
    f.await(f.guard.give_back(use));
    CHECK(f.sent("demo", notify, 4) == 4);
    CHECK(f.take("demo", notify, 4).refusal == Refusal::tenant_day);
}

TEST_CASE("a tenant's messages per day are counted over all purposes, and end with the day")
{
    Fixture f;
    f.clock.advance(18h + 30min); // 2026-01-01T18:30Z
    CHECK(f.sent("demo", sign_in, 5) == 5);
    auto const refused = f.take("demo", enrolment, 5);
    CHECK(refused.refusal == Refusal::tenant_day);
    CHECK(refused.retry_after == 5h + 30min);
    CHECK(f.take("demo", enrolment, 6).allowed); // the operator has raised the limit
    CHECK(f.take("demo", notify, 6).refusal == Refusal::tenant_day);
    CHECK(f.take("other", notify, 5).allowed);
    CHECK(f.take("none", sign_in, 0).refusal == Refusal::tenant_day);

    f.clock.advance(5h + 30min - 1us);
    CHECK_FALSE(f.take("demo", sign_in, 5).allowed);
    f.clock.advance(1us);
    CHECK(f.sent("demo", sign_in, 5) == 5);
}

TEST_CASE("a message that is released after midnight is not taken from the next day")
{
    Fixture f;
    auto const use = f.take("demo", sign_in, 1);
    f.clock.advance(24h);
    CHECK(f.take("demo", sign_in, 1).allowed);
    f.await(f.guard.give_back(use));
    CHECK(f.take("demo", sign_in, 1).refusal == Refusal::tenant_day);
}

TEST_CASE("a sender without an allowance limits only the tenant's messages per day")
{
    Fixture f;
    SenderGuard guard(f.client, "sandbox");
    auto const take = [&](Purpose purpose) {
        return f.await(guard.take(purpose, SenderGuard::Tenant{"demo", 100}));
    };
    for (int i = 0; i < 100; ++i)
        CHECK(take(i % 2 == 0 ? notify : enrolment).allowed);
    CHECK(take(sign_in).refusal == Refusal::tenant_day);
    CHECK(f.await(guard.take(sign_in)).allowed);
    CHECK(f.sent("demo", sign_in, 100) == 10); // another sender
}
