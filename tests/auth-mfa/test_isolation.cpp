#include "crypto/encoding.hpp"
#include "routes.hpp"
#include "testing/eventually.hpp"
#include "testing/issuer.hpp"
#include "testing/scope_rows.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <list>

// Every route is called by everybody who may not use it on what belongs to tenant demo's sandbox: nothing is
// read and nothing is changed. A route that has no line here does not compile.

namespace {

enum class Kind {
    object,     ///< names something of demo's: 404 for everybody else
    own,        ///< acts on the caller's own account
    scope,      ///< acts on the scope the host names, for those with the role
    tenantless, ///< the operator's
    anonymous,  ///< takes no credential; what it takes instead has tests of its own
};

struct Line {
    http::Method method;
    std::string_view path;
    Kind kind;
    std::string_view body = {};
};

using enum http::Method;

constexpr auto lines = std::to_array<Line>({
    {post, "/v1/auth/register", Kind::anonymous},
    {post, "/v1/auth/login", Kind::anonymous},
    {post, "/v1/auth/external", Kind::anonymous, R"({"idToken":"e30.e30.e30"})"},
    {post, "/v1/auth/refresh", Kind::anonymous},
    {post, "/v1/auth/logout", Kind::anonymous},
    {get, "/v1/auth/me", Kind::own},
    {post, "/v1/auth/password", Kind::own,
        R"({"currentPassword":"correct horse battery","newPassword":"another good one"})"},
    {get, "/v1/auth/sessions", Kind::own},
    {del, "/v1/auth/sessions/{sessionId}", Kind::object},
    {get, "/v1/auth/mfa", Kind::own},
    {post, "/v1/auth/mfa/challenge", Kind::anonymous},
    {post, "/v1/auth/mfa/verify", Kind::anonymous},
    {post, "/v1/auth/mfa/sms/setup", Kind::own, R"({"phone":"+4915199999999"})"},
    {post, "/v1/auth/mfa/sms/confirm", Kind::own, R"({"code":"123456"})"},
    {del, "/v1/auth/mfa/sms", Kind::own, R"({"code":"123456"})"},
    {post, "/v1/auth/mfa/totp/setup", Kind::own, "{}"},
    {post, "/v1/auth/mfa/totp/confirm", Kind::own, R"({"code":"123456"})"},
    {del, "/v1/auth/mfa/totp", Kind::own, R"({"code":"123456"})"},
    {post, "/v1/auth/mfa/recovery-codes", Kind::own, R"({"code":"123456"})"},
    {get, "/v1/auth/mfa/devices", Kind::own},
    {del, "/v1/auth/mfa/devices", Kind::own},
    {del, "/v1/auth/mfa/devices/{deviceId}", Kind::object},
    {post, "/webhooks/sms/twilio", Kind::anonymous},
    {del, "/v1/admin/sms/opt-outs/{phone}", Kind::tenantless},
    {get, "/enroll", Kind::anonymous},
    {get, "/enroll.css", Kind::anonymous},
    {get, "/enroll.js", Kind::anonymous},
    {get, "/v1/members", Kind::scope},
    {patch, "/v1/members/{userId}", Kind::object, R"({"role":"admin"})"},
    {del, "/v1/members/{userId}/mfa", Kind::object},
    {get, "/v1/settings", Kind::scope},
    {patch, "/v1/settings", Kind::scope, R"({"brand":"other"})"},
    {get, "/v1/audit", Kind::scope},
    {get, "/.well-known/jwks.json", Kind::anonymous},
    {get, "/.well-known/openid-configuration", Kind::anonymous},
    {post, "/v1/admin/tenants/{slug}/owners", Kind::tenantless,
        R"({"email":"x@example.com","password":"another good one","environment":"sandbox"})"},
    {put, "/v1/admin/tenants/{slug}", Kind::tenantless, R"({"displayName":"x","status":"suspended"})"},
    {get, "/v1/admin/tenants", Kind::tenantless},
    {get, "/v1/admin/tenants/{slug}", Kind::tenantless},
    {del, "/v1/admin/tenants/{slug}", Kind::tenantless},
});

constexpr bool covers_every_route()
{
    return std::ranges::all_of(auth_mfa::routes, [](auto const& route) {
        return std::ranges::any_of(
            lines, [&](Line const& line) { return line.method == route.method && line.path == route.path; });
    });
}

static_assert(covers_every_route(), "a route of routes.hpp is not in the isolation test");
static_assert(lines.size() == auth_mfa::routes.size(), "a line of the isolation test has no route");

core::Access access_of(Line const& line)
{
    return std::ranges::find_if(auth_mfa::routes, [&](auto const& route) {
        return line.method == route.method && line.path == route.path;
    })->access;
}

/// What belongs to demo's sandbox, by the name of the path parameter.
using Objects = std::map<std::string, std::string>;

testing::HttpResponse call(testing::HttpClient& client, Line const& line, Objects const& objects)
{
    std::string path(line.path);
    for (auto const& [name, id] : objects) {
        if (auto const at = path.find("{" + name + "}"); at != std::string::npos)
            path.replace(at, name.size() + 2, id);
    }
    return client.request(std::string(http::to_string(line.method)), path, {},
        line.body.empty() ? std::nullopt : std::optional(std::string(line.body)));
}

std::string rows_of(World const& world, std::string const& scope_id)
{
    return testing::rows_of_scope(world.postgres, scope_id, {{"jobs", ""}});
}

std::string scope_of(World const& world, std::string const& slug, int environment)
{
    return world.postgres.query("SELECT tenant_id * 2 + " + std::to_string(environment) +
                                " FROM tenants WHERE slug = '" + slug + "'");
}

std::string claim(std::string const& token, std::string const& name)
{
    auto const first = token.find('.'), second = token.rfind('.');
    auto const claims =
        boost::json::parse(*crypto::base64url::decode(token.substr(first + 1, second - first - 1)));
    return text(claims, name);
}

/// Ada of demo's sandbox, with everything a user can have.
struct Ada {
    Account account;
    Objects objects;

    explicit Ada(World const& world) : account(world.new_account_with_sms())
    {
        world.enrol_totp(account);
        auto const trusting =
            world.verify(world.challenged(account), "totp", world.totp_code(account, 1), true);
        REQUIRE(trusting.status == 200);
        auto caller = world.as(account);
        objects["deviceId"] = text(caller.get("/v1/auth/mfa/devices").json().at("items").at(0), "deviceId");
        objects["sessionId"] = claim(account.access_token, "sid");
        objects["userId"] = account.user_id;
        objects["slug"] = "demo";
        objects["phone"] = account.phone;
    }
};

} // namespace

TEST_CASE("no route gives anything of a scope or a user to, or takes it from, anybody else", "[isolation]")
{
    World const world;
    Ada const ada(world);
    auto const owner = world.new_owner(), admin = world.new_member(owner, "admin");
    REQUIRE(world.as_master().patch("/v1/settings", R"({"brand":"marker"})").status == 200);
    std::string const absent = "0190a5d2-0000-7000-8000-0000000000ff";
    Objects const nothing{{"deviceId", absent}, {"sessionId", absent}, {"userId", absent}, {"slug", "nobody"},
        {"phone", "+4915188888888"}};

    // Credentials of elsewhere, all good there.
    auto const other_owner = world.new_owner("other-sandbox"), production_owner = world.new_owner("demo");
    auto const bob = world.new_account(); // at home, but not Ada
    auto const expired = world.new_account(), ended = world.new_account();
    testing::Issuer const forger(world.clock);
    auto const jwks = world.client().get("/.well-known/jwks.json").json();
    auto const forged = forger.sign(forger.claims({.subject = ada.account.user_id, .role = "owner"}),
        {{"kid", jwks.at("keys").at(0).at("kid")}});
    auto altered = ada.account.access_token;
    altered.back() = altered.back() == 'A' ? 'Q' : 'A';
    auto const open = world.challenged(ada.account);
    // A token that was good until now.
    world.clock.advance(931s);
    auto const fresh = [&](Account account) {
        auto const r = world.client(account.tenant)
                           .post("/v1/auth/refresh", body({{"refreshToken", account.refresh_token}}));
        REQUIRE(r.status == 200);
        account.take(r);
        return account;
    };
    auto const here = fresh(bob), there = fresh(other_owner), at_production = fresh(production_owner),
               boss = fresh(owner), helper = fresh(admin), logged_out = fresh(ended);
    REQUIRE(
        world.client().post("/v1/auth/logout", body({{"refreshToken", logged_out.refresh_token}})).status ==
        200);
    auto const unsigned_token = [&] {
        auto const parts = here.access_token;
        return crypto::base64url::encode(R"({"alg":"none","typ":"at+jwt"})") +
               parts.substr(parts.find('.'), parts.rfind('.') - parts.find('.') + 1);
    }();
    auto const scope_id = scope_of(world, "demo", 1);

    for (auto const& line : lines) {
        if (line.kind == Kind::anonymous) continue;
        INFO(http::to_string(line.method) << ' ' << line.path);
        auto const before = rows_of(world, scope_id);
        std::list<std::pair<char const*, testing::HttpClient>> strangers;
        strangers.emplace_back("nobody", world.client());
        strangers.emplace_back("nonsense", world.with("nonsense"));
        strangers.emplace_back("a refresh token", world.with(here.refresh_token));
        strangers.emplace_back("an mfa_token", world.with(open));
        strangers.emplace_back("another tenant's owner", world.with(there.access_token));
        strangers.emplace_back("the other environment's owner", world.with(at_production.access_token));
        strangers.emplace_back("an expired token", world.with(expired.access_token));
        strangers.emplace_back("a forged token", world.with(forged));
        strangers.emplace_back("an altered token", world.with(altered));
        strangers.emplace_back("an unsigned token", world.with(unsigned_token));
        for (auto& [who, client] : strangers) {
            INFO(who);
            auto const r = call(client, line, ada.objects);
            if (line.kind == Kind::tenantless && r.status == 403) continue; // good somewhere, not here
            CHECK(r.status == 401);
            CHECK(r.body.find("marker") == std::string::npos);
            CHECK(r.header("www-authenticate").starts_with("Bearer"));
        }
        auto gone = world.with(logged_out.access_token);
        CHECK(call(gone, line, ada.objects).status / 100 == 4);

        // Good here, of a kind that may not.
        core::Access const access = access_of(line);
        std::list<std::pair<core::Access, testing::HttpClient>> residents;
        residents.emplace_back(core::Access::user, world.with(here.access_token));
        residents.emplace_back(core::Access::admin, world.with(helper.access_token));
        residents.emplace_back(core::Access::owner, world.with(boss.access_token));
        residents.emplace_back(core::Access::master, world.as_master());
        for (auto& [kind, client] : residents) {
            if (core::allows(access, kind)) continue;
            CHECK(call(client, line, ada.objects).status == 403);
        }
        CHECK(rows_of(world, scope_id) == before);

        // Good, at home, for what is Ada's: like for something that never was.
        if (line.kind == Kind::object) {
            std::list<testing::HttpClient> neighbours;
            if (core::allows(access, core::Access::user)) neighbours.push_back(world.with(here.access_token));
            neighbours.push_back(world.with(there.access_token, "other-sandbox"));
            neighbours.push_back(world.with(at_production.access_token, "demo"));
            if (core::allows(access, core::Access::master))
                neighbours.push_back(world.as_master("other-sandbox"));
            for (auto& neighbour : neighbours) {
                auto const r = call(neighbour, line, ada.objects);
                CHECK(r.status == 404);
                CHECK(testing::without_request_id(r) ==
                      testing::without_request_id(call(neighbour, line, nothing)));
            }
            CHECK(rows_of(world, scope_id) == before);
        }
        if (line.kind == Kind::scope) {
            for (auto const* elsewhere : {"other-sandbox", "demo"}) {
                auto neighbour = world.as_master(elsewhere);
                auto const r = call(neighbour, line, ada.objects);
                CHECK(r.status == 200);
                CHECK(r.body.find("marker") == std::string::npos);
                CHECK(r.body.find(ada.account.user_id) == std::string::npos);
            }
            CHECK(rows_of(world, scope_id) == before);
        }
    }
    // What Ada has still is hers.
    CHECK(world.as(fresh(ada.account)).get("/v1/auth/mfa/devices").json().at("items").as_array().size() == 1);
}

TEST_CASE("what anonymous routes take belongs to one scope", "[isolation]")
{
    World const world;
    Ada const ada(world);
    auto const before = rows_of(world, scope_of(world, "demo", 1));
    for (auto const* elsewhere : {"demo", "other-sandbox", "other"}) {
        auto visitor = world.client(elsewhere);
        CHECK(visitor
                  .post("/v1/auth/login",
                      body({{"email", ada.account.email}, {"password", ada.account.password}}))
                  .status == 401);
        CHECK(visitor.post("/v1/auth/refresh", body({{"refreshToken", ada.account.refresh_token}})).status ==
              401);
        CHECK(visitor.post("/v1/auth/logout", body({{"refreshToken", ada.account.refresh_token}})).status ==
              401);
    }
    CHECK(world.client().post("/v1/auth/external", R"({"idToken":"e30.e30.e30"})").status == 401);
    CHECK(world.client()
                  .post("/webhooks/sms/twilio", "From=" + ada.account.phone + "&Body=STOP",
                      {{"Content-Type", "application/x-www-form-urlencoded"}, {"X-Twilio-Signature", "AAAA"}})
                  .status /
              100 ==
          4);
    CHECK(rows_of(world, scope_of(world, "demo", 1)) == before);
    CHECK(world.as(ada.account).get("/v1/auth/me").status == 200);
    for (auto const& line : lines) {
        if (line.kind != Kind::anonymous || line.path.starts_with("/enroll.") ||
            line.path.starts_with("/.well") || line.path.starts_with("/webhooks"))
            continue;
        auto nowhere = world.client("nobody");
        INFO(line.path);
        CHECK(call(nowhere, line, {}).status == 404);
    }
}

TEST_CASE("a suspended tenant is closed to all but the operator's reading", "[isolation]")
{
    World const world;
    auto const ada = world.new_account();
    auto master = world.as_master();
    auto caller = world.as(ada);
    REQUIRE(
        master.put("/v1/admin/tenants/demo", R"({"displayName":"Demo","status":"suspended"})").status == 200);
    REQUIRE(testing::eventually([&] { return caller.get("/v1/auth/me").status == 403; }, 1s));
    CHECK(error_of(world.login(ada)) == "TENANT_SUSPENDED");
    CHECK(world.client().post("/v1/auth/refresh", body({{"refreshToken", ada.refresh_token}})).status == 403);
    CHECK(world.client().get("/enroll").status == 403);
    CHECK(master.get("/v1/members").status == 200);
    CHECK(master.patch("/v1/settings", R"({"brand":"x"})").status == 403);
    CHECK(world.new_account("other").user_id.size() == 36);
}

TEST_CASE("a purged tenant leaves nothing, here and in Redis, its neighbour everything", "[isolation]")
{
    World const world;
    Ada const ada(world);
    auto neighbour = world.new_account_with_sms("other-sandbox");
    auto const theirs = world.challenged(neighbour);
    world.challenged(ada.account);
    auto const sandbox = scope_of(world, "demo", 1), production = scope_of(world, "demo", 0),
               other = scope_of(world, "other", 1);
    auto const before = rows_of(world, other);
    CHECK(world.as_master().del("/v1/admin/tenants/demo?purge=now").body == R"({"deleted":true})");
    auto const empty = rows_of(world, "-1");
    CHECK(rows_of(world, sandbox) == empty);
    CHECK(rows_of(world, production) == empty);
    CHECK(rows_of(world, other) == before);
    CHECK(world.verify(theirs, "sms", world.code_sent_to(neighbour.phone), false, "other-sandbox").status ==
          200);
    CHECK(testing::eventually([&] { return world.login(ada.account).status == 404; }));
}
