#include "sms/conversion_guard.hpp"

#include "support/redis_fixture.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using sms::ConversionGuard, sms::PhoneNumber;

namespace {

struct Fixture : testing::RedisFixture {
    ConversionGuard::Use take(std::string const& phone, core::Scope const& scope)
    {
        return await(guard.take(scope, *PhoneNumber::parse(phone)));
    }

    bool may_send(std::string const& phone = "+9607712345") { return take(phone, demo).allowed; }

    void confirm(std::string const& phone = "+9607712345")
    {
        await(guard.confirm(
            demo, *PhoneNumber::parse(phone), std::chrono::floor<std::chrono::days>(clock.now())));
    }

    void send(int codes)
    {
        for (int i = 0; i < codes; ++i)
            REQUIRE(may_send("+96077" + std::to_string(10'000 + i)));
    }

    core::Scope demo = core::Scope::of(core::TenantId{7}, core::Environment::production, "demo");
    core::Scope other = core::Scope::of(core::TenantId{8}, core::Environment::production, "other");
    ConversionGuard guard{client, "auth-mfa:conversion"};
};

} // namespace

TEST_CASE(
    "after 20 codes of which none was confirmed, codes to that calling code are refused until the day ends")
{
    Fixture f;
    f.clock.advance(20h); // 2026-01-01T20:00Z
    f.send(20);
    auto const refused = f.take("+9607799999", f.demo);
    CHECK_FALSE(refused.allowed);
    CHECK(refused.first);
    CHECK(refused.sent == 20);
    CHECK(refused.confirmed == 0);
    CHECK(refused.day == std::chrono::year{2026} / 1 / 1);
    CHECK_FALSE(f.take("+9607712345", f.demo).first);
    CHECK(f.may_send("+4915112345678"));           // other calling codes
    CHECK(f.take("+9607712345", f.other).allowed); // other tenants
    f.clock.advance(4h - 1us);
    CHECK_FALSE(f.may_send());
    f.clock.advance(1us);
    f.send(20);
    CHECK(f.take("+9607712345", f.demo).first);
}

TEST_CASE("codes are sent while at least 20 % of them are confirmed")
{
    Fixture f;
    for (int i = 0; i < 4; ++i) {
        f.send(1);
        f.confirm();
    }
    f.send(17); // the 21st code makes it fewer than 20 %
    CHECK_FALSE(f.may_send());
    f.confirm(); // 5 of 21
    f.send(5);   // 5 of 26
    CHECK_FALSE(f.may_send());
}

TEST_CASE("a code that was not sent is not counted")
{
    Fixture f;
    auto const phone = *PhoneNumber::parse("+9607712345");
    f.send(19);
    for (int i = 0; i < 3; ++i) {
        auto const use = f.take(phone.text(), f.demo);
        REQUIRE(use.allowed);
        f.await(f.guard.give_back(f.demo, phone, use));
    }
    f.send(1);
    CHECK_FALSE(f.may_send());
}

TEST_CASE("a code counts as confirmed on the day on which it was sent, and only if it was counted")
{
    Fixture f;
    auto const phone = *PhoneNumber::parse("+9607712345");
    f.clock.advance(24h - 1min);
    f.send(4);
    auto const day = f.take(phone.text(), f.demo).day;
    f.clock.advance(2min);
    for (int i = 0; i < 4; ++i)
        f.await(f.guard.confirm(f.demo, phone, day));
    f.send(20);
    CHECK_FALSE(f.may_send());

    for (int i = 0; i < 50; ++i)
        f.confirm("+4915112345678"); // no code was sent
    for (int i = 0; i < 20; ++i)
        CHECK(f.may_send("+4915112345678"));
    CHECK_FALSE(f.may_send("+4915112345678"));
}

TEST_CASE("a refusal that could not be recorded is the first again")
{
    Fixture f;
    f.send(20);
    auto const refused = f.take("+9607712345", f.demo);
    CHECK(refused.first);
    f.await(f.guard.forget_refusal(f.demo, *PhoneNumber::parse("+9607712345"), refused));
    CHECK(f.take("+9607712345", f.demo).first);
    CHECK_FALSE(f.take("+9607712345", f.demo).first);
}

TEST_CASE("the counts of a scope are one key, which Redis deletes after the day")
{
    Fixture f;
    f.send(1);
    CHECK(f.may_send("+4915112345678"));
    auto const keys = f.await(f.client.command({"KEYS", "*"})).array();
    REQUIRE(keys.size() == 1);
    CHECK(keys[0].text() == f.guard.key(f.demo));
    auto const ttl = f.await(f.client.command({"PTTL", keys[0].text()})).integer();
    CHECK(ttl > 0);
    CHECK(ttl <= std::chrono::milliseconds(24h + 1min).count());
}
