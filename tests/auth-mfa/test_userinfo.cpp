#include "oauth.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

namespace {

constexpr char const* path = "/oauth/userinfo";

testing::HttpResponse userinfo(
    World const& world, std::string const& token, std::string const& tenant = "demo-sandbox")
{
    return world.with(token, tenant).get(path);
}

} // namespace

TEST_CASE("userinfo has the claims that the scopes of the token permit", "[oauth]")
{
    World const world;
    auto const client = oauth::new_client(world);
    auto const ada = world.new_account();
    auto const claims_for = [&](char const* scope) {
        auto const tokens = oauth::tokens_of(world, client, ada, {{"scope", scope}});
        auto const r = userinfo(world, tokens.access_token);
        INFO(r.body);
        REQUIRE(r.status == 200);
        CHECK(r.header("content-type") == "application/json");
        CHECK(r.header("cache-control") == "no-store");
        auto const claims = r.json().as_object();
        CHECK(text(claims, "sub") == ada.user_id);
        CHECK(claims.at("sub") == claims_of(tokens.id_token).at("sub"));
        return claims;
    };
    CHECK(claims_for("openid").size() == 1);
    auto const email = claims_for("openid email");
    CHECK(email.size() == 3);
    CHECK(text(email, "email") == ada.email);
    CHECK(email.at("email_verified") == false);
    world.verify_email(ada);
    CHECK(claims_for("openid email").at("email_verified") == true);
    auto const profile = claims_for("openid profile");
    CHECK(profile.size() == 2);
    CHECK(profile.at("updated_at").is_int64());
}

TEST_CASE("userinfo shows the account as it is now", "[oauth]")
{
    World const world;
    auto const ada = world.new_account();
    auto const tokens = oauth::tokens_of(world, oauth::new_client(world), ada);
    world.verify_email(ada);
    CHECK(claims_of(tokens.access_token).at("email_verified") == false);
    CHECK(userinfo(world, tokens.access_token).json().at("email_verified") == true);
}

TEST_CASE("userinfo needs the scope openid", "[oauth]")
{
    World const world;
    auto const tokens =
        oauth::tokens_of(world, oauth::new_client(world), world.new_account(), {{"scope", "email profile"}});
    auto const r = userinfo(world, tokens.access_token);
    CHECK(r.status == 403);
    CHECK(oauth::error_of(r) == "insufficient_scope");
    CHECK(r.header("www-authenticate") == R"(Bearer error="insufficient_scope", scope="openid")");
}

TEST_CASE("the app's own tokens get all claims of userinfo", "[oauth]")
{
    World const world;
    auto const ada = world.new_account();
    auto const r = userinfo(world, ada.access_token);
    REQUIRE(r.status == 200);
    CHECK(text(r.json(), "email") == ada.email);
    CHECK(r.json().as_object().size() == 4);
}

TEST_CASE("a built-in client gets the claims of its scopes", "[oauth]")
{
    World const world;
    oauth::Client const console{
        .id = "tetrad-console", .secret = {}, .redirect_uri = oauth::issuer_of(world) + "/console/callback"};
    auto const tokens = oauth::tokens_of(world, console, world.new_account(), {{"scope", "openid"}});
    CHECK(userinfo(world, tokens.access_token).json().as_object().size() == 1);
}

TEST_CASE("userinfo takes the token in the header, or in the body of a POST, but not in the query", "[oauth]")
{
    World const world;
    auto const ada = world.new_account();
    auto const token = oauth::tokens_of(world, oauth::new_client(world), ada).access_token;
    CHECK(world.with(token).request("POST", path).status == 200);
    CHECK(world.with(token).post(path, "{}").status == 200);
    auto const in_body = oauth::post(world, "demo-sandbox", path, {{"access_token", token}});
    CHECK(in_body.status == 200);
    CHECK(text(in_body.json(), "sub") == ada.user_id);
    auto const both = oauth::post(
        world, "demo-sandbox", path, {{"access_token", token}}, {{"Authorization", "Bearer " + token}});
    CHECK(both.status == 400);
    CHECK(oauth::error_of(both) == "invalid_request");
    auto anyone = world.client();
    CHECK(anyone.get(std::string(path) + "?access_token=" + token).status == 401);
    auto const bad = oauth::post(world, "demo-sandbox", path, {{"access_token", token + "x"}});
    CHECK(bad.status == 401);
    CHECK(oauth::error_of(bad) == "invalid_token");
    CHECK(oauth::post(world, "demo", path, {{"access_token", token}}).status == 401);
    CHECK(oauth::post(world, "other-sandbox", path, {{"access_token", token}}).status == 401);
}

TEST_CASE("userinfo refuses every credential except an access token of this environment", "[oauth]")
{
    World const world;
    auto const ada = world.new_account();
    auto const tokens = oauth::tokens_of(world, oauth::new_client(world), ada);
    auto anyone = world.client();
    auto const missing = anyone.get(path);
    CHECK(missing.status == 401);
    CHECK(missing.header("www-authenticate") == "Bearer");
    oauth::error_of(missing);
    CHECK(oauth::post(world, "demo-sandbox", path, {}).header("www-authenticate") == "Bearer");
    for (auto const& token : {std::string("x"), tokens.id_token, tokens.refresh_token}) {
        auto const r = userinfo(world, token);
        CHECK(r.status == 401);
        CHECK(oauth::error_of(r) == "invalid_token");
        CHECK(r.header("www-authenticate") == "Bearer error=\"invalid_token\"");
    }
    CHECK(userinfo(world, tokens.access_token, "demo").status == 401);
    CHECK(userinfo(world, tokens.access_token, "other-sandbox").status == 401);
    CHECK(userinfo(world, world.new_key()).status == 403);
    world.clock.advance(931s);
    CHECK(userinfo(world, tokens.access_token).status == 401);
}

TEST_CASE("userinfo ends with the session", "[oauth]")
{
    World const world;
    auto const ada = world.new_account();
    auto const token = oauth::tokens_of(world, oauth::new_client(world), ada).access_token;
    CHECK(world.as(ada).del("/v1/auth/sessions").status == 200);
    auto const r = userinfo(world, token);
    CHECK(r.status == 401);
    CHECK(oauth::error_of(r) == "invalid_token");
    auto const in_body = oauth::post(world, "demo-sandbox", path, {{"access_token", token}});
    CHECK(in_body.status == 401);
    CHECK(oauth::error_of(in_body) == "invalid_token");
}

TEST_CASE("scripts of allowed origins can read userinfo and the token endpoint", "[oauth]")
{
    World const world;
    std::string const app = "https://app.example.com";
    auto const settings = body({{"allowedOrigins", boost::json::array{app}}});
    REQUIRE(world.as_master().patch("/v1/settings", settings).status == 200);
    auto const tokens = oauth::tokens_of(world, oauth::new_client(world), world.new_account());
    auto caller = world.with(tokens.access_token);
    auto const allowed_for = [&](std::string const& origin) {
        return caller.get(path, {{"Origin", origin}}).header("access-control-allow-origin");
    };
    CHECK(testing::eventually([&] { return allowed_for(app) == app; }));
    auto const refused = oauth::post(world, "demo-sandbox", "/oauth/token", {}, {{"Origin", app}});
    CHECK(refused.status == 400);
    CHECK(refused.header("access-control-allow-origin") == app);
    CHECK(allowed_for("https://evil.example").empty());
}
