#include "factors.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

// How members come to exist: as owners, through keys, through invitations, by registration.

namespace json = boost::json;

namespace {

/// A well-formed hash of an unknown password, with this algorithm and cost: `$2b$10$`.
std::string hash_of(std::string const& cost)
{
    bool const bcrypt = cost.starts_with("$2");
    return cost + (bcrypt ? "abcdefghijklmnopqrstuuOmDAPvMEcXqgbZnY9QoPoV4M2nsUaSG"
                          : "c29tZXNhbHRzb21lc2FsdA$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc");
}

} // namespace

TEST_CASE("the operator creates a tenant's first owner", "[members]")
{
    World const world;
    auto master = world.as_master();
    auto const email = World::new_email();
    auto const path = "/v1/admin/tenants/demo/owners";
    auto const made = master.post(path, credentials(email, World::password)); // production by default
    REQUIRE(made.status == 201);
    CHECK(text(made.json(), "role") == "owner");
    CHECK(master.post(path, credentials(email, World::password)).status == 409);
    CHECK(world.client("demo").post("/v1/auth/login", credentials(email, World::password)).status == 200);
    CHECK(world.client().post("/v1/auth/login", credentials(email, World::password)).status == 401);
    CHECK(master.post(path, credentials(World::new_email(), "short")).status == 400);
    CHECK(master.post("/v1/admin/tenants/nobody/owners", credentials(email, World::password)).status == 404);
    CHECK(world.as(world.new_owner()).post(path, credentials(email, World::password)).status == 403);
}

TEST_CASE("requests with the same Idempotency-Key create only one owner", "[members]")
{
    World const world;
    auto master = world.as_master();
    auto const make = [&](std::string const& key, std::string const& request) {
        return master.post("/v1/admin/tenants/demo/owners", request, {{"Idempotency-Key", key}});
    };
    auto const email = World::new_email();
    auto const request = credentials(email, World::password);
    auto const made = make("first", request);
    REQUIRE(made.status == 201);
    CHECK(made.header("idempotent-replayed").empty());
    auto const again = make("first", request);
    CHECK(again.status == 201);
    CHECK(again.header("idempotent-replayed") == "true");
    CHECK(again.body == made.body);

    // Another body: another password, or another email.
    for (auto const& other :
        {credentials(email, "another good one"), credentials(World::new_email(), World::password)}) {
        auto const r = make("first", other);
        CHECK(r.status == 422);
        CHECK(error_of(r) == "IDEMPOTENCY_KEY_REUSED");
    }
    CHECK(world.client("demo").post("/v1/auth/login", request).status == 200);

    // A refusal is not stored, so the key can be used again.
    CHECK(make("second", request).status == 409);
    CHECK(make("second", credentials(World::new_email(), World::password)).status == 201);
    CHECK(world.postgres.query("SELECT count(*) FROM users") == "2");
}

TEST_CASE("a backend creates members with a password, a hash or an invitation", "[members]")
{
    World const world;
    auto backend = world.with(world.new_key());
    auto const create = [&](json::object const& request) {
        return backend.post("/v1/members", body(request));
    };
    Account ada{.tenant = "demo-sandbox", .email = World::new_email(), .password = World::password};

    SECTION("with a password")
    {
        auto const made = create({{"email", ada.email}, {"password", ada.password}});
        REQUIRE(made.status == 201);
        CHECK(text(made.json(), "role") == "user");
        CHECK(text(made.json(), "status") == "active");
        CHECK_FALSE(made.json().at("emailVerified").as_bool());
        CHECK_FALSE(made.header("etag").empty());
        CHECK(world.login(ada).status == 200);
        CHECK(outcome(create({{"email", ada.email}})) == "409 CONFLICT");
    }
    SECTION("with the hash of a password, and a verified email")
    {
        auto const known = world.new_account();
        auto const hash =
            world.postgres.query("SELECT password_hash FROM users WHERE user_id = '" + known.user_id + "'");
        auto const made = create(
            {{"email", ada.email}, {"passwordHash", hash}, {"emailVerified", true}, {"role", "admin"}});
        REQUIRE(made.status == 201);
        CHECK(made.json().at("emailVerified").as_bool());
        auto const signed_in = world.login(ada);
        REQUIRE(signed_in.status == 200);
        CHECK(text(claims_of(text(signed_in.json(), "accessToken")), "role") == "admin");
    }
    SECTION("with an invitation, whose token sets the password once")
    {
        auto const made = create({{"email", ada.email}, {"invite", true}, {"role", "admin"}});
        REQUIRE(made.status == 201);
        CHECK(text(made.json(), "status") == "invited");
        CHECK_FALSE(made.json().at("emailVerified").as_bool());
        auto const path = "/v1/members/" + text(made.json(), "userId");
        CHECK(outcome(world.login(ada)) == "401 INVALID_CREDENTIALS");
        CHECK(outcome(backend.patch(path, R"({"status":"active"})")) == "409 CONFLICT");

        auto const token = world.token_mailed_to(ada.email, "You are invited");
        auto const accept = [&](std::string const& password) {
            return world.client().post(
                "/v1/auth/invitations/accept", body({{"token", token}, {"password", password}}));
        };
        CHECK(outcome(accept("short")) == "400 VALIDATION_ERROR");
        auto const accepted = accept(ada.password);
        REQUIRE(accepted.status == 201);
        ada.take(accepted);
        auto const me = world.as(ada).get("/v1/auth/me").json();
        CHECK(text(me, "status") == "active");
        CHECK(text(me, "role") == "admin");
        CHECK(me.at("emailVerified").as_bool());
        CHECK(outcome(accept(ada.password)) == "410 TOKEN_EXPIRED");
        CHECK(world.login(ada).status == 200);
    }
    SECTION("with an invitation, the email is not verified before the user has accepted it")
    {
        auto const made = create({{"email", ada.email}, {"invite", true}, {"emailVerified", true}});
        REQUIRE(made.status == 201);
        CHECK_FALSE(made.json().at("emailVerified").as_bool());
        auto const path = "/v1/members/" + text(made.json(), "userId");
        CHECK_FALSE(backend.get(path).json().at("emailVerified").as_bool());
        auto const token = world.token_mailed_to(ada.email, "You are invited");
        CHECK(world.client()
                  .post("/v1/auth/invitations/accept", body({{"token", token}, {"password", ada.password}}))
                  .status == 201);
        CHECK(backend.get(path).json().at("emailVerified").as_bool());
    }
    SECTION("without a credential, a password can be set by email later")
    {
        REQUIRE(create({{"email", ada.email}}).status == 201);
        CHECK(outcome(world.login(ada)) == "401 INVALID_CREDENTIALS");
        REQUIRE(world.client().post("/v1/auth/password/forgot", body({{"email", ada.email}})).status == 202);
        auto const token = world.token_mailed_to(ada.email, "Reset your");
        CHECK(world.client()
                  .post("/v1/auth/password/reset", body({{"token", token}, {"newPassword", ada.password}}))
                  .status == 200);
        CHECK(world.login(ada).status == 200);
    }
    SECTION("not with an invalid request")
    {
        for (json::object const& wrong : {json::object{}, json::object{{"email", "no address"}},
                 json::object{{"email", ada.email}, {"role", "king"}},
                 json::object{{"email", ada.email}, {"password", "short"}},
                 json::object{{"email", ada.email}, {"password", "password"}},
                 json::object{{"email", ada.email}, {"password", World::password},
                     {"passwordHash", hash_of("$argon2id$v=19$m=65536,t=10,p=4$")}},
                 json::object{{"email", ada.email}, {"invite", true},
                     {"passwordHash", hash_of("$argon2id$v=19$m=65536,t=10,p=4$")}},
                 json::object{{"email", ada.email}, {"password", World::password}, {"invite", true}},
                 json::object{{"email", ada.email}, {"emailVerified", "yes"}}}) {
            INFO(json::serialize(wrong));
            CHECK(outcome(create(wrong)) == "400 VALIDATION_ERROR");
        }
        CHECK(outcome(create({{"email", ada.email}, {"role", "admin"}, {"password", ada.password}})) ==
              "409 EMAIL_NOT_VERIFIED");
        CHECK(outcome(world.login(ada)) == "401 INVALID_CREDENTIALS");
    }
}

TEST_CASE("the hash of a password is of argon2id or bcrypt, and costs no more than the limits", "[members]")
{
    World const world;
    auto backend = world.with(world.new_key());
    auto const create = [&](std::string const& hash) {
        return backend.post("/v1/members", body({{"email", World::new_email()}, {"passwordHash", hash}}));
    };
    for (auto const* allowed : {"$argon2id$v=19$m=65536,t=10,p=4$", "$2b$14$", "$2y$10$"}) {
        INFO(allowed);
        CHECK(outcome(create(hash_of(allowed))) == "201");
    }
    for (auto const* refused : {"$argon2id$v=19$m=65537,t=10,p=4$", "$argon2id$v=19$m=65536,t=11,p=4$",
             "$argon2id$v=19$m=65536,t=10,p=5$", "$argon2i$v=19$m=65536,t=10,p=4$", "$2a$10$", "$2b$15$"}) {
        INFO(refused);
        auto const r = create(hash_of(refused));
        CHECK(outcome(r) == "400 VALIDATION_ERROR");
        CHECK(testing::faults_of(r) == "/passwordHash format");
    }
    CHECK(testing::faults_of(create("x")) == "/passwordHash format");
}

TEST_CASE("requests with the same Idempotency-Key create only one member", "[members]")
{
    World const world;
    auto backend = world.with(world.new_key());
    auto const create = [&](json::object const& request) {
        return backend.post("/v1/members", body(request), {{"Idempotency-Key", "import-1"}});
    };
    json::object const request{{"email", World::new_email()}, {"password", World::password}};
    auto const made = create(request), again = create(request);
    CHECK(made.status == 201);
    CHECK(again.status == 201);
    CHECK(again.header("idempotent-replayed") == "true");
    CHECK(again.body == made.body);
    auto other = request;
    other["password"] = "another good one";
    CHECK(outcome(create(other)) == "422 IDEMPOTENCY_KEY_REUSED");
    CHECK(world.postgres.query("SELECT count(*) FROM users") == "1");
    CHECK(world.postgres.query("SELECT count(*) FROM idempotency_keys t WHERE t::text LIKE '%" +
                               std::string(World::password) + "%'") == "0");
}

TEST_CASE("with `signUp` closed, only owners and backends create accounts", "[members]")
{
    World const world;
    auto const ada = world.new_account();
    world.set({{"signUp", "closed"}});
    auto const email = World::new_email();
    CHECK(outcome(world.client().post("/v1/auth/register", credentials(email, World::password))) ==
          "403 SIGN_UP_CLOSED");
    // The response does not tell which emails have an account.
    CHECK(outcome(world.client().post("/v1/auth/register", credentials(ada.email, World::password))) ==
          "403 SIGN_UP_CLOSED");
    CHECK(world.login(ada).status == 200);
    auto backend = world.with(world.new_key());
    CHECK(backend.post("/v1/members", body({{"email", email}, {"invite", true}})).status == 201);
    auto const token = world.token_mailed_to(email, "You are invited");
    CHECK(world.client()
              .post("/v1/auth/invitations/accept", body({{"token", token}, {"password", World::password}}))
              .status == 201);
    CHECK(world.client("demo").post("/v1/auth/register", credentials(email, World::password)).status == 201);
}
