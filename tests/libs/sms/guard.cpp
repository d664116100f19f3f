#include "sms/guard.hpp"

#include "support/redis_fixture.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace std::chrono_literals;
using sms::Purpose, sms::Refusal, sms::SenderGuard;
using enum sms::Purpose;

namespace {

struct Fixture : testing::RedisFixture {
    SenderGuard::Use take(SenderGuard& guard, Purpose purpose = sign_in)
    {
        return await(guard.take(purpose));
    }

    bool may_send(SenderGuard& guard, Purpose purpose = sign_in) { return take(guard, purpose).allowed; }

    /// The number of messages that may be sent now. Sends them.
    int sent(SenderGuard& guard, Purpose purpose)
    {
        int count = 0;
        while (may_send(guard, purpose))
            ++count;
        return count;
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
    CHECK(refused.refusal == Refusal::sender);
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

TEST_CASE("each purpose has its share of the allowance, and may use what later purposes have left")
{
    Fixture f;
    SenderGuard guard(f.client, "+18005550100", true, 20); // sign-in 10, enrolment 6, notify 4
    SECTION("notifications have 20 %")
    {
        CHECK(f.sent(guard, notify) == 4);
        CHECK(f.take(guard, notify).refusal == Refusal::share);
        CHECK(f.sent(guard, enrolment) == 6);
        CHECK(f.sent(guard, sign_in) == 10);
    }
    SECTION("enrolment codes may use the share of notifications, too")
    {
        CHECK(f.sent(guard, enrolment) == 10);
        CHECK(f.take(guard, enrolment).refusal == Refusal::share);
        CHECK(f.sent(guard, notify) == 0); // nothing is left
        CHECK(f.sent(guard, sign_in) == 10);
    }
    SECTION("enrolment codes may use what notifications have left")
    {
        for (int i = 0; i < 3; ++i)
            CHECK(f.may_send(guard, notify));
        CHECK(f.sent(guard, enrolment) == 7);
        CHECK(f.sent(guard, notify) == 0);
        CHECK(f.sent(guard, sign_in) == 10);
    }
    SECTION("sign-in codes may use the whole allowance")
    {
        CHECK(f.sent(guard, sign_in) == 20);
        CHECK(f.take(guard, sign_in).refusal == Refusal::sender);
        CHECK(f.sent(guard, enrolment) == 0);
        CHECK(f.sent(guard, notify) == 0);
    }
    SECTION("sign-in codes that are beyond their share leave less for the others")
    {
        for (int i = 0; i < 17; ++i)
            CHECK(f.may_send(guard, sign_in));
        CHECK(f.sent(guard, notify) == 3);
        CHECK(f.take(guard, notify).refusal == Refusal::sender);
        CHECK(f.sent(guard, enrolment) == 0);
    }
    f.clock.advance(1min);
    CHECK(f.sent(guard, notify) == 4);
}

TEST_CASE("a refused or released message uses up no share")
{
    Fixture f;
    SenderGuard guard(f.client, "+18005550100", true, 10); // sign-in 5, enrolment 3, notify 2
    std::vector<SenderGuard::Use> codes;
    for (int i = 0; i < 10; ++i)
        codes.push_back(f.take(guard, sign_in));
    CHECK(f.sent(guard, notify) == 0);
    CHECK(f.sent(guard, enrolment) == 0);
    for (auto const& use : codes)
        f.await(guard.give_back(use));
    auto const first = f.take(guard, notify);
    CHECK(first.allowed);
    f.await(guard.give_back(first));
    CHECK(f.sent(guard, notify) == 2);
    CHECK(f.sent(guard, enrolment) == 3);
    CHECK(f.sent(guard, sign_in) == 5);
}

TEST_CASE("a sender with a limit of one message may send a message of each purpose")
{
    Fixture f;
    SenderGuard guard(f.client, "+18005550100", true, 1);
    CHECK(f.may_send(guard, notify));
    CHECK_FALSE(f.may_send(guard));
    f.clock.advance(1min);
    CHECK(f.may_send(guard, enrolment));
    CHECK_FALSE(f.may_send(guard, notify));
}
