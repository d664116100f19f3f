#include "sms/guard.hpp"
#include "testing/redis_fixture.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using sms::SenderGuard;
using enum SenderGuard::Purpose;

namespace {

struct Fixture : testing::RedisFixture {
    SenderGuard::Use take(std::string_view tenant, SenderGuard::Purpose purpose = urgent)
    {
        return await(guard.take(purpose, tenant));
    }

    /// How many of six that tenant may send now.
    int sent(std::string_view tenant, SenderGuard::Purpose purpose = urgent)
    {
        int count = 0;
        for (int i = 0; i < 6; ++i)
            count += take(tenant, purpose).allowed ? 1 : 0;
        return count;
    }

    SenderGuard guard{client, "+18005550100", true, 6};
};

} // namespace

TEST_CASE("a tenant may use half of what the sender may, and others the other half")
{
    Fixture f;
    CHECK(f.sent("demo") == 3);
    auto const refused = f.take("demo");
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after == 1min);
    CHECK(f.sent("other") == 3); // what was refused took nothing of it
    CHECK(f.sent("third") == 0);
    f.clock.advance(1min);
    CHECK(f.sent("third") == 3);
}

TEST_CASE("a tenant's half is one over all services that share the sender")
{
    Fixture f;
    SenderGuard elsewhere(f.client, "+18005550100", true, 6);
    CHECK(f.await(elsewhere.take(urgent, "demo")).allowed);
    CHECK(f.await(elsewhere.take(deferrable, "demo")).allowed);
    CHECK(f.sent("demo") == 1);
}

TEST_CASE("what a tenant gives back it may use again, for any purpose")
{
    Fixture f;
    auto const use = f.take("demo", deferrable);
    REQUIRE(use.allowed);
    f.await(f.guard.give_back(use));
    CHECK(f.sent("demo", deferrable) == 3);
    CHECK(f.sent("other", deferrable) == 0);
    CHECK(f.sent("other") == 3);
}
