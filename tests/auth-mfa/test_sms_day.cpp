#include "sms/send_limits.hpp"
#include "state/rate_limits.hpp"
#include "support/redis_fixture.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>

using namespace std::chrono_literals;
using namespace auth_mfa;
using sms::Outcome, sms::PhoneNumber, sms::Purpose, sms::Refusal, sms::SendLimits;

// A day of the shared sender, minute by minute, with a clock that the test moves. The limits run on a real
// Redis, in the order in which the service applies them: the limits per user, phone and network, the
// conversion guard, the limits of the sender.

namespace {

constexpr std::array all_purposes{Purpose::sign_in, Purpose::enrolment, Purpose::notify};

/// A tenant's counts of the day.
struct Tally {
    int sent = 0;
    int refused = 0; ///< by any limit
    std::map<Purpose, int> sent_for;
    std::map<Refusal, int> refused_by;
    int refused_by_network = 0;
};

struct Tenant {
    Tenant(int number, std::string name)
        : scope(core::Scope::of(core::TenantId{number}, core::Environment::production, std::move(name)))
    {
    }

    core::Scope scope;
    sms::TenantLimits limits{.per_day = 1'000};
    Tally tally;
};

class Day : public testing::RedisFixture {
public:
    /// `verified`, `per_minute`: as for SenderGuard.
    Day(bool verified, std::int64_t per_minute)
        : limits_(sms::SenderGuard(client, "+18005550100", verified, per_minute), "auth-mfa", all_purposes,
              client, metrics_)
    {
    }

    /// Requests an enrolment code for a new user. Returns whether it was sent. The user confirms it at once
    /// if `confirms` is true.
    bool enrol(Tenant& tenant, std::string const& phone, std::string const& network, bool confirms)
    {
        auto const number = *PhoneNumber::parse(phone);
        UserId const user{core::Uuid::v7()};
        bool const sent = within(tenant,
            RateLimits::enrolment_code_sends(tenant.scope, user, number, CodeDestination::phone, network),
            number, Purpose::enrolment);
        if (sent && confirms)
            await(limits_.conversions().confirm(
                tenant.scope, number, std::chrono::floor<std::chrono::days>(clock.now())));
        return sent;
    }

    bool sign_in(Tenant& tenant, UserId user, std::string const& phone)
    {
        auto const number = *PhoneNumber::parse(phone);
        return within(tenant,
            RateLimits::sign_in_code_sends(tenant.scope, user, number, CodeDestination::phone), number,
            Purpose::sign_in);
    }

    bool notify(Tenant& tenant) { return pass(tenant, *PhoneNumber::parse("+14155550100"), Purpose::notify); }

private:
    bool within(Tenant& tenant, std::vector<Counter> counters, PhoneNumber const& phone, Purpose purpose)
    {
        auto const reserved = await(rate_limits_.reserve(std::move(counters)));
        if (!reserved.allowed) {
            ++tenant.tally.refused;
            ++tenant.tally.refused_by_network;
            return false;
        }
        if (pass(tenant, phone, purpose)) return true;
        await(rate_limits_.give_back(reserved));
        return false;
    }

    /// The provider accepts every message.
    bool pass(Tenant& tenant, PhoneNumber const& phone, Purpose purpose)
    {
        SendLimits::Message const message{tenant.scope, phone, purpose, tenant.limits};
        auto const permit = await(limits_.take(message));
        if (!permit.allowed()) {
            ++tenant.tally.refused;
            ++tenant.tally.refused_by[*permit.refusal];
            return false;
        }
        await(limits_.settle(message, permit, Outcome::accepted));
        ++tenant.tally.sent;
        ++tenant.tally.sent_for[purpose];
        return true;
    }

    observe::Metrics metrics_{"auth-mfa"};
    KeyedHash hash_{crypto::Keyring::parse("k1:" + std::string(43, 'A') + "=")};
    RateLimits rate_limits_{client, hash_};
    SendLimits limits_;
};

std::string digits(int number, std::size_t width)
{
    auto text = std::to_string(number);
    return std::string(width - text.size(), '0') + text;
}

/// A number of the Maldives, different for each `n`.
std::string maldivian(int n)
{
    return "+9607" + digits(n, 6);
}

/// An address, in another /24 for each `n` below 65,536.
std::string address(int n)
{
    return "10." + std::to_string(n >> 8) + '.' + std::to_string(n & 0xff) + ".1";
}

/// The users of an ordinary tenant: in most minutes somebody signs in, some enrol, and four of five confirm.
class OrdinaryTraffic {
public:
    OrdinaryTraffic(Day& day, int number)
        : day_(day), tenant_(number, "app-" + std::to_string(number)), random_(static_cast<unsigned>(number)),
          number_(number)
    {
    }

    /// The traffic of one minute. `busy`: messages in an hour.
    void minute(int busy)
    {
        std::uniform_int_distribution<int> chance(0, 59);
        if (chance(random_) >= busy) return;
        if (chance(random_) < 40) {
            day_.sign_in(tenant_, users_[static_cast<std::size_t>(next_ % 50)], phone(next_ % 50));
            ++next_;
        } else {
            day_.enrol(tenant_, phone(100 + next_), address(number_ << 12 | next_), chance(random_) < 48);
            ++next_;
        }
    }

    Tally const& tally() const { return tenant_.tally; }

private:
    std::string phone(int n) const { return "+491511" + std::to_string(number_) + digits(n, 5); }

    static std::vector<UserId> new_users()
    {
        std::vector<UserId> users;
        for (int i = 0; i < 50; ++i)
            users.emplace_back(core::Uuid::v7());
        return users;
    }

    Day& day_;
    Tenant tenant_;
    std::mt19937 random_;
    int const number_;
    int next_ = 0;
    std::vector<UserId> users_ = new_users();
};

constexpr int minutes = 24 * 60;

} // namespace

TEST_CASE("a day of attack does not refuse the users of other tenants", "[sms]")
{
    struct Sender {
        bool verified;
        std::int64_t per_minute;
        int busy; ///< messages of each ordinary tenant in an hour
    };

    // An unverified sender sends 500 messages a day: 5 tenants with about 2 an hour use half of it.
    auto const sender = GENERATE(Sender{true, 60, 30}, Sender{false, 1, 2});
    Day day(sender.verified, sender.per_minute);
    Tenant attacker(1, "attacker"), bulk(2, "bulk");
    std::vector<OrdinaryTraffic> ordinary;
    for (int number = 3; number < 8; ++number)
        ordinary.emplace_back(day, number);

    int requested = 0;
    for (int minute = 0; minute < minutes; ++minute) {
        // The attacker controls many networks and numbers. First it pumps codes to one country, then it
        // changes the country every minute.
        for (int i = 0; i < 5; ++i, ++requested) {
            bool const one_country = minute < minutes / 2;
            auto const phone = one_country
                                   ? maldivian(requested)
                                   : "+2" + std::to_string(20 + minute % 10) + "70" + digits(requested, 6);
            day.enrol(attacker, phone, address(requested / 3), false);
        }
        for (int i = 0; i < 5; ++i)
            day.notify(bulk);
        for (auto& tenant : ordinary)
            tenant.minute(sender.busy);
        day.clock.advance(1min);
        if (minute == minutes / 2 - 1) CHECK(attacker.tally.sent == sms::ConversionGuard::min_sent);
    }
    for (auto const& tenant : ordinary) {
        CHECK(tenant.tally().refused == 0);
        CHECK(tenant.tally().sent > 20);
        CHECK(tenant.tally().sent_for.size() == 2);
    }
    // Ten calling codes of which each got 20 codes, and the Maldives. An unverified sender stops the attacker
    // even earlier, at half of 30 % of 500 messages.
    auto const reached =
        std::min<std::int64_t>(11 * sms::ConversionGuard::min_sent, sender.verified ? 1'000 : 75);
    CHECK(attacker.tally.sent == reached);
    CHECK(attacker.tally.refused_by[Refusal::conversion] > 3'000);
    // The bulk tenant has half of 20 %: 6 of 60 messages a minute up to its 1,000 a day, or 50 of 500 a day.
    CHECK(bulk.tally.sent == (sender.verified ? 1'000 : 50));
}

TEST_CASE("an attacker in one network stops at the network's limit", "[sms]")
{
    auto const [network, limit] =
        GENERATE(table<std::string, Limit>({{"203.0.113.9", enrolment_send_limit_per_network},
            {"2001:db8:1:", enrolment_send_limit_per_wide_network}})); // every /64 of a /48
    bool const one_address = network.ends_with('9');
    Day day(true, 3'000);
    Tenant attacker(1, "attacker"), other(2, "other");
    attacker.limits.per_day = 100'000;
    for (int hour = 0; hour < 24; ++hour) {
        for (int i = 0; i < 300; ++i)
            day.enrol(attacker, maldivian(hour * 300 + i),
                one_address ? network : network + std::to_string(i) + "::1",
                true); // even if all are confirmed
        CHECK(
            day.enrol(other, maldivian(10'000 + hour), one_address ? "198.51.100.7" : "2001:db8:2::1", true));
        day.clock.advance(1h);
    }
    CHECK(attacker.tally.sent == 24 * limit.count);
    CHECK(other.tally.refused == 0);
}

TEST_CASE("an attacker with many networks and real numbers stops at the tenant's messages per day", "[sms]")
{
    Day day(true, 60);
    Tenant attacker(1, "attacker");
    OrdinaryTraffic ordinary(day, 3);
    int requested = 0;
    for (int minute = 0; minute < minutes; ++minute) {
        for (int i = 0; i < 10 && minute < 4 * 60; ++i, ++requested)
            day.enrol(attacker, maldivian(requested), address(requested / 3), true);
        ordinary.minute(30);
        day.clock.advance(1min);
    }
    CHECK(attacker.tally.sent == attacker.limits.per_day);
    CHECK(attacker.tally.refused_by[Refusal::tenant_share] > 0); // 9 a minute
    CHECK(attacker.tally.refused_by[Refusal::tenant_day] > 0);
    CHECK(ordinary.tally().refused == 0);
}

TEST_CASE("a day of guesses from other networks does not lock the owner of an account out", "[sms]")
{
    testing::RedisFixture f;
    KeyedHash const hash{crypto::Keyring::parse("k1:" + std::string(43, 'A') + "=")};
    RateLimits limits(f.client, hash);
    auto const scope = core::Scope::of(core::TenantId{1}, core::Environment::production, "demo");
    auto const guess = [&](GuessOrigin const& origin, bool right) {
        auto const reserved =
            f.await(limits.reserve(RateLimits::wrong_passwords_for_email(scope, "ada@example.com", origin)));
        if (reserved.allowed && right) f.await(limits.give_back(reserved));
        return reserved.allowed;
    };
    // From 9 networks the attacker stays below the limit over all networks. From 12 it does not, and then the
    // owner needs a browser that the account trusts.
    int const networks = GENERATE(9, 12);
    std::string const home = "198.51.100.7";
    GuessOrigin owner{.address = home};
    if (networks == 12) owner.trusted_device = core::Uuid::v7();
    int guesses = 0;
    for (int minute = 0; minute < minutes; minute += 30) {
        for (int i = 0; i < 11 * networks; ++i)
            guesses += guess({.address = address(i % networks)}, false) ? 1 : 0;
        CHECK(guess(owner, true));
        CHECK(guess(owner, false)); // a typing error
        f.clock.advance(30min);
    }
    auto const allowed =
        wrong_password_limit.count * std::min<std::int64_t>(networks, guesses_over_all_networks);
    CHECK(guesses == minutes / 30 * allowed);
}
