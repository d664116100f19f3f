#include "clients.hpp"
#include "oauth.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace registration;

TEST_CASE("a replaced secret stays valid for the grace period only", "[oauth]")
{
    World const world;
    auto master = world.as_master();
    auto const client = created(master, new_server());
    auto const id = text(client, "clientId"), first = text(client, "secret");
    auto const rotate = [&](std::string const& fields) {
        auto const r = master.post(path_of(client) + "/secret", fields);
        INFO(r.body);
        REQUIRE(r.status == 200);
        CHECK(r.header("cache-control") == "no-store");
        CHECK(text(r.json(), "clientId") == id);
        return text(r.json(), "secret");
    };
    auto const second = rotate(R"({"gracePeriodSeconds":3600})");
    CHECK(second != first);
    CHECK(accepts(world, id, first));
    CHECK(accepts(world, id, second));
    world.clock.advance(3601s);
    CHECK_FALSE(accepts(world, id, first));
    CHECK(accepts(world, id, second));

    auto const third = rotate(R"({"gracePeriodSeconds":604800})");
    auto const fourth = rotate(R"({"gracePeriodSeconds":60})");
    CHECK_FALSE(accepts(world, id, second)); // only one replaced secret is valid
    CHECK(accepts(world, id, third));
    auto const fifth = rotate("");
    CHECK_FALSE(accepts(world, id, third));
    CHECK_FALSE(accepts(world, id, fourth));
    CHECK(accepts(world, id, fifth));
    for (auto const* wrong : {R"({"gracePeriodSeconds":-1})", R"({"gracePeriodSeconds":604801})"})
        CHECK(master.post(path_of(client) + "/secret", wrong).status == 400);
    CHECK(master.post("/v1/clients/unknown/secret", "{}").status == 404);
}

TEST_CASE("a client has either a secret or keys", "[oauth]")
{
    World const world;
    auto master = world.as_master();
    auto const client = created(master, new_server());
    auto const id = text(client, "clientId"), first = text(client, "secret"), path = path_of(client);
    auto const second =
        text(master.post(path + "/secret", R"({"gracePeriodSeconds":3600})").json(), "secret");
    REQUIRE(master.patch(path, body({{"jwks", key_set()}})).status == 200);
    CHECK_FALSE(accepts(world, id, first));
    CHECK_FALSE(accepts(world, id, second));
    CHECK(master.post(path + "/secret", "{}").status == 409);
    CHECK(master.patch(path, R"({"jwks":null})").json().at("jwks").is_null());
    CHECK_FALSE(accepts(world, id, second));
    auto const third = text(master.post(path + "/secret", "{}").json(), "secret");
    CHECK(accepts(world, id, third));
    CHECK(master.post(path_of(created(master, new_client())) + "/secret", "{}").status == 409);
}

TEST_CASE("deleting a client ends its sessions and its codes, and no others", "[oauth]")
{
    World const world;
    auto const account = world.new_account();
    auto const app = oauth::new_client(world), other = oauth::new_client(world);
    auto const tokens = oauth::tokens_of(world, app, account);
    auto const others = oauth::tokens_of(world, other, account);
    auto browser = oauth::signed_in(world, account);
    auto const pkce = oauth::Pkce::make();
    auto const code = oauth::authorize(browser, oauth::request_of(app, pkce));
    REQUIRE(world.as_master().del("/v1/clients/" + app.id).status == 200);
    CHECK(world.with(tokens.access_token).get("/oauth/userinfo").status == 401);
    CHECK(oauth::error_of(oauth::refresh(world, app, tokens.refresh_token)) == "invalid_client");
    CHECK(oauth::error_of(oauth::exchange(world, app, code, pkce)) == "invalid_client");
    CHECK(world.with(others.access_token).get("/oauth/userinfo").status == 200);
    CHECK(world.as(account).get("/v1/auth/me").status == 200);

    // A new client with the same id gets nothing of the old one.
    auto const successor = oauth::new_client(world, {{"clientId", app.id}});
    CHECK(oauth::error_of(oauth::refresh(world, successor, tokens.refresh_token)) == "invalid_grant");
    CHECK(oauth::error_of(oauth::exchange(world, successor, code, pkce)) == "invalid_grant");
}

TEST_CASE("the list of sessions names the client of each session", "[oauth]")
{
    World const world;
    auto const account = world.new_account();
    auto const app = oauth::new_client(world);
    oauth::tokens_of(world, app, account);
    std::multiset<std::string> found;
    auto caller = world.as(account);
    for (auto const& session : all_items(caller, "/v1/auth/sessions"))
        found.insert(text(session, "clientId"));
    // The sessions of the API, of the browser, and of the client.
    CHECK(found == std::multiset<std::string>{"null", "null", app.id});
}
