#include "domain/errors.hpp"
#include "state/challenges.hpp"
#include "state/passkey_challenges.hpp"
#include "state/rate_limits.hpp"
#include "state/sms_enrolments.hpp"
#include "support/redis_fixture.hpp"
#include "support/user_markers.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <future>

using namespace std::chrono_literals;
using namespace auth_mfa;

namespace {

constexpr char const* phone = "+4915112345678";

struct Fixture : testing::RedisFixture {
    /// The code of the error that `task` throws; empty when it succeeds.
    template <class T> std::string error_of(asio::awaitable<T> task)
    {
        try {
            await(std::move(task));
        } catch (core::Error const& error) {
            return std::string(error.code().name);
        }
        return {};
    }

    Challenges::Created open()
    {
        return await(
            challenges.create(scope, {.key = {}, .user_id = user, .credentials_version = 3, .amr = {"pwd"}}));
    }

    Challenges::Send send(Challenge const& challenge, char const* code)
    {
        return await(challenges.count_send(challenge, phone, code));
    }

    auto attempt(Challenge const& challenge, char const* code)
    {
        return challenges.try_code(challenge, phone, code);
    }

    KeyedHash hash{crypto::Keyring::parse("k1:" + std::string(43, 'A') + "=")};
    Challenges challenges{client, hash};
    SmsEnrolments sms_enrolments{client, hash};
    RateLimits rate_limits{client, hash};
    core::Scope scope = core::Scope::of(core::TenantId{7}, core::Environment::sandbox, "demo");
    UserId user{core::Uuid::v7()};
};

} // namespace

TEST_CASE("a challenge is found by its token, in its scope, for 5 minutes", "[state]")
{
    Fixture f;
    auto const [token, challenge] = f.open();
    f.clock.advance(5min);
    auto const found = f.await(f.challenges.find(f.scope, token));
    CHECK(found.user_id == f.user);
    CHECK(found.credentials_version == 3);
    CHECK(found.amr == std::vector<std::string>{"pwd"});
    CHECK(f.error_of(f.challenges.find(f.scope, token + "x")) == "MFA_CHALLENGE_EXPIRED");
    auto const elsewhere = core::Scope::of(core::TenantId{7}, core::Environment::production, "demo");
    CHECK(f.error_of(f.challenges.find(elsewhere, token)) == "MFA_CHALLENGE_EXPIRED");
    f.clock.advance(1us);
    CHECK(f.error_of(f.challenges.find(f.scope, token)) == "MFA_CHALLENGE_EXPIRED");
}

TEST_CASE("a send is counted, replaces the code, and can be cancelled", "[state]")
{
    Fixture f;
    auto const challenge = f.open().challenge;
    CHECK(f.send(challenge, "111111").remaining == 2);
    auto const second = f.send(challenge, "222222");
    CHECK(second.remaining == 1);
    CHECK(second.expires_in == 300s);
    CHECK_FALSE(f.await(f.attempt(challenge, "111111")).right);
    f.await(f.challenges.take_back(challenge, second));
    CHECK(f.send(challenge, "333333").remaining == 1);
    CHECK(f.send(challenge, "444444").remaining == 0);
    CHECK(f.error_of(f.challenges.count_send(challenge, phone, "555555")) == "MFA_RATE_LIMITED");
    CHECK(f.await(f.attempt(challenge, "444444")).right);
    CHECK(f.error_of(f.attempt(challenge, "444444")) == "MFA_CHALLENGE_EXPIRED");

    auto const other = f.open().challenge;
    f.send(other, "111111");
    f.await(f.challenges.take_back(other, f.send(other, "222222")));
    CHECK(f.await(f.attempt(other, "111111")).right); // the second send has no effect
}

TEST_CASE("a code is bound to its phone and its challenge", "[state]")
{
    Fixture f;
    auto const one = f.open().challenge;
    auto const two = f.open().challenge;
    f.send(one, "111111");
    CHECK_FALSE(f.await(f.attempt(two, "111111")).right); // no code was sent
    f.send(two, "222222");
    CHECK_FALSE(f.await(f.attempt(two, "111111")).right);
    CHECK_FALSE(f.await(f.challenges.try_code(one, "+4915112345679", "111111")).right);
    CHECK_FALSE(f.await(f.challenges.try_code(one, "", "111111")).right);
    CHECK(f.await(f.attempt(one, "111111")).right);
}

TEST_CASE("after 5 attempts with any methods the challenge accepts no code until it expires", "[state]")
{
    Fixture f;
    auto const [token, challenge] = f.open();
    f.send(challenge, "111111");
    CHECK(f.await(f.attempt(challenge, "000000")).remaining == 4);
    CHECK(f.await(f.challenges.count_attempt(challenge)) == 3);
    CHECK(f.await(f.attempt(challenge, "000000")).remaining == 2);
    CHECK(f.await(f.attempt(challenge, "000000")).remaining == 1);
    CHECK(f.await(f.challenges.count_attempt(challenge)) == 0);
    CHECK(f.error_of(f.attempt(challenge, "111111")) == "MFA_RATE_LIMITED");
    CHECK(f.error_of(f.challenges.find(f.scope, token)) == "MFA_RATE_LIMITED");
    CHECK(f.await(f.challenges.consume(challenge))); // the 5th attempt may have been correct
    CHECK_FALSE(f.await(f.challenges.consume(challenge)));
    CHECK_FALSE(f.await(f.challenges.consume(Challenge{.key = Challenges::prefix(f.scope) + "x}"})));
    CHECK(f.error_of(f.challenges.find(f.scope, token)) == "MFA_CHALLENGE_EXPIRED");
}

TEST_CASE("of many simultaneous attempts 5 are compared, and one of them succeeds", "[state]")
{
    Fixture f;
    for (bool const right : {true, false}) {
        auto const challenge = f.open().challenge;
        f.send(challenge, "111111");
        std::vector<std::future<Challenges::Attempt>> attempts;
        for (int i = 0; i < 64; ++i)
            attempts.push_back(f.start(f.attempt(challenge, right ? "111111" : "000000")));
        int passed = 0, wrong = 0, refused = 0;
        for (auto& attempt : attempts) {
            try {
                ++(attempt.get().right ? passed : wrong);
            } catch (core::Error const&) {
                ++refused;
            }
        }
        CHECK(passed == (right ? 1 : 0));
        CHECK(wrong == (right ? 0 : 5));
        CHECK(refused == (right ? 63 : 59));
    }
}

TEST_CASE("a pending enrolment is valid for 10 minutes and 5 attempts, and a new one replaces it", "[state]")
{
    using Verdict = SmsEnrolments::Attempt::Verdict;
    Fixture f;
    auto const number = *sms::PhoneNumber::parse(phone);
    auto const sent = [&](char const* code) { return SmsEnrolments::Sent{.phone = number, .code = code}; };
    auto const confirm = [&](char const* code) {
        return f.await(f.sms_enrolments.try_code(f.scope, f.user, code));
    };
    auto const waiting = [&] { return f.await(f.sms_enrolments.find(f.scope, f.user)); };
    CHECK(confirm("111111").verdict == Verdict::absent);
    CHECK_FALSE(waiting());
    f.await(f.sms_enrolments.put(f.scope, f.user, sent("111111")));
    f.clock.advance(10min);
    CHECK(waiting() == number);
    f.clock.advance(1us);
    CHECK(confirm("111111").verdict == Verdict::absent);
    CHECK_FALSE(waiting());
    f.await(f.sms_enrolments.put(f.scope, f.user, sent("111111")));
    for (int left = 4; left >= 0; --left) {
        auto const attempt = confirm("000000");
        CHECK(attempt.verdict == Verdict::wrong);
        CHECK(attempt.remaining == left);
    }
    CHECK(confirm("111111").verdict == Verdict::limited);
    f.await(f.sms_enrolments.put(f.scope, f.user, sent("222222")));
    CHECK(confirm("111111").verdict == Verdict::wrong);
    f.clock.advance(10min);
    auto const right = confirm("222222");
    CHECK(right.verdict == Verdict::right);
    CHECK(right.phone == number);
    CHECK_FALSE(right.fixed);
    CHECK_FALSE(right.counted_on);
    CHECK(confirm("222222").verdict == Verdict::absent);
    CHECK_FALSE(waiting());

    std::chrono::sys_days const day = std::chrono::year{2026} / 1 / 31;
    f.await(f.sms_enrolments.put(
        f.scope, f.user, {.phone = number, .code = "333333", .fixed = true, .counted_on = day}));
    auto const fixed = confirm("333333");
    CHECK(fixed.fixed);
    CHECK(fixed.counted_on == day);
}

TEST_CASE(
    "during a key rotation, replicas with different first keys share challenges and enrolments", "[state]")
{
    Fixture f;
    std::string const older = "k1:" + std::string(43, 'A') + "=";
    std::string const newer = "k2:" + std::string(42, 'B') + "A=";
    KeyedHash const older_first(crypto::Keyring::parse(older + ',' + newer));
    KeyedHash const newer_first(crypto::Keyring::parse(newer + ',' + older));
    for (bool const older_began : {true, false}) {
        KeyedHash const& hash = older_began ? older_first : newer_first;
        KeyedHash const& other_hash = older_began ? newer_first : older_first;
        Challenges here(f.client, hash);
        Challenges there(f.client, other_hash);
        auto const token =
            f.await(here.create(
                        f.scope, {.key = {}, .user_id = f.user, .credentials_version = 3, .amr = {"pwd"}}))
                .token;
        auto const found = f.await(there.find(f.scope, token));
        CHECK(found.user_id == f.user);
        f.await(there.count_send(found, phone, "111111"));
        auto const again = f.await(here.find(f.scope, token));
        CHECK_FALSE(f.await(here.try_code(again, phone, "000000")).right);
        CHECK(f.await(here.try_code(again, phone, "111111")).right);
        CHECK(f.error_of(there.find(f.scope, token)) == "MFA_CHALLENGE_EXPIRED");

        using Verdict = SmsEnrolments::Attempt::Verdict;
        SmsEnrolments begun(f.client, hash);
        SmsEnrolments ended(f.client, other_hash);
        f.await(begun.put(f.scope, f.user, {.phone = *sms::PhoneNumber::parse(phone), .code = "222222"}));
        CHECK(f.await(ended.try_code(f.scope, f.user, "000000")).verdict == Verdict::wrong);
        CHECK(f.await(ended.try_code(f.scope, f.user, "222222")).verdict == Verdict::right);

        PasskeyChallenges created(f.client, hash);
        PasskeyChallenges used(f.client, other_hash);
        for (auto const& registrant : {std::optional<PasskeyChallenges::Registrant>(),
                 std::optional(PasskeyChallenges::Registrant{f.user, "a session"})}) {
            auto const challenge = f.await(created.create(f.scope, registrant));
            CHECK(f.error_of(used.use(f.scope, challenge, registrant)) == "");
            CHECK(f.error_of(created.use(f.scope, challenge, registrant)) == "MFA_CHALLENGE_EXPIRED");
        }
    }
    KeyedHash const without(crypto::Keyring::parse(newer));
    Challenges ignorant(f.client, without);
    CHECK(f.error_of(ignorant.find(f.scope, f.open().token)) == "MFA_CHALLENGE_EXPIRED");
}

TEST_CASE("either all counters are reserved or none, and a reservation can be released", "[state]")
{
    Fixture f;
    auto const number = *sms::PhoneNumber::parse(phone);
    auto const setup = [&](char const* address) {
        return f.await(f.rate_limits.reserve(
            RateLimits::enrolment_code_sends(f.scope, f.user, number, CodeDestination::phone, address)));
    };
    auto const first = setup("203.0.113.9");
    CHECK(first.allowed);
    CHECK(setup("203.0.113.9").allowed);
    CHECK(setup("203.0.113.9").allowed);
    auto const refused = setup("203.0.113.9");
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after == 10min);
    f.await(f.rate_limits.give_back(first));
    CHECK(setup("203.0.113.9").allowed);

    auto const wrong = [&](MfaMethod method) {
        return f.error_of(f.rate_limits.require(
            RateLimits::wrong_codes_of_user(f.scope, f.user, method, {.address = "203.0.113.9"})));
    };
    for (int i = 0; i < 20; ++i)
        CHECK(wrong(i % 2 == 0 ? MfaMethod::sms : MfaMethod::totp).empty());
    CHECK(wrong(MfaMethod::sms) == "MFA_RATE_LIMITED");
    for (int i = 0; i < 10; ++i)
        CHECK(wrong(MfaMethod::recovery_code).empty());
    CHECK(wrong(MfaMethod::recovery_code) == "MFA_RATE_LIMITED");
}

TEST_CASE("guesses are limited for an account and a network, and for an account over all networks", "[state]")
{
    Fixture f;

    // The values outlive the fixture of one run, so they refer to nothing.
    struct Kind {
        char const* name;
        int limit;
        std::vector<Counter> (*counters)(Fixture const&, GuessOrigin const&);
    };

    auto const kind = GENERATE(values<Kind>({
        {"passwords of an email", 10,
            [](Fixture const& f, GuessOrigin const& origin) {
                return RateLimits::wrong_passwords_for_email(f.scope, "ada@example.com", origin);
            }},
        {"passwords of a user", 10,
            [](Fixture const& f, GuessOrigin const& origin) {
                return RateLimits::wrong_passwords_of_user(f.scope, f.user, origin);
            }},
        {"codes", 20,
            [](Fixture const& f, GuessOrigin const& origin) {
                return RateLimits::wrong_codes_of_user(f.scope, f.user, MfaMethod::totp, origin);
            }},
        {"recovery codes", 10,
            [](Fixture const& f, GuessOrigin const& origin) {
                return RateLimits::wrong_codes_of_user(f.scope, f.user, MfaMethod::recovery_code, origin);
            }},
    }));
    INFO(kind.name);
    auto const guesses_until_limited = [&](GuessOrigin const& origin) {
        int guesses = 0;
        while (f.await(f.rate_limits.reserve(kind.counters(f, origin))).allowed)
            ++guesses;
        return guesses;
    };
    std::vector<std::string> const networks{"203.0.113.", "203.0.112.", "10.0.0.", "10.0.1.", "192.0.2.",
        "2001:db8:1:", "2001:db8:2:", "2001:db8:3:", "2001:db8:4:", "2001:db8:5:"};
    for (auto const& network : networks) {
        bool const v6 = network.back() == ':';
        std::string const one = network + (v6 ? "1::1" : "1"), other = network + (v6 ? "ffff::9" : "254");
        CHECK(guesses_until_limited({.address = one}) == kind.limit);
        CHECK(guesses_until_limited({.address = other}) == 0); // of the same network
    }
    CHECK(guesses_until_limited({.address = "198.51.100.1"}) == 0);
    CHECK(guesses_until_limited({.address = "2001:db8:6::1"}) == 0);

    // The limits of trusted browsers are not used up, in no network.
    core::Uuid const device = core::Uuid::v7();
    CHECK(guesses_until_limited({.address = "203.0.113.1", .trusted_device = device}) == kind.limit);
    CHECK(guesses_until_limited({.address = "198.51.100.1", .trusted_device = device}) == 0);
    CHECK(
        guesses_until_limited({.address = "203.0.113.1", .trusted_device = core::Uuid::v7()}) == kind.limit);
}

TEST_CASE("an exception releases the reservation", "[state]")
{
    Fixture f;
    auto const fails = []() -> asio::awaitable<int> {
        throw challenge_expired();
        co_return 0;
    };
    auto const counters =
        RateLimits::wrong_codes_of_user(f.scope, f.user, MfaMethod::sms, {.address = "203.0.113.9"});
    for (int i = 0; i < 30; ++i) {
        auto const reserved = f.await(f.rate_limits.require(counters));
        CHECK(f.error_of(f.rate_limits.or_give_back(reserved, fails())) == "MFA_CHALLENGE_EXPIRED");
    }
}

TEST_CASE("Redis contains neither codes nor tokens in clear text", "[state]")
{
    Fixture f;
    auto const [token, challenge] = f.open();
    f.send(challenge, "987654");
    f.await(
        f.sms_enrolments.put(f.scope, f.user, {.phone = *sms::PhoneNumber::parse(phone), .code = "876543"}));
    PasskeyChallenges passkeys(f.client, f.hash);
    auto const passkey_challenge =
        f.await(passkeys.create(f.scope, PasskeyChallenges::Registrant{f.user, "the session"}));
    for (auto const& secret :
        {token, std::string("987654"), std::string("876543"), passkey_challenge, std::string("the session")})
        CHECK(testing::find_marker(f.server, secret).empty());
    CHECK_FALSE(testing::find_marker(f.server, phone).empty());
}
