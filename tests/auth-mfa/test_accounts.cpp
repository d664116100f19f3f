#include "crypto/encoding.hpp"
#include "testing/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace {

/// The claims of an access token, unchecked.
boost::json::object claims_of(std::string const& token)
{
    auto const first = token.find('.'), second = token.rfind('.');
    return boost::json::parse(*crypto::base64url::decode(token.substr(first + 1, second - first - 1)))
        .as_object();
}

testing::HttpResponse refresh(
    World const& world, std::string const& token, std::string const& tenant = "demo-sandbox")
{
    return world.client(tenant).post("/v1/auth/refresh", body({{"refreshToken", token}}));
}

std::string credentials(std::string const& email, std::string const& password)
{
    return body({{"email", email}, {"password", password}});
}

/// Tries until it is too often; what was answered then.
template <class Request> testing::HttpResponse until_limited(Request request, unsigned meanwhile)
{
    for (int i = 0; i < 200; ++i) {
        auto const r = request();
        if (r.status == 429) return r;
        REQUIRE(r.status == meanwhile);
    }
    FAIL("there is no limit");
    return {};
}

} // namespace

TEST_CASE("registering signs in", "[accounts]")
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

TEST_CASE("what is no account is refused, with every fault", "[accounts]")
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

    // The bounds themselves; characters are counted, not bytes.
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

TEST_CASE("an address is one account, whatever its case; of each scope its own", "[accounts]")
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

TEST_CASE("a wrong password and an unknown address answer the same", "[accounts]")
{
    World const world;
    auto const ada = world.new_account();
    auto anyone = world.client();
    auto const wrong = anyone.post("/v1/auth/login", credentials(ada.email, "not the password"));
    auto const unknown = anyone.post("/v1/auth/login", credentials(World::new_email(), "not the password"));
    CHECK(wrong.status == 401);
    CHECK(error_of(wrong) == "INVALID_CREDENTIALS");
    CHECK(testing::without_request_id(wrong) == testing::without_request_id(unknown));
    CHECK(wrong.header("www-authenticate") == unknown.header("www-authenticate"));

    // And take the same time, to a factor that one hash more or less would exceed.
    auto const took = [&](std::string const& email) {
        auto best = std::chrono::nanoseconds::max();
        for (int i = 0; i < 4; ++i) {
            auto const start = std::chrono::steady_clock::now();
            CHECK(
                world.client().post("/v1/auth/login", credentials(email, "not the password")).status == 401);
            best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - start);
        }
        return static_cast<double>(best.count());
    };
    auto const known = took(ada.email), nobody = took(World::new_email());
    CHECK(nobody > 0.6 * known);
    CHECK(known > 0.6 * nobody);
}

TEST_CASE("guessing is throttled, per account and per address", "[accounts]")
{
    World const world;
    auto const ada = world.new_account(), bob = world.new_account();
    SECTION("an account, from wherever")
    {
        auto const r = until_limited(
            [&] { return world.client().post("/v1/auth/login", credentials(ada.email, "guess")); }, 401);
        CHECK(error_of(r) == "RATE_LIMITED");
        CHECK_FALSE(r.header("retry-after").empty());
        CHECK(world.login(ada).status == 429); // a right one too, or guessing would go on
        CHECK(world.login(bob).status == 200);
    }
    SECTION("an address, of whatever accounts")
    {
        auto guesser = world.client();
        until_limited(
            [&] { return guesser.post("/v1/auth/login", credentials(World::new_email(), "guess")); }, 401);
        CHECK(world.login(ada, guesser).status == 429);
        CHECK(world.login(ada).status == 200);
    }
    SECTION("an address that registers")
    {
        auto visitor = world.client();
        auto const r = until_limited(
            [&] { return visitor.post("/v1/auth/register", credentials(ada.email, World::password)); }, 409);
        CHECK_FALSE(r.header("retry-after").empty());
        CHECK(world.new_account().user_id.size() == 36);
    }
    SECTION("what an untrusted peer says of addresses does not count")
    {
        auto guesser = world.client();
        unsigned n = 0;
        until_limited(
            [&] {
                // The proxy appends the true one.
                return guesser.post("/v1/auth/login", credentials(World::new_email(), "guess"),
                    {{"X-Forwarded-For", "192.0.2." + std::to_string(++n % 250) + ", 198.51.100.7"}});
            },
            401);
    }
}

TEST_CASE("a refresh token works once", "[accounts]")
{
    World const world;
    auto const ada = world.new_account();
    world.clock.advance(1h);
    auto const first = refresh(world, ada.refresh_token);
    REQUIRE(first.status == 200);
    auto const fresh = first.json();
    CHECK(fresh.at("expiresIn") == 900);
    CHECK(text(fresh, "refreshToken") != ada.refresh_token);
    auto const before = claims_of(ada.access_token), after = claims_of(text(fresh, "accessToken"));
    CHECK(before.at("sid") == after.at("sid"));
    CHECK(before.at("jti") != after.at("jti"));
    CHECK(boost::json::serialize(after.at("amr")) == R"(["pwd"])");
    CHECK(world.with(text(fresh, "accessToken")).get("/v1/auth/me").status == 200);

    SECTION("again within 10 s: the answer was lost")
    {
        world.clock.advance(10s);
        auto const retry = refresh(world, ada.refresh_token);
        REQUIRE(retry.status == 200);
        CHECK(claims_of(text(retry.json(), "accessToken")).at("sid") == before.at("sid"));
        CHECK(refresh(world, text(retry.json(), "refreshToken")).status == 200);
    }
    SECTION("again later: somebody else has it, and the session ends")
    {
        world.clock.advance(10s + 1ms);
        auto const r = refresh(world, ada.refresh_token);
        CHECK(r.status == 401);
        CHECK(error_of(r) == "UNAUTHORIZED");
        CHECK(refresh(world, text(fresh, "refreshToken")).status == 401);
        CHECK(world.with(text(fresh, "accessToken")).get("/v1/auth/me").status == 401);
    }
    SECTION("one older than the last but one, even at once")
    {
        auto const second = refresh(world, text(fresh, "refreshToken"));
        REQUIRE(second.status == 200);
        CHECK(refresh(world, ada.refresh_token).status == 401);
        CHECK(refresh(world, text(second.json(), "refreshToken")).status == 401);
    }
}

TEST_CASE("a refresh token lives for 30 days, counted anew by each use", "[accounts]")
{
    World const world;
    auto ada = world.new_account();
    world.clock.advance(std::chrono::days(30) - 1ms);
    auto const in_time = refresh(world, ada.refresh_token);
    REQUIRE(in_time.status == 200);
    ada.take(in_time);
    world.clock.advance(std::chrono::days(30) - 1ms);
    auto const again = refresh(world, ada.refresh_token);
    REQUIRE(again.status == 200);
    world.clock.advance(std::chrono::days(30));
    CHECK(refresh(world, text(again.json(), "refreshToken")).status == 401);
}

TEST_CASE("what is not a refresh token of this scope is refused", "[accounts]")
{
    World const world;
    auto const ada = world.new_account();
    for (auto const* elsewhere : {"demo", "other-sandbox"})
        CHECK(refresh(world, ada.refresh_token, elsewhere).status == 401);
    auto altered = ada.refresh_token;
    altered[5] = altered[5] == 'A' ? 'B' : 'A';
    for (auto const& token : {altered, ada.access_token, std::string("x"), std::string(400, 'A')})
        CHECK(refresh(world, token).status == 401);
    CHECK(refresh(world, "").status == 400);
    CHECK(world.client().post("/v1/auth/refresh", "{}").status == 400);
    CHECK(refresh(world, ada.refresh_token).status == 200); // nothing of that ended it
    CHECK(world.with(ada.refresh_token).get("/v1/auth/me").status == 401);
}

TEST_CASE("an access token ends with its time and with its session", "[accounts]")
{
    World const world;
    auto const ada = world.new_account();
    auto caller = world.as(ada);
    SECTION("time, with 30 s for clocks that differ")
    {
        world.clock.advance(929s);
        CHECK(caller.get("/v1/auth/me").status == 200);
        world.clock.advance(1s);
        auto const r = caller.get("/v1/auth/me");
        CHECK(r.status == 401);
        CHECK(r.header("www-authenticate").starts_with("Bearer"));
    }
    SECTION("logout")
    {
        auto const r = world.client().post("/v1/auth/logout", body({{"refreshToken", ada.refresh_token}}));
        CHECK(r.status == 200);
        CHECK(caller.get("/v1/auth/me").status == 401);
        CHECK(refresh(world, ada.refresh_token).status == 401);
    }
}

TEST_CASE("sessions are listed and ended one by one", "[accounts]")
{
    World const world;
    auto ada = world.new_account();
    std::vector<Account> elsewhere(3, ada);
    for (auto& device : elsewhere) {
        world.clock.advance(1s);
        device.take(world.login(ada));
    }
    auto caller = world.as(ada);
    auto const sessions = all_items(caller, "/v1/auth/sessions", 2);
    REQUIRE(sessions.size() == 4);
    CHECK(text(sessions[0], "sessionId") == text(claims_of(elsewhere[2].access_token), "sid"));
    auto const current = std::count_if(sessions.begin(), sessions.end(),
        [](boost::json::value const& s) { return s.at("current").as_bool(); });
    CHECK(current == 1);
    CHECK(sessions[3].at("current").as_bool());

    auto const path = "/v1/auth/sessions/" + text(claims_of(elsewhere[0].access_token), "sid");
    CHECK(caller.del(path).body == R"({"deleted":true})");
    CHECK(caller.del(path).status == 404);
    CHECK(caller.del("/v1/auth/sessions/nothing").status == 404);
    CHECK(world.as(elsewhere[0]).get("/v1/auth/me").status == 401);
    CHECK(refresh(world, elsewhere[0].refresh_token).status == 401);
    CHECK(world.as(elsewhere[1]).get("/v1/auth/me").status == 200);
    CHECK(all_items(caller, "/v1/auth/sessions").size() == 3);
    CHECK(caller.get("/v1/auth/sessions?limit=0").status == 400);
}

TEST_CASE("a changed password ends every other session and every trust", "[accounts]")
{
    World const world;
    auto ada = world.new_account_with_totp();
    auto const trusting = world.verify(world.challenged(ada), "totp", world.totp_code(ada, 1), true);
    REQUIRE(trusting.status == 200);
    auto device = world.client();
    device.set("Cookie", device_cookie_of(trusting));
    auto elsewhere = ada;
    auto const trusted = world.login(ada, device);
    REQUIRE(trusted.status == 200);
    elsewhere.take(trusted);

    auto caller = world.as(ada);
    auto const change = [&](std::string const& now, std::string const& then) {
        return caller.post("/v1/auth/password", body({{"currentPassword", now}, {"newPassword", then}}));
    };
    auto const wrong = change("not the password", "another good one");
    CHECK(wrong.status == 401);
    CHECK(error_of(wrong) == "INVALID_CREDENTIALS");
    CHECK(change(ada.password, "short").status == 400);
    CHECK(change(ada.password, "password").status == 400);
    CHECK(world.as(elsewhere).get("/v1/auth/me").status == 200);

    REQUIRE(change(ada.password, "another good one").status == 200);
    CHECK(caller.get("/v1/auth/me").status == 200);
    CHECK(world.as(elsewhere).get("/v1/auth/me").status == 401);
    CHECK(refresh(world, elsewhere.refresh_token).status == 401);
    CHECK(world.login(ada).status == 401);
    ada.password = "another good one";
    auto const asked = world.login(ada, device);
    CHECK(asked.status == 403);
    CHECK(error_of(asked) == "mfa_required");
    CHECK(caller.get("/v1/auth/mfa/devices").json().at("items").as_array().empty());
}

TEST_CASE("a challenge that was open when the password changed opens no session", "[accounts]")
{
    World const world;
    auto const ada = world.new_account_with_totp();
    auto const open = world.challenged(ada);
    REQUIRE(world.as(ada)
                .post("/v1/auth/password",
                    body({{"currentPassword", ada.password}, {"newPassword", "another good one"}}))
                .status == 200);
    CHECK(world.verify(open, "totp", world.totp_code(ada, 1)).status / 100 == 4);
}

TEST_CASE("members: owners give roles, and one owner stays", "[accounts]")
{
    World const world;
    auto const owner = world.new_owner();
    auto const admin = world.new_member(owner, "admin");
    auto const user = world.new_account();
    auto as_owner = world.as(owner), as_admin = world.as(admin), as_user = world.as(user);

    auto const members = all_items(as_admin, "/v1/members", 2);
    REQUIRE(members.size() == 3);
    CHECK(text(members[0], "userId") == user.user_id);
    CHECK(text(members[1], "role") == "admin");
    CHECK(text(members[2], "role") == "owner");
    CHECK(as_user.get("/v1/members").status == 403);
    CHECK(as_admin.patch("/v1/members/" + user.user_id, R"({"role":"owner"})").status == 403);
    CHECK(as_owner.patch("/v1/members/" + user.user_id, R"({"role":"king"})").status == 400);
    CHECK(as_owner.patch("/v1/members/" + user.user_id, "{}").status == 400);
    CHECK(as_owner.patch("/v1/members/0190a5d2-0000-7000-8000-0000000000ff", R"({"role":"user"})").status ==
          404);
    CHECK(as_owner.patch("/v1/members/" + owner.user_id, R"({"role":"user"})").status == 409);
    CHECK(as_owner.patch("/v1/members/" + user.user_id, R"({"role":"owner"})").status == 200);
    CHECK(as_owner.patch("/v1/members/" + owner.user_id, R"({"role":"user"})").status == 200);
    CHECK(as_owner.get("/v1/settings").status == 403); // at once, whatever the token says
    CHECK(claims_of(text(world.login(user).json(), "accessToken")).at("role").as_string() == "owner");

    auto const audit = all_items(as_admin, "/v1/audit");
    auto const moves = std::count_if(audit.begin(), audit.end(), [&](boost::json::value const& entry) {
        return entry.at("subjectId") == boost::json::value(user.user_id);
    });
    CHECK(moves == 1);
    CHECK(as_user.get("/v1/audit").status == 403);
}

TEST_CASE("the operator makes first owners", "[accounts]")
{
    World const world;
    auto master = world.as_master();
    auto const email = World::new_email();
    auto const path = "/v1/admin/tenants/demo/owners";
    auto const made = master.post(path, credentials(email, World::password)); // production, unless said
    REQUIRE(made.status == 201);
    CHECK(text(made.json(), "role") == "owner");
    CHECK(master.post(path, credentials(email, World::password)).status == 409);
    CHECK(world.client("demo").post("/v1/auth/login", credentials(email, World::password)).status == 200);
    CHECK(world.client().post("/v1/auth/login", credentials(email, World::password)).status == 401);
    CHECK(master.post(path, credentials(World::new_email(), "short")).status == 400);
    CHECK(master.post("/v1/admin/tenants/nobody/owners", credentials(email, World::password)).status == 404);
    CHECK(world.as(world.new_owner()).post(path, credentials(email, World::password)).status == 403);
}

TEST_CASE("settings are the owner's and the operator's", "[accounts]")
{
    World const world;
    auto const owner = world.new_owner();
    auto caller = world.as(owner);
    auto const before = caller.get("/v1/settings");
    REQUIRE(before.status == 200);
    CHECK(before.json().at("identityProviders").as_array().empty());
    CHECK(world.as(world.new_member(owner, "admin")).get("/v1/settings").status == 403);
    CHECK(world.as_master().get("/v1/settings").status == 200);

    auto const changed = caller.patch(
        "/v1/settings", R"({"brand":"Demo \"Inc.\" & <Sons>"})", {{"If-Match", before.header("etag")}});
    REQUIRE(changed.status == 200);
    CHECK(text(changed.json(), "brand") == "Demo \"Inc.\" & <Sons>");
    CHECK(caller.patch("/v1/settings", R"({"brand":"x"})", {{"If-Match", before.header("etag")}}).status ==
          412);
    CHECK(caller.patch("/v1/settings", "{}").status == 400);
    for (auto const* wrong :
        {R"({"brand":""})", R"({"brand":"Two\nlines"})", R"({"allowedOrigins":["nonsense"]})",
            R"({"identityProviders":[{"issuer":"x"}]})", R"({"smsCountries":["nowhere"]})"})
        CHECK(caller.patch("/v1/settings", wrong).status == 400);
    CHECK(world.client("demo").get("/enroll").body.find("Sons") == std::string::npos);
    CHECK(testing::eventually([&] {
        return world.client().get("/enroll").body.find("Demo &quot;Inc.&quot; &amp; &lt;Sons&gt;") !=
               std::string::npos;
    }));
}

TEST_CASE("Idempotency-Key is ignored", "[accounts]")
{
    World const world;
    auto anyone = world.client();
    auto const request = credentials(World::new_email(), World::password);
    CHECK(anyone.post("/v1/auth/register", request, {{"Idempotency-Key", "k"}}).status == 201);
    CHECK(anyone.post("/v1/auth/register", request, {{"Idempotency-Key", "k"}}).status == 409);
}

TEST_CASE("keys and metadata are published on every host", "[accounts]")
{
    World const world;
    auto const ada = world.new_account();
    testing::HttpClient base("http://127.0.0.1:" + std::to_string(world.host->port()));
    base.set("Host", "auth.localhost");
    auto const jwks = base.get("/.well-known/jwks.json");
    REQUIRE(jwks.status == 200);
    CHECK(world.client("other").get("/.well-known/jwks.json").body == jwks.body);
    auto const key = jwks.json().at("keys").at(0);
    CHECK_FALSE(key.as_object().contains("d"));
    auto const header = boost::json::parse(
        *crypto::base64url::decode(ada.access_token.substr(0, ada.access_token.find('.'))));
    CHECK(header.at("kid") == key.at("kid"));
    CHECK(text(header, "typ") == "at+jwt");

    auto const discovery = world.client().get("/.well-known/openid-configuration").json();
    CHECK(text(discovery, "issuer") == text(claims_of(ada.access_token), "iss"));
    CHECK(text(discovery, "jwks_uri").ends_with("/.well-known/jwks.json"));
    CHECK(base.get("/.well-known/openid-configuration").status == 200);
}

TEST_CASE("tenant headers are not looked at", "[accounts]")
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
