#include "world.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace {

/// The number of Argon2id hashes that the service has computed.
int hashes_of(World const& world)
{
    testing::HttpClient operations("http://127.0.0.1:" + std::to_string(world.host->ops_port()));
    auto const metrics = operations.get("/metrics").body;
    std::string const name = "\ntetrad_password_hashes_total{service=\"auth-mfa\"} ";
    auto const at = metrics.find(name);
    REQUIRE(at != std::string::npos);
    return std::stoi(metrics.substr(at + name.size()));
}

/// Repeats the request until it gets 429, and returns this response. All earlier requests must get the status
/// `meanwhile`.
template <class Request> testing::HttpResponse until_limited(Request request, unsigned meanwhile)
{
    for (int i = 0; i < 200; ++i) {
        auto const r = request();
        if (r.status == 429) return r;
        REQUIRE(r.status == meanwhile);
    }
    FAIL("no request got 429");
    return {};
}

} // namespace

TEST_CASE("registration signs the user in", "[accounts]")
{
    World const world;
    auto anyone = world.client();
    auto const email = World::new_email();
    auto const r = anyone.post("/v1/auth/register", credentials(email, World::password));
    REQUIRE(r.status == 201);
    auto const answer = r.json();
    CHECK(answer.at("expiresIn") == 900);
    CHECK(answer.at("user").at("email").as_string() == email);
    CHECK(answer.at("user").at("role").as_string() == "user");
    CHECK(r.header("cache-control") == "no-store");
    CHECK(r.header("set-cookie").empty());

    auto const claims = claims_of(text(answer, "accessToken"));
    CHECK(text(claims, "tenant") == "demo");
    CHECK(text(claims, "env") == "sandbox");
    CHECK(text(claims, "role") == "user");
    CHECK(text(claims, "email") == email);
    CHECK(text(claims, "sub") == text(answer.at("user"), "userId"));
    CHECK(boost::json::serialize(claims.at("amr")) == R"(["pwd"])");
    CHECK(claims.at("exp").as_int64() - claims.at("iat").as_int64() == 900);
    for (auto const* name : {"iss", "aud", "jti", "sid"})
        CHECK(claims.contains(name));

    auto const me = world.with(text(answer, "accessToken")).get("/v1/auth/me");
    CHECK(me.status == 200);
    CHECK(me.json() == answer.at("user"));
}

TEST_CASE("an invalid registration is refused with all its faults", "[accounts]")
{
    World const world;
    auto anyone = world.client();
    auto const faults = [&](std::string const& document) {
        auto const r = anyone.post("/v1/auth/register", document);
        CHECK(r.status == 400);
        CHECK(error_of(r) == "VALIDATION_ERROR");
        std::set<std::string> pointers;
        for (auto const& fault : r.json().at("errors").as_array())
            pointers.insert(text(fault, "pointer"));
        return pointers;
    };
    using Pointers = std::set<std::string>;
    CHECK(faults("{}") == Pointers{"/email", "/password"});
    CHECK(faults(credentials("no address", "short")) == Pointers{"/email", "/password"});
    CHECK(faults(credentials("", "")) == Pointers{"/email", "/password"});
    CHECK(faults(credentials(World::new_email(), std::string(7, 'x'))) == Pointers{"/password"});
    CHECK(faults(credentials(World::new_email(), std::string(129, 'x'))) == Pointers{"/password"});
    for (auto const* common : {"password", "12345678", "qwertyuiop", "Password1"})
        CHECK(faults(credentials(World::new_email(), common)) == Pointers{"/password"});
    CHECK(faults(body({{"email", World::new_email()}, {"password", std::string("abc\0defgh", 9)}})) ==
          Pointers{"/password"});
    CHECK(error_of(anyone.post("/v1/auth/register", "{")) == "MALFORMED_JSON");
    CHECK(anyone.post("/v1/auth/register", "email=x", {{"Content-Type", "text/plain"}}).status == 415);

    // The limits are inclusive, and count characters, not bytes.
    CHECK(
        world.client().post("/v1/auth/register", credentials(World::new_email(), "k9#mQz!w")).status == 201);
    std::string umlauts;
    for (int i = 0; i < 128; ++i)
        umlauts += i % 2 == 0 ? "\u00e4" : "q";
    auto const email = World::new_email();
    CHECK(world.client().post("/v1/auth/register", credentials(email, umlauts)).status == 201);
    CHECK(world.client().post("/v1/auth/login", credentials(email, umlauts)).status == 200);
    umlauts.back() = 'p';
    CHECK(world.client().post("/v1/auth/login", credentials(email, umlauts)).status == 401);
}

TEST_CASE("an email has one account in each scope, and its case does not matter", "[accounts]")
{
    World const world;
    auto const email = World::new_email();
    CHECK(world.client().post("/v1/auth/register", credentials(email, World::password)).status == 201);
    auto shouted = email;
    shouted.replace(0, 4, "USER");
    auto const again = world.client().post("/v1/auth/register", credentials(shouted, "another good one"));
    CHECK(again.status == 409);
    CHECK(error_of(again) == "CONFLICT");
    CHECK(world.client().post("/v1/auth/login", credentials(shouted, World::password)).status == 200);
    for (auto const* elsewhere : {"demo", "other", "other-sandbox"}) {
        CHECK(world.client(elsewhere).post("/v1/auth/login", credentials(email, World::password)).status ==
              401);
        CHECK(world.client(elsewhere).post("/v1/auth/register", credentials(email, World::password)).status ==
              201);
    }
}

TEST_CASE("a wrong password and an unknown email get the same response after the same work", "[accounts]")
{
    World const world;
    auto const ada = world.new_account(), external = world.new_account();
    world.postgres.query("UPDATE users SET password_hash = NULL WHERE user_id = '" + external.user_id + "'");
    auto const refusal_of = [&](std::string const& email) {
        auto const before = hashes_of(world);
        auto const r = world.client().post("/v1/auth/login", credentials(email, "not the password"));
        CHECK(hashes_of(world) == before + 1); // the hashes take nearly all of the time
        CHECK(r.status == 401);
        CHECK(error_of(r) == "INVALID_CREDENTIALS");
        return testing::without_request_id(r) + r.header("www-authenticate");
    };
    auto const wrong = refusal_of(ada.email);
    CHECK(refusal_of(World::new_email()) == wrong);
    CHECK(refusal_of(external.email) == wrong); // an account without a password
}

TEST_CASE("password guesses are limited per account and per network", "[accounts]")
{
    World world;
    auto const ada = world.new_account(), bob = world.new_account();
    // The number of wrong passwords for `email` until 429, each from a new client.
    auto const guesses_for = [&](std::string const& email) {
        int guesses = -1;
        auto const r = until_limited(
            [&] {
                ++guesses;
                return world.client().post("/v1/auth/login", credentials(email, "guess"));
            },
            401);
        CHECK(error_of(r) == "RATE_LIMITED");
        CHECK_FALSE(r.header("retry-after").empty());
        CHECK(r.header("ratelimit").empty()); // it would show how others use the account
        return guesses;
    };
    SECTION("per account and network, also for unknown emails")
    {
        world.one_network = true;
        CHECK(guesses_for(ada.email) == 10);
        CHECK(guesses_for(World::new_email()) == 10);
        // The right password is refused too; otherwise guessing could continue.
        CHECK(world.login(ada).status == 429);
        CHECK(world.login(bob).status == 200);
        // The owner can sign in from another network.
        world.one_network = false;
        CHECK(world.login(ada).status == 200);
        world.one_network = true;
        world.clock.advance(15min);
        CHECK(world.login(ada).status == 200);
    }
    SECTION("per account over all networks, also for unknown emails")
    {
        CHECK(guesses_for(ada.email) == 100);
        CHECK(guesses_for(World::new_email()) == 100);
        CHECK(world.login(ada).status == 429);
        CHECK(world.login(bob).status == 200);
    }
    SECTION("per network, over all accounts")
    {
        auto guesser = world.client();
        until_limited(
            [&] { return guesser.post("/v1/auth/login", credentials(World::new_email(), "guess")); }, 401);
        CHECK(world.login(ada, guesser).status == 429);
        CHECK(world.login(ada).status == 200);
    }
    SECTION("registrations per network")
    {
        auto visitor = world.client();
        auto const r = until_limited(
            [&] { return visitor.post("/v1/auth/register", credentials(ada.email, World::password)); }, 409);
        CHECK_FALSE(r.header("retry-after").empty());
        CHECK(world.new_account().user_id.size() == 36);
    }
    SECTION("addresses that the client puts into X-Forwarded-For are ignored")
    {
        auto guesser = world.client();
        unsigned n = 0;
        until_limited(
            [&] {
                // The proxy appends the real address.
                return guesser.post("/v1/auth/login", credentials(World::new_email(), "guess"),
                    {{"X-Forwarded-For", "192.0.2." + std::to_string(++n % 250) + ", 198.51.100.7"}});
            },
            401);
    }
}

TEST_CASE("registrations count against the limit, even if the email is taken", "[accounts]")
{
    World const world({.environment = {{"REGISTRATIONS_PER_HOUR", "3"}}});
    auto visitor = world.client();
    auto const enter = [&](std::string const& email) {
        return visitor.post("/v1/auth/register", credentials(email, World::password));
    };
    auto const email = World::new_email();
    CHECK(enter("no address").status == 400); // an invalid request is not counted
    CHECK(enter(email).status == 201);
    CHECK(enter(email).status == 409);
    CHECK(enter(World::new_email()).status == 201);
    auto const r = enter(World::new_email());
    CHECK(r.status == 429);
    CHECK(error_of(r) == "RATE_LIMITED");
    CHECK(r.header("retry-after") == "3600");
    CHECK(world.new_account().user_id.size() == 36); // from another network
    world.clock.advance(1h - 1ms);
    CHECK(enter(World::new_email()).status == 429);
    world.clock.advance(1ms);
    CHECK(enter(World::new_email()).status == 201);
}

TEST_CASE("Idempotency-Key is ignored", "[accounts]")
{
    World const world;
    auto anyone = world.client();
    auto const request = credentials(World::new_email(), World::password);
    CHECK(anyone.post("/v1/auth/register", request, {{"Idempotency-Key", "k"}}).status == 201);
    CHECK(anyone.post("/v1/auth/register", request, {{"Idempotency-Key", "k"}}).status == 409);
}

TEST_CASE("tenant headers are ignored", "[accounts]")
{
    World const world;
    auto const ada = world.new_account();
    testing::HttpClient elsewhere("http://127.0.0.1:" + std::to_string(world.host->port()));
    elsewhere.set("Host", "auth.localhost");
    elsewhere.set("X-Tenant-Slug", "demo");
    elsewhere.set("X-Tenant-Env", "sandbox");
    auto const r = elsewhere.post("/v1/auth/login", credentials(ada.email, ada.password));
    CHECK(r.status == 404);
    CHECK(error_of(r) == "TENANT_NOT_FOUND");
}
