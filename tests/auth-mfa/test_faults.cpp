#include "factors.hpp"
#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <future>
#include <sstream>

namespace {

testing::HttpResponse set_up(World const& world, Account const& account, std::string const& phone)
{
    return world.as(account).post("/v1/auth/mfa/sms/setup", setup_body(phone));
}

/// The code in the last message that the Twilio test server accepted.
std::string last_code(testing::TwilioServer const& twilio)
{
    auto const said = twilio.accepted().back().at("Body");
    return said.substr(said.find(": ") + 2, 6);
}

/// An account that enrolled its phone with the code sent to the Twilio test server.
Account with_sms(World const& world, testing::TwilioServer const& twilio)
{
    Account account = world.new_account();
    account.phone = World::new_phone();
    REQUIRE(set_up(world, account, account.phone).status == 200);
    auto const confirmed = world.as(account).post("/v1/auth/mfa/sms/confirm", code_body(last_code(twilio)));
    REQUIRE(confirmed.status == 200);
    for (auto const& recovery_code : confirmed.json().at("recoveryCodes").as_array())
        account.recovery_codes.emplace_back(recovery_code.as_string());
    return account;
}

/// Whether `text` contains `secret`. A secret of at most six characters inside a longer word does not count.
bool holds(std::string const& text, std::string const& secret)
{
    auto const part_of_word = [&](std::size_t i) { return i < text.size() && std::isalnum(text[i]) != 0; };
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + 1)) {
        if (secret.size() > 6 || (!part_of_word(at - 1) && !part_of_word(at + secret.size()))) return true;
    }
    return false;
}

} // namespace

TEST_CASE("without Redis a sign-in with a second factor gets 503, never a session", "[faults]")
{
    World world;
    auto const ada = world.new_account_with_sms();
    auto const passed = world.verify(world.challenged(ada), "recovery_code", ada.recovery_codes[0]);
    auto const open = world.challenged(ada);
    auto const code = world.code_sent_to(ada.phone);
    bool const away = GENERATE(true, false);
    INFO((away ? "away" : "hung"));
    if (away)
        world.redis.stop();
    else
        world.redis.pause();
    auto const sign_in = world.login(ada);
    CHECK(outcome(sign_in) == unavailable);
    CHECK_FALSE(sign_in.header("retry-after").empty());
    CHECK(sign_in.body.find("accessToken") == std::string::npos);
    CHECK(world.verify(open, "sms", code).status == 503);
    CHECK(world.verify(open, "recovery_code", ada.recovery_codes[1]).status == 503);
    CHECK(world.send(open).status == 503);
    auto caller = world.with(text(passed.json(), "accessToken"));
    CHECK(caller.post("/v1/auth/mfa/sms/confirm", body({{"code", code}})).status == 503);
    CHECK(caller.request("DELETE", "/v1/auth/mfa/sms", {}, body({{"code", ada.recovery_codes[1]}})).status ==
          503);
    // Routes that count nothing continue to work.
    CHECK(caller.get("/v1/auth/me").status == 200);
    auto const tokens = passed.json();
    CHECK(world.client()
              .post("/v1/auth/refresh", body({{"refreshToken", text(tokens, "refreshToken")}}))
              .status == 200);
    CHECK(world.client().get("/.well-known/jwks.json").status == 200);

    if (away)
        world.redis.start();
    else
        world.redis.resume();
    CHECK(testing::eventually([&] { return world.login(ada).status == 403; }));
}

TEST_CASE("without PostgreSQL requests get 503, and the service recovers without a restart", "[faults]")
{
    World world;
    auto const ada = world.new_account_with_sms();
    auto const open = world.challenged(ada);
    auto const code = world.code_sent_to(ada.phone);
    world.postgres.stop();
    auto const sign_in = world.login(ada);
    CHECK(outcome(sign_in) == unavailable);
    CHECK_FALSE(sign_in.header("retry-after").empty());
    CHECK(world.verify(open, "sms", code).status == 503);
    CHECK(world.client().post("/v1/auth/refresh", body({{"refreshToken", ada.refresh_token}})).status == 503);
    CHECK(world.as(ada).get("/v1/auth/me").status == 503);
    CHECK(world.client()
              .post("/v1/auth/register", body({{"email", World::new_email()}, {"password", World::password}}))
              .status == 503);
    world.postgres.start();
    CHECK(testing::eventually([&] { return world.as(ada).get("/v1/auth/me").status == 200; }));
    // Signing in works again.
    auto const again = world.challenged(ada);
    CHECK(world.verify(again, "sms", world.code_sent_to(ada.phone)).status == 200);
}

TEST_CASE("a restart of the service loses no challenge, no session and no key", "[faults]")
{
    World world;
    auto const ada = world.new_account_with_sms();
    auto const open = world.challenged(ada);
    auto const jwks = world.client().get("/.well-known/jwks.json").body;
    world.restart();
    CHECK(world.client().get("/.well-known/jwks.json").body == jwks);
    CHECK(world.as(ada).get("/v1/auth/me").status == 200);
    CHECK(world.verify(open, "sms", world.code_sent_to(ada.phone)).status == 200);
}

TEST_CASE("messages are sent through Twilio's documented API", "[faults]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const ada = with_sms(world, twilio);
    auto const sent = twilio.accepted();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].at("To") == ada.phone);
    CHECK(sent[0].at("From") == testing::TwilioServer::from);
    CHECK(sent[0].at("Body").starts_with("A tenant: "));
}

TEST_CASE("a sent code belongs to the trace of its request", "[faults]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const ada = with_sms(world, twilio);
    std::string const trace = "0af7651916cd43dd8448eb211c80319c";
    auto const r = world.client().post("/v1/auth/login", credentials(ada.email, World::password),
        {{"traceparent", "00-" + trace + "-b7ad6b7169203331-01"}});
    REQUIRE(r.status == 403);
    auto const traces = twilio.traces();
    REQUIRE(traces.size() == 2);
    CHECK(traces[0].substr(3, 32) != trace);
    CHECK(traces[1].starts_with("00-" + trace + "-"));
    CHECK(traces[1].ends_with("-01"));
    CHECK(traces[1].find("b7ad6b7169203331") == std::string::npos); // the service adds its own span
}

TEST_CASE("a failure of Twilio gives a clear error, and no message is sent twice", "[faults]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const ada = with_sms(world, twilio);
    auto const open = world.challenged(ada);
    auto const asked = twilio.requests();

    struct Case {
        char const* name;
        unsigned status;
        int code;
        char const* refusal;
    };

    auto const c =
        GENERATE(Case{"internal error", 500, 20500, unavailable}, Case{"overloaded", 503, 20503, unavailable},
            Case{"rate limit", 429, 20429, unavailable}, Case{"bad credentials", 401, 20003, unavailable},
            Case{"opted out", 400, 21610, undeliverable}, Case{"invalid number", 400, 21211, undeliverable},
            Case{"not a mobile number", 400, 21614, undeliverable},
            Case{"country not allowed", 400, 21408, undeliverable});
    INFO(c.name);
    twilio.refuse_with(c.status, c.code);
    auto const r = world.send(open);
    CHECK(outcome(r) == c.refusal);
    CHECK((r.status != 503 || !r.header("retry-after").empty()));
    CHECK(twilio.requests() == asked + 1); // only one request was sent
    auto const sign_in = world.login(ada); // its response does not report the failure
    CHECK(sign_in.status == 403);
    CHECK(error_of(sign_in) == "mfa_required");
    CHECK(world.verify(text(sign_in.json(), "mfa_token"), "recovery_code", ada.recovery_codes[0]).status ==
          200);
}

TEST_CASE("a number that opted out gets no messages of any tenant until the opt-out is cleared", "[faults]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const ada = with_sms(world, twilio);
    twilio.refuse_with(400, 21610);
    auto const open = world.challenged(ada);
    twilio.refuse_with(201);
    auto const asked = twilio.requests();
    auto const refused = [&](testing::HttpResponse const& r) {
        return r.status == 422 && error_of(r) == "MFA_SMS_UNDELIVERABLE" && twilio.requests() == asked;
    };
    CHECK(refused(world.send(open)));
    CHECK(set_up(world, world.new_account("other"), ada.phone).status == 200); // see test_opt_outs.cpp
    CHECK(twilio.requests() == asked);
    auto const path = "/v1/admin/sms/opt-outs/" + ada.phone;
    CHECK(world.as(world.new_owner()).del(path).status == 403);
    CHECK(world.as_master().del(path).body == R"({"deleted":true})");
    CHECK(world.as_master().del(path).status == 404);
    CHECK(world.postgres.query(R"(
        SELECT string_agg(actor || ' ' || action || ' ' || subject_id, ',')
        FROM audit_log
        WHERE scope_id = 0)") ==
          "master sms_opt_out.cleared " + sms::PhoneNumber::parse(ada.phone)->masked());
    CHECK(world.send(world.challenged(ada)).status == 200);
}

TEST_CASE("a send that Twilio refuses is counted, and the previous code stays valid", "[faults]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const ada = with_sms(world, twilio);
    auto const first = world.challenged(ada);
    auto const code = last_code(twilio);
    auto const second = world.challenged(ada);
    twilio.refuse_with(503, 20503);
    CHECK(outcome(world.send(first)) == unavailable);
    CHECK(outcome(world.send(second)) == unavailable); // the 2nd send of this challenge
    twilio.refuse_with(201);
    CHECK(world.verify(first, "sms", code).status == 200);
    CHECK(world.send(second).json().at("sendsRemaining") == 0);
    CHECK(outcome(world.send(second)) == limited);
    CHECK(world.verify(second, "sms", last_code(twilio)).status == 200);
}

TEST_CASE("a send that Twilio does not answer times out", "[faults]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const ada = with_sms(world, twilio);
    std::vector<std::string> open(4); // more than the number of I/O threads of the service
    for (auto& token : open)
        token = world.challenged(ada);
    auto const asked = twilio.requests();
    twilio.delay(10min);
    std::vector<std::future<testing::HttpResponse>> sends;
    for (auto const& token : open)
        sends.push_back(std::async(std::launch::async, [&] { return world.send(token); }));

    // Other requests are handled during this time.
    CHECK(testing::eventually([&] { return twilio.requests() == asked + open.size(); }));
    CHECK(world.as(ada).get("/v1/auth/me").status == 200);
    CHECK(std::ranges::none_of(
        sends, [](auto const& send) { return send.wait_for(0s) == std::future_status::ready; }));

    for (auto& send : sends) {
        auto const r = send.get();
        CHECK(outcome(r) == unavailable);
        CHECK_FALSE(r.header("retry-after").empty());
    }
    CHECK(twilio.requests() == asked + open.size()); // each request was sent once
    // The message may have been sent, so the send counts. The three sends are the automatic send, this send,
    // and the next send.
    twilio.delay(0ms);
    CHECK(world.send(open[0]).json().at("sendsRemaining") == 0);
}

TEST_CASE("a slow response of Twilio blocks no thread and does not delay other tenants' codes", "[faults]")
{
    constexpr unsigned users = 20;
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    std::vector<Account> accounts;
    for (unsigned i = 0; i < users; ++i)
        accounts.push_back(world.new_account());
    auto const elsewhere = world.new_account("other");
    twilio.delay(10min);
    std::vector<std::future<unsigned>> set_ups;
    for (auto const& account : accounts)
        set_ups.push_back(std::async(
            std::launch::async, [&] { return set_up(world, account, World::new_phone()).status; }));
    CHECK(testing::eventually([&] { return twilio.requests() == users; }));
    set_ups.push_back(
        std::async(std::launch::async, [&] { return set_up(world, elsewhere, World::new_phone()).status; }));
    CHECK(testing::eventually([&] { return twilio.requests() == users + 1; }));
    twilio.delay(0ms);
    for (auto& each : set_ups)
        CHECK(each.get() == 200);
}

TEST_CASE("a slow response of Twilio is awaited, and a malformed response gives an error", "[faults]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto const ada = with_sms(world, twilio);
    auto const open = world.challenged(ada);
    twilio.delay(1s);
    CHECK(world.send(open).status == 200);
    twilio.delay(0ms);
    for (auto const* nonsense : {"<html>", "{}", "[]", "null"}) {
        twilio.answer_nonsense(nonsense);
        CHECK(world.login(ada).status == 403);
    }
    CHECK(outcome(world.send(open)) == unavailable);
}

TEST_CASE("an unreachable Twilio gives a clear error, and the send is not counted", "[faults]")
{
    auto twilio = std::make_unique<testing::TwilioServer>();
    World const world({.twilio_url = twilio->url()});
    auto const ada = with_sms(world, *twilio);
    auto const open = world.challenged(ada); // the 1st send
    auto const code = last_code(*twilio);
    twilio.reset();
    for (int i = 0; i < 5; ++i)
        CHECK(outcome(world.send(open)) == unavailable);
    CHECK(world.verify(open, "sms", code).status == 200); // no other code replaced it
}

TEST_CASE("logs contain no secrets", "[faults]")
{
    World world;
    Account ada = world.new_account_with_sms();
    std::vector<std::string> secrets{ada.access_token, ada.refresh_token, ada.phone, World::password};
    world.enrol_totp(ada);
    secrets.push_back(ada.totp_secret);
    for (auto const& code : ada.recovery_codes)
        secrets.push_back(code);
    auto const open = world.challenged(ada);
    secrets.push_back(open);
    world.send(open);
    secrets.push_back(world.code_sent_to(ada.phone));
    world.verify(open, "sms", "000000");
    auto const passed = world.verify(open, "sms", world.code_sent_to(ada.phone), true);
    REQUIRE(passed.status == 200);
    auto const cookie = device_cookie_of(passed);
    secrets.push_back(cookie.substr(cookie.find('.') + 1));
    secrets.push_back(text(passed.json(), "accessToken"));
    secrets.push_back(text(passed.json(), "refreshToken"));

    // The following requests fail for different reasons.
    world.client().post("/v1/auth/login", body({{"email", ada.email}, {"password", "a wrong pass phrase"}}));
    secrets.emplace_back("a wrong pass phrase");
    world.client().post("/v1/auth/refresh", body({{"refreshToken", "a-refresh-token-that-is-none"}}));
    secrets.emplace_back("a-refresh-token-that-is-none");
    world.client().post("/v1/auth/external", body({{"idToken", "an-id-token-that-is-none"}}));
    secrets.emplace_back("an-id-token-that-is-none");
    world.with("a-bearer-that-is-none").get("/v1/auth/me");
    secrets.emplace_back("a-bearer-that-is-none");
    world.as_master().del("/v1/admin/sms/opt-outs/" + ada.phone);
    world.redis.stop();
    world.login(ada);
    world.redis.start();
    world.postgres.stop();
    world.login(ada);
    world.client().post("/v1/auth/refresh", body({{"refreshToken", ada.refresh_token}}));
    world.postgres.start();

    auto const log = world.logged();
    CHECK(log.find("/v1/auth/login") != std::string::npos); // the log is not empty
    for (auto const& secret : secrets) {
        INFO(secret);
        CHECK_FALSE(holds(log, secret));
    }
    CHECK(log.find(testing::master_key) == std::string::npos);
    CHECK(log.find(ada.phone.substr(1)) == std::string::npos);

    // The database contains no usable secret either.
    REQUIRE(testing::eventually([&] { return world.as(ada).get("/v1/auth/me").status == 200; }));
    auto const tables = world.postgres.query(R"(
        SELECT string_agg(table_name, ',')
        FROM information_schema.tables
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE')");
    std::istringstream names(tables);
    for (std::string table; std::getline(names, table, ',');) {
        auto const rows =
            world.postgres.query("SELECT coalesce(string_agg(t::text, E'\\n'), '') FROM " + table + " t");
        for (auto const& secret : secrets) {
            if (secret == ada.phone) continue;
            INFO(table << ": " << secret);
            CHECK_FALSE(holds(rows, secret));
        }
    }
}
