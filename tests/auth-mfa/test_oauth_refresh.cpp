#include "oauth.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace {

/// A user who has authorized a client with `offline_access`.
struct Authorized {
    explicit Authorized(World const& w)
        : world(w), client(oauth::new_client(w)), user(w.new_account()),
          tokens(oauth::tokens_of(w, client, user))
    {
    }

    testing::HttpResponse refresh(std::string const& token, oauth::Fields const& changes = {}) const
    {
        return oauth::refresh(world, client, token, changes);
    }

    oauth::Tokens refreshed(std::string const& token, oauth::Fields const& changes = {}) const
    {
        return oauth::Tokens::of(refresh(token, changes));
    }

    std::string error(std::string const& token, oauth::Fields const& changes = {}) const
    {
        return oauth::error_of(refresh(token, changes));
    }

    unsigned userinfo(oauth::Tokens const& of) const
    {
        return world.with(of.access_token).get("/oauth/userinfo").status;
    }

    World const& world;
    oauth::Client client;
    Account user;
    oauth::Tokens tokens;
};

} // namespace

TEST_CASE("a client's refresh token works once and gives new tokens of the same session", "[oauth]")
{
    World const world;
    Authorized const app(world);
    world.clock.advance(1h);
    CHECK(app.userinfo(app.tokens) == 401); // the access token has expired
    auto const next = app.refreshed(app.tokens.refresh_token);
    CHECK(app.userinfo(next) == 200);
    CHECK(next.scope == app.tokens.scope);
    CHECK(next.refresh_token != app.tokens.refresh_token);
    auto const before = claims_of(app.tokens.id_token), after = claims_of(next.id_token);
    for (auto const* const same : {"iss", "sub", "aud", "sid", "auth_time", "acr"})
        CHECK(before.at(same) == after.at(same));
    CHECK(before.at("iat") != after.at("iat"));
    CHECK_FALSE(after.contains("nonce"));
    CHECK(text(claims_of(next.access_token), "client_id") == app.client.id);

    SECTION("reuse within 10 s is a retry")
    {
        world.clock.advance(10s);
        auto const retry = app.refreshed(app.tokens.refresh_token);
        CHECK(app.refresh(retry.refresh_token).status == 200);
    }
    SECTION("later reuse ends the session")
    {
        world.clock.advance(10s + 1ms);
        CHECK(app.error(app.tokens.refresh_token) == "invalid_grant");
        CHECK(app.error(next.refresh_token) == "invalid_grant");
        CHECK(app.userinfo(next) == 401);
        auto const reused = "SELECT count(*) FROM audit_log WHERE action = 'session.reuse_detected'";
        CHECK(world.postgres.query(reused) == "1");
    }
    SECTION("reuse of an older token ends the session, even within 10 s")
    {
        auto const third = app.refreshed(next.refresh_token);
        CHECK(app.error(app.tokens.refresh_token) == "invalid_grant");
        CHECK(app.error(third.refresh_token) == "invalid_grant");
    }
}

TEST_CASE("a client's refresh token is valid for 30 days from the last refresh", "[oauth]")
{
    World const world;
    Authorized const app(world);
    world.clock.advance(std::chrono::days(30) - 1ms);
    auto const next = app.refreshed(app.tokens.refresh_token);
    world.clock.advance(std::chrono::days(30));
    CHECK(app.error(next.refresh_token) == "invalid_grant");
}

TEST_CASE("a refresh may ask for fewer scopes, and never for more", "[oauth]")
{
    World const world;
    Authorized const app(world);
    auto const fewer = app.refreshed(app.tokens.refresh_token, {{"scope", "email openid"}});
    CHECK(fewer.scope == "openid email");
    CHECK(text(claims_of(fewer.access_token), "scope") == "openid email");
    auto const info = world.with(fewer.access_token).get("/oauth/userinfo").json();
    CHECK(info.as_object().contains("email"));
    CHECK_FALSE(info.as_object().contains("updated_at"));
    auto const no_openid = app.refreshed(fewer.refresh_token, {{"scope", "email"}});
    CHECK(no_openid.id_token.empty());
    CHECK(app.userinfo(no_openid) == 403);
    CHECK(app.error(no_openid.refresh_token, {{"scope", "openid admin"}}) == "invalid_scope");
    // The refusal did not use the token up, and the token still has all scopes.
    CHECK(app.refreshed(no_openid.refresh_token).scope == app.tokens.scope);
}

TEST_CASE("a scope that the user did not authorize cannot be added later", "[oauth]")
{
    World const world;
    auto const client = oauth::new_client(world);
    auto const tokens =
        oauth::tokens_of(world, client, world.new_account(), {{"scope", "openid offline_access"}});
    auto const more = oauth::refresh(world, client, tokens.refresh_token, {{"scope", "openid email"}});
    CHECK(oauth::error_of(more) == "invalid_scope");
}

TEST_CASE("a refresh token works only for its client", "[oauth]")
{
    World const world;
    Authorized const app(world);
    auto const token = app.tokens.refresh_token;
    auto const other = oauth::new_client(world), server = oauth::new_confidential_client(world);
    for (auto const& client : {other, server}) {
        CHECK(oauth::error_of(oauth::refresh(world, client, token)) == "invalid_grant");
        CHECK(oauth::error_of(oauth::refresh(world, client, token, {{"scope", "admin"}})) == "invalid_grant");
    }
    for (auto const* const tenant : {"demo", "other-sandbox"}) {
        auto const elsewhere = oauth::new_client(world, {{"clientId", app.client.id}}, tenant);
        CHECK(oauth::error_of(oauth::refresh(world, elsewhere, token)) == "invalid_grant");
    }
    CHECK(app.refresh(token).status == 200); // it stayed valid
}

TEST_CASE("a client's refresh token is refused outside the token endpoint", "[oauth]")
{
    World const world;
    Authorized const app(world);
    auto anyone = world.client();
    auto const presented = body({{"refreshToken", app.tokens.refresh_token}});
    for (auto const* const path : {"/v1/auth/refresh", "/v1/auth/logout"}) {
        auto const r = anyone.post(path, presented);
        CHECK(r.status == 401);
        CHECK(error_of(r) == "UNAUTHORIZED");
    }
    CHECK(world.with(app.tokens.refresh_token).get("/oauth/userinfo").status == 401);
    CHECK(app.userinfo(app.tokens) == 200);
    CHECK(app.refresh(app.tokens.refresh_token).status == 200);
}

TEST_CASE("the app's own refresh tokens are refused at the token endpoint", "[oauth]")
{
    World const world;
    Authorized const app(world);
    CHECK(app.error(app.user.refresh_token) == "invalid_grant");
    CHECK(app.error(app.user.refresh_token, {{"scope", "openid"}}) == "invalid_grant");
    CHECK(app.error(app.user.access_token) == "invalid_grant");
    CHECK(app.error("x") == "invalid_grant");
    auto anyone = world.client();
    CHECK(anyone.post("/v1/auth/refresh", body({{"refreshToken", app.user.refresh_token}})).status == 200);
}

TEST_CASE("a client's session follows the state of the account", "[oauth]")
{
    World const world;
    Authorized const app(world);
    SECTION("disabled")
    {
        auto const owner = world.new_owner();
        auto const path = "/v1/members/" + app.user.user_id;
        CHECK(world.as(owner).patch(path, body({{"status", "disabled"}})).status == 200);
    }
    SECTION("deleted")
    {
        CHECK(world.as_master().del("/v1/members/" + app.user.user_id).status == 200);
    }
    SECTION("not verified, where the settings require it")
    {
        world.set({{"emailVerification", "required"}});
        CHECK(app.error(app.tokens.refresh_token) == "invalid_grant");
        world.set({{"emailVerification", "optional"}});
        CHECK(app.refresh(app.tokens.refresh_token).status == 200); // it was not used up
        return;
    }
    SECTION("password changed")
    {
        auto const change =
            body({{"currentPassword", app.user.password}, {"newPassword", "violet harbour lantern"}});
        CHECK(world.as(app.user).post("/v1/auth/password", change).status == 200);
    }
    CHECK(app.error(app.tokens.refresh_token) == "invalid_grant");
    CHECK(app.userinfo(app.tokens) == 401);
}

TEST_CASE("the deletion of a client ends its sessions", "[oauth]")
{
    World const world;
    Authorized const app(world);
    CHECK(world.as_master().del("/v1/clients/" + app.client.id).status == 200);
    CHECK(app.userinfo(app.tokens) == 401);
    CHECK(app.error(app.tokens.refresh_token) == "invalid_client");
    // A new client with the same id does not inherit them.
    oauth::new_client(world, {{"clientId", app.client.id}});
    CHECK(app.error(app.tokens.refresh_token) == "invalid_grant");
}

TEST_CASE("concurrent refreshes of one token lead to one next token", "[oauth]")
{
    World const world;
    Authorized const app(world);
    std::vector<testing::HttpResponse> answers(8);
    auto const statuses = at_once(8, [&](int number) {
        return answers[static_cast<std::size_t>(number)] = app.refresh(app.tokens.refresh_token);
    });
    CHECK(statuses == std::map<unsigned, int>{{200, 8}});
    std::set<std::string> next;
    for (auto const& answer : answers)
        next.insert(oauth::Tokens::of(answer).refresh_token);
    CHECK(next.size() == 1);
}
