#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <mutex>
#include <set>
#include <thread>

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

std::string verify_body(std::string const& token, std::string const& method, std::string const& code)
{
    return body({{"mfa_token", token}, {"method", method}, {"code", code}});
}

std::string sessions_of(World const& world, Account const& account)
{
    return world.postgres.query("SELECT count(*) FROM sessions WHERE user_id = '" + account.user_id + "'");
}

} // namespace

TEST_CASE("of many simultaneous requests with the right code only one gets a session", "[concurrency]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto clients = clients_of(world);
    for (int round = 0; round < 9; ++round) { // an account gets 10 codes per hour
        auto const token = world.challenged(ada);
        auto const before = std::stoi(sessions_of(world, ada));
        auto const request = verify_body(token, "sms", world.code_sent_to(ada.phone));
        auto const got = at_once(callers,
            [&](int i) { return clients[static_cast<std::size_t>(i)].post("/v1/auth/mfa/verify", request); });
        INFO("round " << round);
        CHECK(got.at(200) == 1);
        CHECK(got.contains(503) == false);
        CHECK(std::stoi(sessions_of(world, ada)) == before + 1);
    }
}

TEST_CASE("of many simultaneous requests with the same TOTP or recovery code only one gets a session",
    "[concurrency]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    auto clients = clients_of(world);
    for (int round = 0; round < 6; ++round) {
        world.clock.advance(60s);
        // One code for many challenges: each time step and each recovery code works once.
        std::vector<std::string> tokens(callers);
        std::string const code =
            round % 2 == 0 ? world.totp_code(ada) : ada.recovery_codes[static_cast<std::size_t>(round)];
        bool const one_challenge = round >= 4;
        for (auto& token : tokens)
            token = one_challenge && !tokens[0].empty() ? tokens[0] : world.challenged(ada);
        auto const before = std::stoi(sessions_of(world, ada));
        auto const got = at_once(callers, [&](int i) {
            auto const n = static_cast<std::size_t>(i);
            return clients[n].post("/v1/auth/mfa/verify",
                verify_body(tokens[n], round % 2 == 0 ? "totp" : "recovery_code", code));
        });
        INFO("round " << round);
        CHECK(got.at(200) == 1);
        CHECK(std::stoi(sessions_of(world, ada)) == before + 1);
        world.clock.advance(24h); // forgets the refused attempts
    }
}

TEST_CASE("at most 5 codes of a challenge are compared, even if many arrive at once", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    for (int round = 0; round < 12; ++round) {
        auto const ada = world.new_account_with_sms();
        auto const token = world.challenged(ada);
        auto const request = verify_body(token, "sms", other_code(world.code_sent_to(ada.phone)));
        auto const got = at_once(callers,
            [&](int i) { return clients[static_cast<std::size_t>(i)].post("/v1/auth/mfa/verify", request); });
        INFO("round " << round);
        CHECK(got.at(400) == 5);
        CHECK(got.at(429) == callers - 5);
        CHECK(world.verify(token, "sms", world.code_sent_to(ada.phone)).status == 429);
        // Only 5 attempts of the account are counted, so another sign-in works.
        CHECK(world.verify(world.challenged(ada), "sms", world.code_sent_to(ada.phone)).status == 200);
    }
}

TEST_CASE("of many simultaneous different guesses at most 5 are compared", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    auto const ada = world.new_account_with_totp();
    auto const token = world.challenged(ada);
    std::mutex mutex;
    std::set<std::string> remaining;
    auto const got = at_once(callers, [&](int i) {
        auto const r = clients[static_cast<std::size_t>(i)].post(
            "/v1/auth/mfa/verify", verify_body(token, "totp", std::to_string(100'000 + i)));
        if (r.status == 400) {
            std::lock_guard const lock(mutex);
            remaining.insert(text(r.json(), "attemptsRemaining"));
        }
        return r;
    });
    CHECK(got.at(400) <= 5);
    CHECK(got.at(400) + got.at(429) == callers);
    CHECK(remaining.size() == static_cast<std::size_t>(got.at(400))); // each attempt was counted separately
}

TEST_CASE("the limit of an account is enforced over many simultaneous challenges", "[concurrency]")
{
    World world;
    world.one_network = true;
    auto clients = clients_of(world);
    auto const ada = world.new_account_with_totp();
    std::vector<std::string> tokens;
    for (int i = 0; i < callers; ++i)
        tokens.push_back(world.challenged(ada));
    auto const request = [&](std::string const& method, std::string const& code) {
        return at_once(callers, [&](int i) {
            auto const n = static_cast<std::size_t>(i);
            testing::HttpResponse r;
            testing::eventually(
                [&] { // a request that gets 503 under load does not count as an attempt
                    r = clients[n].post("/v1/auth/mfa/verify", verify_body(tokens[n], method, code));
                    return r.status != 503;
                },
                5min);
            return r;
        });
    };
    auto const codes = request("totp", other_code(world.totp_code(ada, 1)));
    CHECK(codes.at(400) == 20);
    CHECK(codes.at(429) == callers - 20);
    auto const recovery = request("recovery_code", "0000-0000-0000-0000");
    CHECK(recovery.at(400) == 10);
    CHECK(recovery.at(429) == callers - 10);
}

TEST_CASE("of many simultaneous requests for a code only as many succeed as sends are left", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    for (int round = 0; round < 4; ++round) {
        auto const ada = world.new_account_with_sms();
        auto const token = world.challenged(ada);
        auto const sent = world.messages_to(ada.phone).size();
        auto const request = body({{"mfa_token", token}, {"challenge_type", "oob"}, {"oob_channel", "sms"}});
        auto const got = at_once(callers, [&](int i) {
            return clients[static_cast<std::size_t>(i)].post("/v1/auth/mfa/challenge", request);
        });
        CHECK(got.at(200) == 2);
        CHECK(got.at(429) == callers - 2);
        CHECK(world.messages_to(ada.phone).size() == sent + 2);
    }
}

TEST_CASE("of many simultaneous confirmations only one enrols", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    for (int round = 0; round < 6; ++round) {
        auto const ada = world.new_account();
        auto const phone = World::new_phone();
        REQUIRE(world.as(ada).post("/v1/auth/mfa/sms/setup", body({{"phone", phone}})).status == 200);
        auto const request = body({{"code", world.code_sent_to(phone)}});
        testing::HttpClient::Headers const headers{{"Authorization", "Bearer " + ada.access_token}};
        auto const got = at_once(callers, [&](int i) {
            return clients[static_cast<std::size_t>(i)].post("/v1/auth/mfa/sms/confirm", request, headers);
        });
        CHECK(got.at(200) == 1);
        CHECK(world.postgres.query(
                  "SELECT count(*) FROM recovery_codes WHERE user_id = '" + ada.user_id + "'") == "10");
    }
}

TEST_CASE("a refresh token that is sent many times at once rotates once", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    auto ada = world.new_account();
    for (int round = 0; round < 20; ++round) {
        auto const request = body({{"refreshToken", ada.refresh_token}});
        std::mutex mutex;
        std::set<std::string> tokens;
        auto const got = at_once(callers, [&](int i) {
            auto const r = clients[static_cast<std::size_t>(i)].post("/v1/auth/refresh", request);
            if (r.status == 200) {
                std::lock_guard const lock(mutex);
                tokens.insert(text(r.json(), "refreshToken"));
            }
            return r;
        });
        INFO("round " << round);
        CHECK(got.at(200) == callers); // all within 10 s: one request rotates, the others count as retries
        REQUIRE(tokens.size() == 1);
        ada.refresh_token = *tokens.begin();
        CHECK(world.postgres.query("SELECT generation FROM sessions WHERE user_id = '" + ada.user_id + "'") ==
              std::to_string(round + 2));
    }
}

TEST_CASE("an email that is registered many times at once gets one account", "[concurrency]")
{
    World const world;
    auto clients = clients_of(world);
    for (int round = 0; round < 3; ++round) {
        auto const email = World::new_email();
        auto const request = body({{"email", email}, {"password", World::password}});
        auto const got = at_once(callers,
            [&](int i) { return clients[static_cast<std::size_t>(i)].post("/v1/auth/register", request); });
        CHECK(got.at(201) == 1);
        auto const conflicts = got.contains(409) ? got.at(409) : 0,
                   busy = got.contains(503) ? got.at(503) : 0;
        CHECK(conflicts + busy == callers - 1); // 503: the hashing queue is full
        CHECK(world.postgres.query("SELECT count(*) FROM users WHERE email = '" + email + "'") == "1");
    }
}

TEST_CASE("if two owners demote each other at once, only one succeeds", "[concurrency]")
{
    World const world;
    for (int round = 0; round < 5; ++round) {
        std::string const tenant = "race" + std::to_string(round) + "-sandbox";
        REQUIRE(world.as_master()
                    .put("/v1/admin/tenants/" + testing::slug_of(tenant), R"({"displayName":"x"})")
                    .status == 201);
        auto const ada = world.new_owner(tenant), bob = world.new_owner(tenant);
        std::deque<testing::HttpClient> clients;
        clients.push_back(world.as(ada));
        clients.push_back(world.as(bob));
        auto const got = at_once(2, [&](int i) {
            return clients[static_cast<std::size_t>(i)].patch(
                "/v1/members/" + (i == 0 ? bob : ada).user_id, R"({"role":"user"})");
        });
        CHECK(got.at(200) == 1);
        CHECK(world.postgres.query("SELECT count(*) FROM users WHERE role = 'owner' AND user_id IN ('" +
                                   ada.user_id + "','" + bob.user_id + "')") == "1");
    }
}
