#include "sms/guard.hpp"

#include "support/redis_fixture.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace std::chrono_literals;
using sms::SenderGuard;

namespace {

struct Fixture : testing::RedisFixture {
    SenderGuard::Use take(SenderGuard& guard, SenderGuard::Purpose purpose = SenderGuard::Purpose::urgent)
    {
        return await(guard.take(purpose));
    }

    bool may_send(SenderGuard& guard, SenderGuard::Purpose purpose = SenderGuard::Purpose::urgent)
    {
        return take(guard, purpose).allowed;
    }
};

} // namespace

TEST_CASE("an unverified sender sends at most 500 messages in any 24 hours, over all tenants")
{
    Fixture f;
    SenderGuard one(f.client, "+18005550100", false, 3'000);
    SenderGuard other(f.client, "+18005550100", false, 3'000);
    for (int i = 0; i < 500; ++i)
        REQUIRE(f.may_send(i % 2 == 0 ? one : other));
    auto const refused = f.take(one);
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after == 24h);
    SenderGuard elsewhere(f.client, "+18005550199", false, 3'000);
    CHECK(f.may_send(elsewhere));

    f.clock.advance(24h - 1us);
    CHECK_FALSE(f.may_send(one));
    f.clock.advance(1us);
    CHECK(f.may_send(one));
}

TEST_CASE("a verified sender is limited per minute, and unsent messages do not count")
{
    Fixture f;
    SenderGuard guard(f.client, "+18005550100", true, 2);
    auto const first = f.take(guard);
    CHECK(f.may_send(guard));
    CHECK_FALSE(f.may_send(guard));
    f.await(guard.give_back(first));
    CHECK(f.may_send(guard));
    f.clock.advance(1min);
    CHECK(f.may_send(guard));
}

TEST_CASE("deferrable messages may use half of the sender's limit, and urgent messages all of it")
{
    using enum SenderGuard::Purpose;
    Fixture f;
    SenderGuard guard(f.client, "+18005550100", true, 5);
    CHECK(f.may_send(guard, deferrable));
    CHECK(f.may_send(guard, deferrable));
    auto const refused = f.take(guard, deferrable);
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after == 1min);
    // The other half is reserved for urgent messages, and the refused message did not count in it.
    for (int i = 0; i < 3; ++i)
        CHECK(f.may_send(guard));
    CHECK_FALSE(f.may_send(guard));
    f.clock.advance(1min);
    for (int i = 0; i < 5; ++i)
        CHECK(f.may_send(guard));
    CHECK_FALSE(f.may_send(guard, deferrable));
}

TEST_CASE("a deferrable message that is refused or released does not use up the half for deferrable messages")
{
    using enum SenderGuard::Purpose;
    Fixture f;
    SenderGuard guard(f.client, "+18005550100", true, 6);
    std::vector<SenderGuard::Use> urgent_ones;
    for (int i = 0; i < 6; ++i)
        urgent_ones.push_back(f.take(guard));
    // The half for deferrable messages is unused, but the whole limit is used up.
    for (int i = 0; i < 4; ++i)
        CHECK_FALSE(f.may_send(guard, deferrable));
    for (auto const& use : urgent_ones)
        f.await(guard.give_back(use));
    auto const first = f.take(guard, deferrable);
    CHECK(first.allowed);
    f.await(guard.give_back(first));
    for (int i = 0; i < 3; ++i)
        CHECK(f.may_send(guard, deferrable));
    CHECK_FALSE(f.may_send(guard, deferrable));
}

TEST_CASE("a sender with a limit of one message may send a deferrable message")
{
    using enum SenderGuard::Purpose;
    Fixture f;
    SenderGuard guard(f.client, "+18005550100", true, 1);
    CHECK(f.may_send(guard, deferrable));
    CHECK_FALSE(f.may_send(guard));
}
