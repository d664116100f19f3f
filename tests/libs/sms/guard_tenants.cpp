#include "sms/guard.hpp"
#include "support/redis_fixture.hpp"

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

    /// The number of messages, out of six, that the tenant may send now.
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

TEST_CASE("a tenant may use half of the sender's limit, and other tenants the other half")
{
    Fixture f;
    CHECK(f.sent("demo") == 3);
    auto const refused = f.take("demo");
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after == 1min);
    CHECK(f.sent("other") == 3); // the refused messages used none of the limit
    CHECK(f.sent("third") == 0);
    f.clock.advance(1min);
    CHECK(f.sent("third") == 3);
}

TEST_CASE("all services that use the sender share a tenant's half")
{
    Fixture f;
    SenderGuard elsewhere(f.client, "+18005550100", true, 6);
    CHECK(f.await(elsewhere.take(urgent, "demo")).allowed);
    CHECK(f.await(elsewhere.take(deferrable, "demo")).allowed);
    CHECK(f.sent("demo") == 1);
}

TEST_CASE("a tenant may use messages again that it has released, for any purpose")
{
    Fixture f;
    auto const use = f.take("demo", deferrable);
    REQUIRE(use.allowed);
    f.await(f.guard.give_back(use));
    CHECK(f.sent("demo", deferrable) == 3);
    CHECK(f.sent("other", deferrable) == 0);
    CHECK(f.sent("other") == 3);
}
