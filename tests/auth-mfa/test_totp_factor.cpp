#include "factors.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

TEST_CASE("TOTP is set up and confirmed", "[totp]")
{
    World const world;
    auto ada = world.new_account();
    auto caller = world.as(ada);
    auto const confirm = [&](std::string const& code) {
        return caller.post("/v1/auth/mfa/totp/confirm", code_body(code));
    };
    CHECK(outcome(confirm("123456")) == setup_required);
    auto const first = caller.post("/v1/auth/mfa/totp/setup", "{}");
    REQUIRE(first.status == 200);
    ada.totp_secret = text(first.json(), "secret");
    auto const address = text(first.json(), "otpauthUrl");
    CHECK(address.starts_with("otpauth://totp/"));
    CHECK(address.find("secret=" + ada.totp_secret) != std::string::npos);
    CHECK(first.header("cache-control") == "no-store");
    auto const stale = world.totp_code(ada);
    CHECK(world.login(ada).status == 200);

    ada.totp_secret = text(caller.post("/v1/auth/mfa/totp/setup", "{}").json(), "secret");
    if (world.totp_code(ada) != stale) CHECK(outcome(confirm(stale)) == invalid);
    auto const confirmed = confirm(world.totp_code(ada));
    REQUIRE(confirmed.status == 200);
    CHECK(confirmed.json().at("recoveryCodes").as_array().size() == 10);
    CHECK(outcome(confirm(world.totp_code(ada, 1))) == setup_required);
    CHECK(outcome(caller.post("/v1/auth/mfa/totp/setup", "{}")) == "403 REAUTHENTICATION_REQUIRED");
    world.reauthenticate(ada);
    CHECK(outcome(world.as(ada).post("/v1/auth/mfa/totp/setup", "{}")) == already);
    auto const asked = world.login(ada);
    CHECK(asked.status == 403);
    CHECK(boost::json::serialize(asked.json().at("available_methods")).find("sms") == std::string::npos);
    CHECK(outcome(world.send(text(asked.json(), "mfa_token"))) == setup_required); // the user has no phone
}

TEST_CASE("TOTP accepts the step before and the step after, each once", "[totp]")
{
    World const world;
    world.clock.set(testing::FakeClock::start + 15s);
    auto const ada = world.new_account_with_totp(); // the confirmation used the code of this time step
    CHECK(outcome(world.verify(world.challenged(ada), "totp", world.totp_code(ada, 0))) == invalid);
    CHECK(outcome(world.verify(world.challenged(ada), "totp", world.totp_code(ada, 2))) == invalid);
    CHECK(outcome(world.verify(world.challenged(ada), "totp", world.totp_code(ada, -1))) == invalid);
    auto const next = world.totp_code(ada, 1);
    CHECK(world.verify(world.challenged(ada), "totp", next).status == 200);
    CHECK(outcome(world.verify(world.challenged(ada), "totp", next)) == invalid);
    world.clock.advance(60s);
    CHECK(world.verify(world.challenged(ada), "totp", world.totp_code(ada, 0)).status == 200);
    world.clock.advance(90s);
    auto const early = world.totp_code(ada, -1);
    CHECK(outcome(world.verify(world.challenged(ada), "totp", world.totp_code(ada, -2))) == invalid);
    CHECK(world.verify(world.challenged(ada), "totp", early).status == 200);

    // A step changes exactly at the half minute.
    world.clock.set(testing::FakeClock::start + 10min);
    auto const code = world.totp_code(ada);
    world.clock.set(testing::FakeClock::start + 11min - 1us);
    CHECK(world.verify(world.challenged(ada), "totp", code).status == 200);
    world.clock.set(testing::FakeClock::start + 20min);
    auto const late = world.totp_code(ada);
    world.clock.set(testing::FakeClock::start + 21min);
    CHECK(outcome(world.verify(world.challenged(ada), "totp", late)) == invalid);
    CHECK(world.messages_to(ada.phone).empty());
}
