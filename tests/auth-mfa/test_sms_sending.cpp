#include "factors.hpp"
#include "support/eventually.hpp"
#include "support/redis_fixture.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

namespace {

/// Runs a command on the service's Redis.
void command(World const& world, std::vector<std::string_view> const& words)
{
    observe::Logger quiet("test", observe::Level::off);
    testing::Contexts contexts;
    redis::Client client(testing::patient_client(world.redis.url()), contexts.all, quiet);
    contexts.await(client.command(words));
}

World::Options sending_from_sandbox()
{
    return {.limits = World::sends_from_sandbox};
}

/// While this object exists, messages of the shared sender cannot be counted, because the Redis key has
/// another type.
class Uncountable {
public:
    explicit Uncountable(World const& world) : world_(world)
    {
        command(world_, {"DEL", key});
        command(world_, {"SET", key, "no sorted set"});
    }

    ~Uncountable() { command(world_, {"DEL", key}); }

    Uncountable(Uncountable const&) = delete;
    Uncountable& operator=(Uncountable const&) = delete;

private:
    static constexpr std::string_view key = "sms:sender:{outbox}:minute";
    World const& world_;
};

} // namespace

TEST_CASE("a code that could not be handed to the provider is not counted, and the previous code stays valid",
    "[sending]")
{
    World const world(sending_from_sandbox());
    auto const ada = world.new_account_with_sms();
    auto const open = world.challenged(ada); // the 1st of the challenge's three sends, and of ten in an hour
    auto const code = world.code_sent_to(ada.phone);
    auto const messages = world.messages_to(ada.phone).size();
    {
        Uncountable const broken(world);
        for (int i = 0; i < 12; ++i)
            CHECK(world.send(open).status == 500);
    }
    CHECK(world.messages_to(ada.phone).size() == messages);
    SECTION("the previous code is right")
    {
        CHECK(world.verify(open, "sms", code).status == 200);
    }
    SECTION("two sends are left")
    {
        CHECK(world.send(open).json().at("sendsRemaining") == 1);
        CHECK(world.send(open).json().at("sendsRemaining") == 0);
        CHECK(outcome(world.send(open)) == limited);
    }
}

TEST_CASE("a sign-in requires the second factor even if the code cannot be sent", "[sending]")
{
    World const world(sending_from_sandbox());
    auto const ada = world.new_account_with_sms();
    std::string token;
    {
        Uncountable const broken(world);
        auto const sign_in = world.login(ada);
        CHECK(outcome(sign_in) == "403 mfa_required");
        token = text(sign_in.json(), "mfa_token");
    }
    CHECK(world.send(token).json().at("sendsRemaining") == 2);
    CHECK(world.verify(token, "sms", world.code_sent_to(ada.phone)).status == 200);
}

TEST_CASE("an enrolment code that could not be handed to the provider is not counted", "[sending]")
{
    World const world(sending_from_sandbox());
    auto const ada = world.new_account();
    auto const set_up = [&] {
        return world.as(ada).post("/v1/auth/mfa/sms/setup", setup_body("+12015550123")).status;
    };
    {
        Uncountable const broken(world);
        for (int i = 0; i < 4; ++i)
            CHECK(set_up() == 500);
    }
    for (int i = 0; i < 3; ++i)
        CHECK(set_up() == 200);
    CHECK(set_up() == 429);
}

TEST_CASE(
    "an opt-out that cannot be stored is still reported, and the previous code stays valid", "[sending]")
{
    testing::TwilioServer twilio;
    World const world({.twilio_url = twilio.url()});
    auto ada = world.new_account();
    ada.phone = World::new_phone();
    auto const sent_code = [&] {
        auto const said = twilio.accepted().back().at("Body");
        return said.substr(said.find(": ") + 2, 6);
    };
    REQUIRE(world.as(ada).post("/v1/auth/mfa/sms/setup", setup_body(ada.phone)).status == 200);
    REQUIRE(world.as(ada).post("/v1/auth/mfa/sms/confirm", code_body(sent_code())).status == 200);
    auto const open = world.challenged(ada);
    auto const code = sent_code();
    world.postgres.query("REVOKE INSERT ON sms_opt_outs FROM " + world.postgres.service_role());
    twilio.refuse_with(400, 21610);
    CHECK(outcome(world.send(open)) == undeliverable);
    CHECK(world.verify(open, "sms", code).status == 200);
}

TEST_CASE("one tenant may use at most half of each share of the shared sender's limit", "[sending]")
{
    // demo may send two sign-in codes and one enrolment code in a minute, in both environments together.
    World const world({.environment = {{"SMS_SENDER_PER_MINUTE", "8"}}, .limits = World::sends_from_sandbox});
    auto const ada = world.new_account_with_sms();
    auto const set_up = [&](std::string const& tenant) {
        return outcome(world.as(world.new_account(tenant))
                .post("/v1/auth/mfa/sms/setup", setup_body(World::new_phone())));
    };
    CHECK(set_up("demo") == unavailable);
    auto const token = world.challenged(ada);
    CHECK(world.send(token).status == 200);
    CHECK(outcome(world.send(token)) == unavailable);
    CHECK(set_up("other") == "200");
    world.clock.advance(1min);
    CHECK(world.send(token).status == 200);
    CHECK(set_up("demo") == "200");
}

TEST_CASE("a correct code is not consumed if there is no signing key", "[sending]")
{
    World world;
    auto const ada = world.new_account_with_sms();
    auto const open = world.challenged(ada);
    world.postgres.query(R"(
        ALTER TABLE signing_keys ADD COLUMN kept text;
        UPDATE signing_keys
        SET kept = sealed_key, sealed_key = 'nonsense')");
    static_cast<testing::ServiceWorld<testing::FakeClock>&>(world)
        .restart(); // without waiting for a signing key
    auto const verified = [&] { return world.verify(open, "recovery_code", ada.recovery_codes[0]); };
    CHECK(outcome(verified()) == unavailable);
    world.postgres.query(
        "UPDATE signing_keys SET sealed_key = kept; ALTER TABLE signing_keys DROP COLUMN kept");
    CHECK(testing::eventually([&] { return world.client().get("/.well-known/jwks.json").status == 200; }));
    CHECK(verified().status == 200);
}

TEST_CASE("an outage of the database is logged without the address of the database", "[sending]")
{
    World world;
    world.postgres.stop();
    CHECK(testing::eventually(
        [&] { return world.logged().find("database: cannot connect: ") != std::string::npos; }));
    CHECK(world.logged().find("database: a connection was lost: ") != std::string::npos);
    CHECK(world.logged().find(".s.PGSQL") == std::string::npos);
    world.postgres.start();
    CHECK(testing::eventually(
        [&] { return world.logged().find("database: connected again") != std::string::npos; }));
}
