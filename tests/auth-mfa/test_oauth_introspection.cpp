#include "oauth.hpp"

#include <catch2/catch.hpp>

// Introspection and revocation of tokens.

namespace {

namespace json = boost::json;

/// A public client with a user's tokens, and the server of the API that the client calls.
struct Parties {
    explicit Parties(World const& w)
        : world(w), app(oauth::new_client(w)), server(oauth::new_confidential_client(w)),
          user(w.new_account()), tokens(oauth::tokens_of(w, app, user))
    {
    }

    json::object introspect(std::string const& token, oauth::Client const& client) const
    {
        auto const r = oauth::post(world, client.tenant, "/oauth/introspect",
            oauth::with(oauth::credentials_of(client), {{"token", token}}));
        INFO(r.body);
        REQUIRE(r.status == 200);
        CHECK(r.header("cache-control") == "no-store");
        return r.json().as_object();
    }

    bool active(std::string const& token) const { return oauth::is_active(world, server, token); }

    testing::HttpResponse revoke(
        std::string const& token, oauth::Client const& client, oauth::Fields const& changes = {}) const
    {
        return oauth::post(world, client.tenant, "/oauth/revoke",
            oauth::with(oauth::with(oauth::credentials_of(client), {{"token", token}}), changes));
    }

    World const& world;
    oauth::Client app, server;
    Account user;
    oauth::Tokens tokens;
};

} // namespace

TEST_CASE("a confidential client can introspect any access token of its environment", "[oauth]")
{
    World const world;
    Parties const p(world);
    auto const about = p.introspect(p.tokens.access_token, p.server);
    auto const claims = claims_of(p.tokens.access_token);
    CHECK(about.at("active") == true);
    CHECK(about.at("token_type") == "Bearer");
    for (auto const* const same :
        {"iss", "sub", "aud", "exp", "iat", "jti", "sid", "client_id", "scope", "auth_time", "acr", "amr"}) {
        INFO(same);
        CHECK(about.at(same) == claims.at(same));
    }
    CHECK(text(about, "username") == p.user.email);

    auto const own = p.introspect(p.user.access_token, p.server);
    CHECK(own.at("active") == true);
    CHECK_FALSE(own.contains("client_id"));
}

TEST_CASE("introspection says only that other tokens are not active", "[oauth]")
{
    World const world;
    Parties const p(world);
    auto const inactive = [&](std::string const& token) {
        return json::serialize(p.introspect(token, p.server)) == R"({"active":false})";
    };
    auto altered = p.tokens.access_token;
    altered.back() = altered.back() == 'A' ? 'B' : 'A';
    altered[altered.size() / 2] = altered[altered.size() / 2] == 'A' ? 'B' : 'A';
    for (auto const& token : {std::string("x"), altered, p.tokens.id_token, world.new_key(),
             world.new_account("demo").access_token, world.new_account("other-sandbox").access_token})
        CHECK(inactive(token));
    SECTION("expired")
    {
        world.clock.advance(930s);
        CHECK(inactive(p.tokens.access_token));
    }
    SECTION("of a session that has ended")
    {
        CHECK(world.as(p.user).del("/v1/auth/sessions").status == 200);
        CHECK(inactive(p.tokens.access_token));
        CHECK_FALSE(inactive(p.user.access_token));
    }
    SECTION("of a user who was deleted")
    {
        CHECK(world.as_master().del("/v1/members/" + p.user.user_id).status == 200);
        CHECK(inactive(p.tokens.access_token));
    }
}

TEST_CASE("only confidential clients can introspect", "[oauth]")
{
    World const world;
    Parties const p(world);
    oauth::Fields const token{{"token", p.tokens.access_token}};
    auto const as_app = oauth::post(
        world, "demo-sandbox", "/oauth/introspect", oauth::with(token, oauth::credentials_of(p.app)));
    CHECK(as_app.status == 401);
    CHECK(oauth::error_of(as_app) == "invalid_client");
    CHECK(
        oauth::error_of(oauth::post(world, "demo-sandbox", "/oauth/introspect", token)) == "invalid_request");
    CHECK(oauth::error_of(oauth::post(world, "demo-sandbox", "/oauth/introspect", {},
              oauth::basic(p.server.id, p.server.secret))) == "invalid_request");
    CHECK(oauth::post(
              world, "demo-sandbox", "/oauth/introspect", token, oauth::basic(p.server.id, p.server.secret))
              .status == 200);
}

TEST_CASE("a client can introspect its own refresh tokens, and no others", "[oauth]")
{
    World const world;
    Parties const p(world);
    CHECK_FALSE(p.active(p.tokens.refresh_token)); // of another client
    CHECK_FALSE(p.active(p.user.refresh_token));   // of the app itself
    auto const own = oauth::tokens_of(world, p.server, p.user);
    auto const about = p.introspect(own.refresh_token, p.server);
    CHECK(about.at("active") == true);
    CHECK(text(about, "client_id") == p.server.id);
    CHECK(text(about, "scope") == own.scope);
    CHECK(text(about, "sub") == p.user.user_id);
    CHECK(text(about, "iss") == oauth::issuer_of(world));
    CHECK(about.at("sid") == claims_of(own.access_token).at("sid"));
    CHECK(about.at("exp").to_number<std::int64_t>() ==
          core::unix_seconds(world.clock.now() + std::chrono::days(30)));
    CHECK_FALSE(about.contains("token_type"));
    auto const next = oauth::Tokens::of(oauth::refresh(world, p.server, own.refresh_token));
    CHECK_FALSE(p.active(own.refresh_token)); // used
    CHECK(p.active(next.refresh_token));
}

TEST_CASE("a client revokes a refresh token, and its access tokens with it", "[oauth]")
{
    World const world;
    Parties const p(world);
    auto const r = p.revoke(p.tokens.refresh_token, p.app, {{"token_type_hint", "refresh_token"}});
    CHECK(r.status == 200);
    CHECK(r.body.empty());
    CHECK(r.header("cache-control") == "no-store");
    CHECK(oauth::error_of(oauth::refresh(world, p.app, p.tokens.refresh_token)) == "invalid_grant");
    CHECK_FALSE(p.active(p.tokens.access_token));
    CHECK(world.with(p.tokens.access_token).get("/oauth/userinfo").status == 401);
    CHECK(p.revoke(p.tokens.refresh_token, p.app).status == 200); // again
    CHECK(
        world.postgres.query("SELECT string_agg(actor, ',') FROM audit_log WHERE action = 'session.ended'") ==
        "client:" + p.app.id);
    CHECK(p.active(p.user.access_token));
}

TEST_CASE("a client revokes an access token, and the session with it", "[oauth]")
{
    World const world;
    Parties const p(world);
    CHECK(p.revoke(p.tokens.access_token, p.app, {{"token_type_hint", "wrong"}}).status == 200);
    CHECK_FALSE(p.active(p.tokens.access_token));
    CHECK(oauth::error_of(oauth::refresh(world, p.app, p.tokens.refresh_token)) == "invalid_grant");
}

TEST_CASE("a used refresh token can still be revoked", "[oauth]")
{
    World const world;
    Parties const p(world);
    auto const next = oauth::Tokens::of(oauth::refresh(world, p.app, p.tokens.refresh_token));
    CHECK(p.revoke(p.tokens.refresh_token, p.app).status == 200);
    CHECK(oauth::error_of(oauth::refresh(world, p.app, next.refresh_token)) == "invalid_grant");
}

TEST_CASE("the revocation of an unknown token succeeds, and ends nothing", "[oauth]")
{
    World const world;
    Parties const p(world);
    for (auto const& token :
        {std::string("x"), std::string(43, 'A'), p.tokens.id_token, world.new_account("demo").refresh_token})
        CHECK(p.revoke(token, p.app).status == 200);
    CHECK(p.active(p.tokens.access_token));
}

TEST_CASE("a client cannot revoke tokens of another client or of the app", "[oauth]")
{
    World const world;
    Parties const p(world);
    auto const other = oauth::new_client(world);
    for (auto const& token :
        {p.tokens.refresh_token, p.tokens.access_token, p.user.refresh_token, p.user.access_token}) {
        CHECK(oauth::error_of(p.revoke(token, other)) == "invalid_grant");
        CHECK(oauth::error_of(p.revoke(token, p.server)) == "invalid_grant");
    }
    CHECK(oauth::error_of(p.revoke(p.user.refresh_token, p.app)) == "invalid_grant");
    CHECK(p.active(p.tokens.access_token));
    CHECK(p.active(p.user.access_token));
}

TEST_CASE("revocation needs a client and a token", "[oauth]")
{
    World const world;
    Parties const p(world);
    auto const revoke = [&](oauth::Fields const& fields) {
        return oauth::error_of(oauth::post(world, "demo-sandbox", "/oauth/revoke", fields));
    };
    CHECK(revoke({{"token", p.tokens.refresh_token}}) == "invalid_request");
    CHECK(revoke({{"client_id", p.app.id}}) == "invalid_request");
    CHECK(revoke({{"client_id", "unknown"}, {"token", p.tokens.refresh_token}}) == "invalid_client");
    CHECK(revoke({{"client_id", p.server.id}, {"token", p.tokens.refresh_token}}) == "invalid_client");
    CHECK(p.active(p.tokens.access_token));
}
