#include "emails.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <thread>

// Simultaneous requests that use tokens from emails, and many requests for emails.

namespace {

constexpr int callers = 64;

/// One client per thread, created before the race.
std::deque<testing::HttpClient> clients_of(World const& world)
{
    std::deque<testing::HttpClient> clients;
    for (int i = 0; i < callers; ++i)
        clients.push_back(world.client());
    return clients;
}

/// Responses per status, counted by many threads.
class Tally {
public:
    void add(unsigned status)
    {
        std::lock_guard const lock(mutex_);
        ++counts_[status];
    }

    /// The number of responses that have one of these statuses.
    int of(std::initializer_list<unsigned> statuses) const
    {
        int sum = 0;
        for (unsigned const status : statuses) {
            auto const found = counts_.find(status);
            if (found != counts_.end()) sum += found->second;
        }
        return sum;
    }

private:
    std::mutex mutex_;
    std::map<unsigned, int> counts_;
};

/// Repeats the request while it gets 503, because the hashing queue is full.
template <class Request> testing::HttpResponse insist(Request request)
{
    testing::HttpResponse r;
    auto const is_handled = [&] {
        r = request();
        return r.status != 503;
    };
    testing::eventually(is_handled, 5min);
    return r;
}

/// The password of the caller `number`.
std::string password_of(int number)
{
    return "violet harbour lantern " + std::to_string(number);
}

std::string reset_body(std::string const& token, int number)
{
    return body({{"token", token}, {"newPassword", password_of(number)}});
}

std::string count(World const& world, std::string const& table_and_condition)
{
    return world.postgres.query("SELECT count(*) FROM " + table_and_condition);
}

} // namespace

TEST_CASE("of many simultaneous resets with one token only one sets the password", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    for (int round = 0; round < 3; ++round) {
        INFO("round " << round);
        auto ada = world.new_account();
        auto const token = reset_token(world, ada.email);
        Tally tally;
        std::atomic<int> winner = -1;
        at_once(callers, [&](int i) {
            auto& client = clients[static_cast<std::size_t>(i)];
            auto r = insist([&] { return client.post("/v1/auth/password/reset", reset_body(token, i)); });
            tally.add(r.status);
            if (r.status == 200) winner = i;
            return r;
        });
        CHECK(tally.of({200}) == 1);
        CHECK(tally.of({410}) == callers - 1);
        ada.password = password_of(winner);
        CHECK(world.login(ada).status == 200);
        CHECK(count(world, "email_tokens WHERE user_id = '" + ada.user_id + "'") == "0");
        CHECK(count(world, "activity WHERE type = 'password_reset' AND user_id = '" + ada.user_id + "'") ==
              "1");
    }
}

TEST_CASE("no session that a sign-in opens with the old password survives a reset", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    for (int round = 0; round < 3; ++round) {
        INFO("round " << round);
        auto ada = world.new_account();
        auto const token = reset_token(world, ada.email);
        Tally resets, logins;
        at_once(callers, [&](int i) {
            auto& client = clients[static_cast<std::size_t>(i)];
            auto r = insist([&] {
                return i % 2 == 0 ? client.post("/v1/auth/password/reset", reset_body(token, 0))
                                  : client.post("/v1/auth/login", credentials(ada.email, ada.password));
            });
            (i % 2 == 0 ? resets : logins).add(r.status);
            return r;
        });
        CHECK(resets.of({200}) == 1);
        CHECK(resets.of({410}) == callers / 2 - 1);
        CHECK(logins.of({200, 401, 429}) == callers / 2);
        CHECK(count(world, "sessions WHERE ended_at IS NULL AND user_id = '" + ada.user_id + "'") == "0");
        world.clock.advance(15min); // forgets the wrong passwords
        CHECK(world.login(ada).status == 401);
        ada.password = password_of(0);
        CHECK(world.login(ada).status == 200);
    }
}

TEST_CASE(
    "of many simultaneous verifications and registrations of one address only one verifies", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    for (int round = 0; round < 3; ++round) {
        INFO("round " << round);
        auto const ada = world.new_account();
        auto const verify = body({{"token", world.token_mailed_to(ada.email, verification)}});
        auto const enter = credentials(ada.email, World::password);
        Tally verifications, registrations;
        at_once(callers, [&](int i) {
            auto& client = clients[static_cast<std::size_t>(i)];
            auto r = insist([&] {
                return i % 2 == 0 ? client.post("/v1/auth/email/verify", verify)
                                  : client.post("/v1/auth/register", enter);
            });
            (i % 2 == 0 ? verifications : registrations).add(r.status);
            return r;
        });
        CHECK(verifications.of({200}) == 1);
        CHECK(verifications.of({410}) == callers / 2 - 1);
        CHECK(registrations.of({409}) == callers / 2);
        CHECK(count(world, "users WHERE email_verified AND email = '" + ada.email + "'") == "1");
    }
}

TEST_CASE("an address that is confirmed and registered at once gets one account", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    for (int round = 0; round < 3; ++round) {
        INFO("round " << round);
        auto const ada = world.new_account();
        auto const email = World::new_email();
        REQUIRE(world.as(ada).post("/v1/auth/email", body({{"newEmail", email}})).status == 202);
        auto const confirm = body({{"token", world.token_mailed_to(email, confirmation)}});
        auto const enter = credentials(email, World::password);
        Tally tally;
        std::atomic<bool> is_registered = false;
        at_once(callers, [&](int i) {
            auto& client = clients[static_cast<std::size_t>(i)];
            bool const confirms = i % 2 == 0;
            // Registrations take longer, because they hash a password. In every second round they win: the
            // confirmations wait for the first of them.
            if (confirms && round % 2 == 1) is_registered.wait(false);
            auto r = insist([&] {
                return confirms ? client.post("/v1/auth/email/confirm", confirm)
                                : client.post("/v1/auth/register", enter);
            });
            tally.add(r.status);
            if (!confirms) {
                is_registered = true;
                is_registered.notify_all();
            }
            return r;
        });
        CHECK(tally.of({200, 201}) == 1);
        CHECK(tally.of({409, 410}) == callers - 1);
        CHECK(count(world, "users WHERE email = '" + email + "'") == "1");
    }
}

TEST_CASE("of many simultaneous acceptances of an invitation only one signs in", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    for (int round = 0; round < 3; ++round) {
        INFO("round " << round);
        auto const email = World::new_email();
        auto const invited =
            world.as_master().post("/v1/members", body({{"email", email}, {"invite", true}}));
        REQUIRE(invited.status == 201);
        auto const token = world.token_mailed_to(email, invitation);
        Tally tally;
        std::atomic<int> winner = -1;
        at_once(callers, [&](int i) {
            auto& client = clients[static_cast<std::size_t>(i)];
            auto const acceptance = body({{"token", token}, {"password", password_of(i)}});
            auto r = insist([&] { return client.post("/v1/auth/invitations/accept", acceptance); });
            tally.add(r.status);
            if (r.status == 201) winner = i;
            return r;
        });
        CHECK(tally.of({201}) == 1);
        CHECK(tally.of({410}) == callers - 1);
        auto const user_id = text(invited.json(), "userId");
        CHECK(count(world, "sessions WHERE user_id = '" + user_id + "'") == "1");
        Account const member{.tenant = "demo-sandbox", .email = email, .password = password_of(winner)};
        CHECK(world.login(member).status == 200);
    }
}

TEST_CASE("many simultaneous requests for a reset send at most three emails", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    auto const ada = world.new_account();
    auto const request = body({{"email", ada.email}});
    auto const got = at_once(callers, [&](int i) {
        return clients[static_cast<std::size_t>(i)].post("/v1/auth/password/forgot", request);
    });
    CHECK(got == std::map<unsigned, int>{{202, callers}});
    REQUIRE(testing::eventually([&] { return count(world, "mails") == "0"; }));
    CHECK(world.mails_to(ada.email).size() == 4); // with the verification
}

TEST_CASE("at most 1,000 invitations an hour are sent for a scope", "[email]")
{
    World const world;
    auto backend = world.with(world.new_key());
    auto const invite_one = [&] {
        return backend.post("/v1/members", body({{"email", World::new_email()}, {"invite", true}}));
    };
    for (int i = 0; i < 1'000; ++i)
        REQUIRE(invite_one().status == 201);
    auto const refused = invite_one();
    CHECK(refused.status == 429);
    CHECK(error_of(refused) == "RATE_LIMITED");
    CHECK_FALSE(refused.header("retry-after").empty());
    CHECK(count(world, "users WHERE status = 'invited'") == "1000");
    CHECK(backend.post("/v1/members", body({{"email", World::new_email()}})).status == 201);
    auto elsewhere = world.with(world.new_key("demo"), "demo");
    CHECK(
        elsewhere.post("/v1/members", body({{"email", World::new_email()}, {"invite", true}})).status == 201);
    world.clock.advance(1h);
    CHECK(invite_one().status == 201);
}
