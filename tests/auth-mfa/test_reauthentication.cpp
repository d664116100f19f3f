#include "factors.hpp"
#include "identity_provider.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

// What POST /v1/auth/reauthenticate refuses: outdated id tokens, and guesses.
// test_fresh_authentication.cpp tests the routes that need a fresh authentication.

namespace {

namespace json = boost::json;

constexpr char const* wrong_credentials = "401 INVALID_CREDENTIALS";

testing::HttpResponse prove(World const& world, Account const& account, json::object const& proof)
{
    return with_keys([&] { return world.as(account).post("/v1/auth/reauthenticate", body(proof)); });
}

json::object code(std::string const& method, std::string const& value)
{
    return {{"method", method}, {"code", value}};
}

std::string prove_code(World const& world, Account const& account, std::string const& sent)
{
    return outcome(prove(world, account, code("sms", sent)));
}

std::int64_t auth_time_of(testing::HttpResponse const& response)
{
    return claims_of(text(response.json(), "accessToken")).at("auth_time").as_int64();
}

} // namespace

TEST_CASE(
    "an id token is compared with the session's last authentication, not with the access token's", "[fresh]")
{
    World const world;
    TrustedProvider const provider(world);
    world.set({{"identityProviders", json::array{provider.setting()}}});
    Account ada{.tenant = "demo-sandbox", .email = World::new_email()};
    ada.take(testing::require(201, sign_in_externally(world, provider.token(ada.email))));

    world.clock.advance(10s);
    auto const between = provider.token(ada.email);
    world.clock.advance(10s);
    auto const latest = prove(world, ada, {{"idToken", provider.token(ada.email)}});
    REQUIRE(latest.status == 200);
    CHECK(auth_time_of(latest) == core::unix_seconds(world.clock.now()));

    // The access token of `ada` is from the sign-in, so it is older than `between`.
    CHECK(outcome(prove(world, ada, {{"idToken", between}})) == wrong_credentials);
    CHECK(outcome(prove(world, ada, {{"idToken", provider.token(ada.email)}})) == wrong_credentials);
    world.clock.advance(1s);
    auto const next = prove(world, ada, {{"idToken", provider.token(ada.email)}});
    REQUIRE(next.status == 200);
    CHECK(auth_time_of(next) == auth_time_of(latest) + 1);
}

TEST_CASE("a code that was sent for a session accepts five wrong attempts", "[fresh]")
{
    World const world;
    auto const ada = world.new_account_with_sms();
    auto const send = [&] { return outcome(world.as(ada).post("/v1/auth/reauthenticate/challenge", "{}")); };
    REQUIRE(send() == "200");
    auto const right = world.code_sent_to(ada.phone);
    for (int i = 0; i < 5; ++i)
        CHECK(prove_code(world, ada, other_code(right)) == invalid);
    CHECK(prove_code(world, ada, right) == limited);
    auto const refused = prove(world, ada, {{"method", "sms"}, {"code", right}});
    CHECK_FALSE(refused.header("retry-after").empty());
    CHECK(send() == limited); // another code would bring new attempts
    CHECK(prove(world, ada, {{"password", ada.password}}).status == 200);

    world.clock.advance(5min + 1ms);
    REQUIRE(send() == "200");
    CHECK(prove_code(world, ada, world.code_sent_to(ada.phone)) == "200");
}

TEST_CASE("a code that was sent for a session is valid for 5 minutes", "[fresh]")
{
    World const world;
    auto const ada = world.new_account_with_sms(), bob = world.new_account_with_sms();
    for (auto const& account : {ada, bob})
        REQUIRE(world.as(account).post("/v1/auth/reauthenticate/challenge", "{}").status == 200);
    auto const of_ada = world.code_sent_to(ada.phone), of_bob = world.code_sent_to(bob.phone);
    world.clock.advance(5min);
    CHECK(prove_code(world, ada, of_ada) == "200");
    world.clock.advance(1ms);
    CHECK(prove_code(world, bob, of_bob) == expired);
}

TEST_CASE("wrong answers count like wrong answers at sign-in", "[fresh]")
{
    World world;
    world.one_network = true;
    auto const ada = world.new_account_with_totp();
    SECTION("passwords")
    {
        auto guess = ada;
        guess.password = "not the password";
        for (int i = 0; i < 5; ++i) {
            CHECK(outcome(world.login(guess)) == wrong_credentials);
            CHECK(outcome(prove(world, ada, {{"password", guess.password}})) == wrong_credentials);
        }
        auto const limited_proof = prove(world, ada, {{"password", ada.password}});
        CHECK(outcome(limited_proof) == "429 RATE_LIMITED");
        CHECK_FALSE(limited_proof.header("retry-after").empty());
        CHECK(outcome(world.login(ada)) == "429 RATE_LIMITED");
        world.clock.advance(15min);
        CHECK(prove(world, ada, {{"password", ada.password}}).status == 200);
    }
    SECTION("codes")
    {
        auto const right = world.totp_code(ada, 1);
        for (int i = 0; i < 19; ++i)
            CHECK(outcome(prove(world, ada, code("totp", other_code(right)))) == invalid);
        auto const open = world.challenged(ada);
        CHECK(outcome(world.verify(open, "totp", other_code(right))) == invalid);
        CHECK(outcome(prove(world, ada, code("totp", right))) == limited);
        CHECK(outcome(world.verify(open, "totp", right)) == limited);
        CHECK(prove(world, ada, code("recovery_code", ada.recovery_codes[0])).status == 200);
    }
}
