#include "core/joined.hpp"
#include "crypto/encoding.hpp"
#include "images.hpp"
#include "passkeys.hpp"
#include "routes.hpp"
#include "support/eventually.hpp"
#include "support/isolation.hpp"
#include "support/issuer.hpp"
#include "support/scope_rows.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <array>

// Calls every route with every credential that may not use it, on objects of tenant demo's sandbox. None of
// these calls may read or change data. A route without a probe does not compile.

namespace {

using testing::Isolation, testing::PathValues, testing::Reach;
using enum http::Method;

constexpr auto own_probes = std::to_array<testing::RouteProbe>({
    {post, "/v1/auth/register", Reach::open},
    {post, "/v1/auth/login", Reach::open},
    {post, "/v1/auth/login/passkey", Reach::open},
    {post, "/v1/auth/external", Reach::open, R"({"idToken":"e30.e30.e30"})"},
    {post, "/v1/auth/refresh", Reach::open},
    {post, "/v1/auth/logout", Reach::open},
    {get, "/v1/auth/me", Reach::own},
    {del, "/v1/auth/me", Reach::own},
    {get, "/v1/auth/me/export", Reach::own},
    {get, "/v1/auth/activity", Reach::own},
    {post, "/v1/auth/reauthenticate", Reach::own, R"({"password":"correct horse battery"})"},
    {post, "/v1/auth/reauthenticate/challenge", Reach::own, "{}"},
    {post, "/v1/auth/password/forgot", Reach::open},
    {post, "/v1/auth/password/reset", Reach::open},
    {post, "/v1/auth/email", Reach::own, R"({"newEmail":"moved@example.com"})"},
    {post, "/v1/auth/email/confirm", Reach::open},
    {post, "/v1/auth/email/revert", Reach::open},
    {post, "/v1/auth/email/verification", Reach::open},
    {post, "/v1/auth/email/verify", Reach::open},
    {post, "/v1/auth/invitations/accept", Reach::open},
    {post, "/v1/auth/identities", Reach::own, R"({"idToken":"e30.e30.e30"})"},
    {get, "/v1/auth/identities", Reach::own},
    {del, "/v1/auth/identities/{identityId}", Reach::object},
    {post, "/v1/auth/password", Reach::own,
        R"({"currentPassword":"correct horse battery","newPassword":"another good one"})"},
    {get, "/v1/auth/sessions", Reach::own},
    {del, "/v1/auth/sessions", Reach::own},
    {del, "/v1/auth/sessions/{sessionId}", Reach::object},
    {get, "/v1/auth/mfa", Reach::own},
    {post, "/v1/auth/mfa/challenge", Reach::open},
    {post, "/v1/auth/mfa/verify", Reach::open},
    {post, "/v1/auth/mfa/sms/setup", Reach::own, R"({"phone":"+4915199999999"})"},
    {post, "/v1/auth/mfa/sms/confirm", Reach::own, R"({"code":"123456"})"},
    {del, "/v1/auth/mfa/sms", Reach::own, R"({"code":"123456"})"},
    {post, "/v1/auth/mfa/totp/setup", Reach::own, "{}"},
    {post, "/v1/auth/mfa/totp/confirm", Reach::own, R"({"code":"123456"})"},
    {del, "/v1/auth/mfa/totp", Reach::own, R"({"code":"123456"})"},
    {post, "/v1/auth/mfa/recovery-codes", Reach::own, R"({"code":"123456"})"},
    {get, "/v1/auth/mfa/devices", Reach::own},
    {del, "/v1/auth/mfa/devices", Reach::own},
    {del, "/v1/auth/mfa/devices/{deviceId}", Reach::object},
    {post, "/v1/auth/passkeys/options", Reach::own, "{}"},
    {post, "/v1/auth/passkeys", Reach::own, R"({"name":"x","credential":{}})"},
    {get, "/v1/auth/passkeys", Reach::own},
    {del, "/v1/auth/passkeys/{passkeyId}", Reach::object},
    {post, "/v1/auth/passkeys/challenge", Reach::open},
    {post, "/webhooks/sms/twilio", Reach::open},
    {del, "/v1/admin/sms/opt-outs/{phone}", Reach::tenantless},
    {get, "/login", Reach::open},
    {get, "/register", Reach::open},
    {get, "/reset", Reach::open},
    {get, "/verify-email", Reach::open},
    {get, "/invite", Reach::open},
    {get, "/confirm-email", Reach::open},
    {get, "/revert-email", Reach::open},
    {get, "/enroll", Reach::open},
    {get, "/oauth/authorize", Reach::open},
    {post, "/oauth/authorize", Reach::open},
    {post, "/oauth/par", Reach::open},
    {post, "/oauth/token", Reach::open},
    {post, "/oauth/revoke", Reach::open},
    {post, "/oauth/introspect", Reach::open},
    {get, "/oauth/userinfo", Reach::own},
    {post, "/oauth/userinfo", Reach::open},
    {get, "/oauth/logout", Reach::open},
    {post, "/oauth/logout", Reach::open},
    {get, "/oauth/external/{name}", Reach::open},
    {get, "/oauth/external/callback", Reach::open},
    {post, "/oauth/external/callback", Reach::open},
    {get, "/console", Reach::open},
    {get, "/console/config.json", Reach::open},
    {get, "/console/assets/{file}", Reach::open},
    {get, "/pages.css", Reach::open},
    {get, "/pages.js", Reach::open},
    {get, "/logo", Reach::open},
    {get, "/v1/members", Reach::scope},
    {get, "/v1/members/{userId}", Reach::object},
    {get, "/v1/members/{userId}/activity", Reach::object},
    {del, "/v1/members/{userId}/sessions", Reach::object},
    {patch, "/v1/members/{userId}", Reach::object, R"({"role":"admin"})"},
    {del, "/v1/members/{userId}/mfa", Reach::object},
    {del, "/v1/members/{userId}", Reach::object},
    {get, "/v1/members/{userId}/export", Reach::object},
    {get, "/v1/erasures", Reach::scope},
    {get, "/v1/erasures/{erasureId}", Reach::object},
    {post, "/v1/clients", Reach::scope,
        R"({"name":"x","type":"public","redirectUris":["https://app.example.com/cb"]})"},
    {get, "/v1/clients", Reach::scope},
    {get, "/v1/clients/{clientId}", Reach::object},
    {patch, "/v1/clients/{clientId}", Reach::object, R"({"name":"x"})"},
    {post, "/v1/clients/{clientId}/secret", Reach::object},
    {del, "/v1/clients/{clientId}", Reach::object},
    {get, "/v1/settings", Reach::scope},
    {patch, "/v1/settings", Reach::scope, R"({"brand":"other"})"},
    {put, "/v1/settings/logo", Reach::scope, testing::gray_pixel, "image/png"},
    {del, "/v1/settings/logo", Reach::scope},
    {get, "/v1/audit", Reach::scope},
    {get, "/.well-known/jwks.json", Reach::open},
    {get, "/.well-known/openid-configuration", Reach::open},
    {get, "/.well-known/oauth-authorization-server", Reach::open},
    {get, "/.well-known/webauthn", Reach::open},
    {post, "/v1/admin/tenants/{slug}/owners", Reach::tenantless,
        R"({"email":"x@example.com","password":"another good one","environment":"sandbox"})"},
});

/// Two callers of one scope would create the same member.
constexpr auto member_probes = std::to_array<testing::RouteProbe>({
    {post, "/v1/members", Reach::scope, R"({"email":"probe@example.com"})"},
});

/// The routes that all neighbours call.
constexpr auto common_probes =
    core::joined(own_probes, testing::webhook_probes, testing::tenant_probes, testing::reference_probes);

constexpr auto probes = core::joined(common_probes, member_probes, testing::key_probes());

static_assert(testing::covers_every_route(probes, auth_mfa::api_routes),
    "routes.hpp and the probes of the isolation test differ");
// The two environments of a tenant share nothing that callers can write.
static_assert(testing::are_production_only({}, auth_mfa::routes));

std::string rows_of(World const& world, std::string const& scope_id)
{
    return testing::rows_of_scope(
        world.postgres, scope_id, {{"jobs", ""}, {"api_keys", "to_jsonb(t) - 'last_used_at'"}});
}

/// Gives demo's sandbox a logo whose bytes contain "marker".
void set_logo(World const& world)
{
    std::string const logo =
        with_png_chunk(make_png(2, 2), png_chunk("tEXt", std::string_view("a\0marker", 8)));
    REQUIRE(world.as_master().put("/v1/settings/logo", logo, {{"Content-Type", "image/png"}}).status == 200);
}

/// Ada, a user of demo's sandbox with all factors, a trusted device and a session.
struct Ada {
    Account account;
    Authenticator phone = new_phone_with_passkeys();
    PathValues objects; ///< Ada's objects, by the name of the path parameter

    explicit Ada(World const& world) : account(world.new_account_with_sms())
    {
        world.enrol_totp(account);
        objects["passkeyId"] = text(register_passkey(world, account, phone, "marker"), "passkeyId");
        auto const trusting =
            world.verify(world.challenged(account), "totp", world.totp_code(account, 1), true);
        REQUIRE(trusting.status == 200);
        auto caller = world.as(account);
        objects["deviceId"] = text(caller.get("/v1/auth/mfa/devices").json().at("items").at(0), "deviceId");
        objects["sessionId"] = text(claims_of(account.access_token), "sid");
        objects["identityId"] = world.postgres.query(
            "INSERT INTO identities (scope_id, issuer, subject, user_id, identity_id) VALUES (" +
            world.scope_id() + ", 'https://id.example.com', 'ada', '" + account.user_id +
            "', gen_random_uuid()) RETURNING identity_id");
        objects["userId"] = account.user_id;
        objects["erasureId"] = world.postgres.query(
            "INSERT INTO erasures (scope_id, erasure_id, user_id, requested_at, expires_at) VALUES (" +
            world.scope_id() + ", gen_random_uuid(), gen_random_uuid(), now(), now()) RETURNING erasure_id");
        objects["clientId"] = "marker-app";
        REQUIRE(world.as_master()
                    .post("/v1/clients", R"({"clientId":"marker-app","name":"marker","type":"confidential",)"
                                         R"("redirectUris":["https://app.example.com/cb"]})")
                    .status == 201);
        objects["slug"] = "demo";
        objects["phone"] = account.phone;
    }
};

/// The account with a new access token in place of an expired one.
Account fresh(World const& world, Account account)
{
    auto const r = world.client(account.tenant)
                       .post("/v1/auth/refresh", body({{"refreshToken", account.refresh_token}}));
    REQUIRE(r.status == 200);
    account.take(r);
    return account;
}

std::string without_signature(std::string const& token)
{
    return crypto::base64url::encode(R"({"alg":"none","typ":"at+jwt"})") +
           token.substr(token.find('.'), token.rfind('.') - token.find('.') + 1);
}

std::string with_another_signature(std::string token)
{
    token.back() = token.back() == 'A' ? 'Q' : 'A';
    return token;
}

std::string forged_owner(World const& world, Account const& account)
{
    testing::Issuer const forger(world.clock);
    auto const jwks = world.client().get("/.well-known/jwks.json").json();
    return forger.sign(forger.claims({.subject = account.user_id, .role = "owner"}),
        {{"kid", jwks.at("keys").at(0).at("kid")}});
}

/// The callers besides Ada. All except `signed_out` have a token that is valid in their own scope.
struct Others {
    std::string key, other_key,
        production_key;       ///< API keys of demo's sandbox, of another tenant, of production
    Account bob;              ///< a user of demo's sandbox
    Account admin, owner;     ///< of demo's sandbox
    Account other_owner;      ///< of another tenant's sandbox
    Account production_owner; ///< of demo's production
    Account signed_out;       ///< of demo's sandbox, with an access token that has not expired
    std::string expired;      ///< an access token of demo's sandbox
    std::string mfa_token;    ///< of a challenge of Ada

    Others(World const& world, Ada const& ada)
        : bob(world.new_account()), owner(world.new_owner()), other_owner(world.new_owner("other-sandbox")),
          production_owner(world.new_owner("demo")), signed_out(world.new_account()),
          expired(bob.access_token)
    {
        admin = world.new_member(owner, "admin");
        world.clock.advance(931s); // the lifetime of a token plus the clock skew
        for (auto* account : {&bob, &admin, &owner, &other_owner, &production_owner, &signed_out})
            account->take(world.login(*account)); // some routes need a fresh authentication
        key = world.new_key();
        other_key = world.new_key("other-sandbox");
        production_key = world.new_key("demo");
        mfa_token = world.challenged(ada.account);
        REQUIRE(world.client()
                    .post("/v1/auth/logout", body({{"refreshToken", signed_out.refresh_token}}))
                    .status == 200);
    }
};

/// Callers without a valid access token of demo's sandbox.
void add_strangers(Isolation& isolation, World const& world, Ada const& ada, Others const& others)
{
    auto& strangers = isolation.strangers;
    strangers.push_back({"no credential", world.client()});
    strangers.push_back({"nonsense", world.with("nonsense")});
    strangers.push_back({"a refresh token", world.with(others.bob.refresh_token)});
    strangers.push_back({"an mfa_token", world.with(others.mfa_token)});
    strangers.push_back({"another tenant's key", world.with(others.other_key)});
    strangers.push_back({"the other environment's key", world.with(others.production_key)});
    strangers.push_back({"another tenant's owner", world.with(others.other_owner.access_token)});
    strangers.push_back({"the other environment's owner", world.with(others.production_owner.access_token)});
    strangers.push_back({"an expired token", world.with(others.expired)});
    strangers.push_back({"a forged token", world.with(forged_owner(world, ada.account))});
    strangers.push_back({"an altered token", world.with(with_another_signature(others.bob.access_token))});
    strangers.push_back({"an unsigned token", world.with(without_signature(others.bob.access_token))});
}

void add_residents(Isolation& isolation, World const& world, Others const& others)
{
    auto& residents = isolation.residents;
    residents.push_back({"a user", world.as(others.bob), core::Access::user});
    residents.push_back({"a key", world.with(others.key), core::Access::key});
    residents.push_back({"an admin", world.as(others.admin), core::Access::admin});
    residents.push_back({"an owner", world.as(others.owner), core::Access::owner});
    residents.push_back({"the operator", world.as_master(), core::Access::master});
}

/// Valid credentials of other callers, used in their own scope on Ada's objects: with one caller for each
/// scope.
std::vector<Isolation::Caller> backends_elsewhere(World const& world, Others const& others)
{
    std::vector<Isolation::Caller> callers;
    callers.push_back(
        {"a key at other-sandbox", world.with(others.other_key, "other-sandbox"), core::Access::key});
    callers.push_back({"a key at demo", world.with(others.production_key, "demo"), core::Access::key});
    return callers;
}

/// Callers of another tenant.
std::vector<Isolation::Caller> managers_of_another_tenant(World const& world, Others const& others)
{
    std::vector<Isolation::Caller> callers;
    callers.push_back({"another tenant's owner", world.as(others.other_owner), core::Access::owner});
    callers.push_back(
        {"the operator at other-sandbox", world.as_master("other-sandbox"), core::Access::master});
    return callers;
}

void add_neighbours(Isolation& isolation, World const& world, Others const& others)
{
    auto& neighbours = isolation.neighbours;
    neighbours = backends_elsewhere(world, others);
    for (auto& caller : managers_of_another_tenant(world, others))
        neighbours.push_back(std::move(caller));
    neighbours.push_back({"another user", world.as(others.bob), core::Access::user});
    neighbours.push_back(
        {"the other environment's owner", world.as(others.production_owner), core::Access::owner});
    neighbours.push_back({"the operator at demo", world.as_master("demo"), core::Access::master});
}

} // namespace

TEST_CASE("no route lets a caller read or change data of another scope or user", "[isolation]")
{
    World const world;
    Ada const ada(world);
    REQUIRE(world.as_master().patch("/v1/settings", R"({"brand":"marker"})").status == 200);
    set_logo(world);
    Others const others(world, ada);
    std::string const never = "0190a5d2-0000-7000-8000-0000000000ff";
    auto const scope_id = world.scope_id();
    Isolation isolation;
    isolation.ours = ada.objects;
    isolation.ours.merge(PathValues{{"environment", "sandbox"}, {"prefix", others.key.substr(0, 12)},
        {"webhookId", never}, {"deliveryId", never}});
    isolation.absent = {{"deviceId", never}, {"sessionId", never}, {"userId", never}, {"erasureId", never},
        {"slug", "nobody"}, {"phone", "+4915188888888"}, {"identityId", never}, {"passkeyId", never},
        {"clientId", never}, {"environment", "sandbox"}, {"prefix", "aut_zzzzzzzz"}, {"webhookId", never},
        {"deliveryId", never}};
    isolation.secrets = {"marker", ada.account.user_id};
    isolation.rows = [&] { return rows_of(world, scope_id); };
    add_strangers(isolation, world, ada, others);
    add_residents(isolation, world, others);
    add_neighbours(isolation, world, others);
    auto const before = isolation.rows();
    CHECK(isolation.breaches(common_probes, auth_mfa::api_routes) == "");
    isolation.neighbours = backends_elsewhere(world, others);
    CHECK(isolation.breaches(member_probes, auth_mfa::api_routes) == "");
    // The production host manages the keys of both environments.
    isolation.neighbours = managers_of_another_tenant(world, others);
    CHECK(isolation.breaches(testing::key_probes(), auth_mfa::api_routes) == "");

    auto signed_out = world.as(others.signed_out);
    for (auto const& probe : probes) {
        INFO(http::to_string(probe.method) << ' ' << probe.path);
        if (probe.reach == Reach::open) continue;
        CHECK(testing::call(signed_out, probe, ada.objects).status / 100 == 4);
    }
    CHECK(isolation.rows() == before);
    // Ada still has her device.
    auto caller = world.as(fresh(world, ada.account));
    CHECK(caller.get("/v1/auth/mfa/devices").json().at("items").as_array().size() == 1);
}

TEST_CASE("anonymous routes accept only credentials and tokens of their own scope", "[isolation]")
{
    World const world;
    Ada ada(world);
    auto const before = rows_of(world, world.scope_id());
    for (auto const* elsewhere : {"demo", "other-sandbox", "other"}) {
        auto visitor = world.client(elsewhere);
        CHECK(visitor.post("/v1/auth/login", credentials(ada.account.email, ada.account.password)).status ==
              401);
        CHECK(visitor.post("/v1/auth/refresh", body({{"refreshToken", ada.account.refresh_token}})).status ==
              401);
        CHECK(visitor.post("/v1/auth/logout", body({{"refreshToken", ada.account.refresh_token}})).status ==
              401);
    }
    CHECK(world.client().post("/v1/auth/external", R"({"idToken":"e30.e30.e30"})").status == 401);
    for (auto const* elsewhere : {"demo", "other-sandbox"}) {
        auto options = request_options(world.client(elsewhere));
        options["rpId"] = "demo-sandbox.auth.localhost";
        CHECK(send_assertion(world, ada.phone.get(options), elsewhere).status == 401);
    }
    CHECK(world.client()
                  .post("/webhooks/sms/twilio", "From=" + ada.account.phone + "&Body=STOP",
                      {{"Content-Type", "application/x-www-form-urlencoded"}, {"X-Twilio-Signature", "AAAA"}})
                  .status /
              100 ==
          4);
    CHECK(rows_of(world, world.scope_id()) == before);
    CHECK(world.as(ada.account).get("/v1/auth/me").status == 200);
    for (auto const& probe : probes) {
        if (probe.reach != Reach::open || probe.path.starts_with("/pages.") ||
            probe.path.starts_with("/console/assets") || probe.path.starts_with("/.well") ||
            probe.path.starts_with("/webhooks") || probe.path.starts_with("/docs") || probe.path == "/")
            continue;
        auto nowhere = world.client("nobody");
        INFO(probe.path);
        CHECK(testing::call(nowhere, probe, {}).status == 404);
    }
}

TEST_CASE("only the operator may read data of a suspended tenant", "[isolation]")
{
    World const world;
    auto const ada = world.new_account();
    auto master = world.as_master();
    auto caller = world.as(ada);
    REQUIRE(
        master.put("/v1/admin/tenants/demo", R"({"displayName":"Demo","status":"suspended"})").status == 200);
    REQUIRE(testing::eventually([&] { return caller.get("/v1/auth/me").status == 403; }));
    CHECK(error_of(world.login(ada)) == "TENANT_SUSPENDED");
    CHECK(world.client().post("/v1/auth/refresh", body({{"refreshToken", ada.refresh_token}})).status == 403);
    CHECK(world.client().get("/enroll").status == 403);
    CHECK(master.get("/v1/members").status == 200);
    CHECK(master.patch("/v1/settings", R"({"brand":"x"})").status == 403);
    CHECK(world.new_account("other").user_id.size() == 36);
}

TEST_CASE("purging a tenant erases all its data, including data in Redis, and no data of another tenant",
    "[isolation]")
{
    World const world;
    Ada const ada(world);
    set_logo(world);
    auto neighbour = world.new_account_with_sms("other-sandbox");
    auto const theirs = world.challenged(neighbour);
    world.challenged(ada.account);
    CHECK(testing::breaches_of_purge(world, [&](auto const& scope_id) { return rows_of(world, scope_id); }) ==
          "");
    CHECK(world.verify(theirs, "sms", world.code_sent_to(neighbour.phone), false, "other-sandbox").status ==
          200);
    CHECK(testing::eventually([&] { return world.login(ada.account).status == 404; }));
}
