#include "oauth_pages.hpp"

#include <catch2/catch.hpp>

using namespace oauth;

// POST /oauth/par (RFC 9126), and the requests that it stores.

namespace {

/// POST /oauth/par with the client's credentials and these parameters.
testing::HttpResponse push(
    World const& world, Client const& client, Fields const& request, Headers const& headers = {})
{
    return post(world, client.tenant, "/oauth/par", with(request, credentials_of(client)), headers);
}

std::string uri_of(testing::HttpResponse const& response)
{
    INFO(response.status << ' ' << response.body);
    REQUIRE(response.status == 201);
    CHECK(response.header("cache-control") == "no-store");
    CHECK(response.json().at("expires_in") == 60);
    auto uri = text(response.json(), "request_uri");
    CHECK(uri.starts_with("urn:ietf:params:oauth:request_uri:"));
    return uri;
}

std::string path_of(Client const& client, std::string const& request_uri, Fields const& more = {})
{
    return authorize_path(with({{"client_id", client.id}, {"request_uri", request_uri}}, more));
}

struct PushScene {
    World world;
    Account ada = world.new_account();
    Client client = new_client(world);
    Client confidential = new_confidential_client(world);
    Pkce pkce = Pkce::make();
    PageClient browser = signed_in(world, ada);

    Fields request(Client const& by, Fields const& changes = {}) const
    {
        return request_of(by, pkce, changes);
    }
};

} // namespace

TEST_CASE("a pushed request is used by its request_uri", "[oauth]")
{
    PushScene scene;
    for (auto const& client : {scene.client, scene.confidential}) {
        auto const uri = uri_of(push(scene.world, client, scene.request(client)));
        // The parameters beside request_uri are ignored.
        auto const page = scene.browser.get_raw(
            path_of(client, uri, {{"scope", "profile"}, {"state", "other"}, {"prompt", "none"}}));
        auto const answer = answer_of(page);
        CHECK(answer.at("state") == "state-1");
        auto const tokens = Tokens::of(exchange(scene.world, client, answer.at("code"), scene.pkce));
        CHECK(tokens.scope == "openid profile email offline_access");
    }
}

TEST_CASE("a pushed request works once, for a minute, and for its client", "[oauth]")
{
    PushScene scene;
    auto const uri = uri_of(push(scene.world, scene.client, scene.request(scene.client)));
    auto const other = new_client(scene.world);
    CHECK(scene.browser.get_raw(path_of(other, uri)).status == 400); // and it is not used up
    PageClient elsewhere(scene.world, "other-sandbox");
    CHECK(elsewhere.get_raw(path_of(scene.client, uri)).status == 400);
    CHECK(has_code(scene.browser.get_raw(path_of(scene.client, uri))));
    auto page = scene.browser.get_raw(path_of(scene.client, uri));
    CHECK(page.status == 400);
    CHECK(page.says("This sign-in took too long"));
    page = scene.browser.get_raw(path_of(scene.client, uri, {{"redirect_uri", redirect_uri}}));
    CHECK(error_in(page) == "invalid_request_uri");

    auto const late = uri_of(push(scene.world, scene.client, scene.request(scene.client)));
    scene.world.clock.advance(61s);
    CHECK(scene.browser.get_raw(path_of(scene.client, late)).status == 400);
}

TEST_CASE("many browsers with one request_uri get one answer", "[oauth]")
{
    PushScene scene;
    auto const uri = uri_of(push(scene.world, scene.client, scene.request(scene.client)));
    auto const path = path_of(scene.client, uri);
    auto const statuses = at_once(8, [&](int /*number*/) {
        auto caller = scene.world.client();
        return caller.get(path, {{"Cookie", "__Host-session=" + session_of(scene.browser)}});
    });
    CHECK(statuses.at(303) == 1);
    CHECK(statuses.at(400) == 7);
}

TEST_CASE("a client authenticates to push a request", "[oauth]")
{
    PushScene scene;
    auto const request = scene.request(scene.confidential);
    auto const unknown = post(scene.world, "demo-sandbox", "/oauth/par", request);
    CHECK(unknown.status == 401);
    CHECK(oauth::error_of(unknown) == "invalid_client");
    auto wrong = scene.confidential;
    wrong.secret = "wrong";
    CHECK(oauth::error_of(push(scene.world, wrong, request)) == "invalid_client");
    auto const basic_headers = basic(scene.confidential.id, scene.confidential.secret);
    uri_of(post(scene.world, "demo-sandbox", "/oauth/par", request, basic_headers));
    // The id in the form must be that of the client in the header.
    auto const mixed =
        post(scene.world, "demo-sandbox", "/oauth/par", scene.request(scene.client), basic_headers);
    CHECK(mixed.status >= 400);
    CHECK(mixed.status < 500);
}

TEST_CASE("a request that is not valid cannot be pushed", "[oauth]")
{
    PushScene scene;
    auto const error = [&](Fields const& changes) {
        auto const answer = push(scene.world, scene.client, scene.request(scene.client, changes));
        CHECK(answer.status == 400);
        CHECK(answer.header("location").empty());
        return oauth::error_of(answer);
    };
    CHECK(error({{"redirect_uri", "https://evil.example/"}}) == "invalid_request");
    CHECK(error({{"redirect_uri", ""}}) == "invalid_request");
    CHECK(error({{"request_uri", "urn:ietf:params:oauth:request_uri:x"}}) == "invalid_request");
    CHECK(error({{"response_type", "token"}}) == "unsupported_response_type");
    CHECK(error({{"code_challenge", ""}}) == "invalid_request");
    CHECK(error({{"code_challenge_method", "plain"}}) == "invalid_request");
    CHECK(error({{"prompt", "none login"}}) == "invalid_request");
    CHECK(error({{"request", "e30.e30."}}) == "request_not_supported");
    auto repeated = scene.request(scene.client);
    repeated.emplace_back("scope", "openid");
    CHECK(oauth::error_of(push(scene.world, scene.client, repeated)) == "invalid_request");
    auto caller = scene.world.client();
    auto const json = caller.post("/oauth/par", R"({"client_id":"x"})");
    CHECK(oauth::error_of(json) == "invalid_request");
}

TEST_CASE("the redirect URI of a pushed request must still be registered when it is used", "[oauth]")
{
    PushScene scene;
    auto const uri = uri_of(push(scene.world, scene.client, scene.request(scene.client)));
    auto const changed = scene.world.as_master().patch("/v1/clients/" + scene.client.id,
        body({{"redirectUris", boost::json::array{"https://app.example.com/new"}}}));
    REQUIRE(changed.status == 200);
    auto const page = scene.browser.get_raw(path_of(scene.client, uri));
    CHECK(page.status == 400);
    CHECK(page.says("an address that is not registered"));
}

TEST_CASE("a pushed request leads through the pages", "[oauth]")
{
    PushScene scene;
    PageClient browser(scene.world);
    auto const uri = uri_of(
        push(scene.world, scene.client, scene.request(scene.client, {{"login_hint", scene.ada.email}})));
    auto const page = travel(browser, path_of(scene.client, uri));
    REQUIRE(page.title == "Sign in");
    CHECK(page.body.find("value=\"" + scene.ada.email + '"') != std::string::npos);
    CHECK(has_code(sign_in_on(browser, page, scene.ada)));
}
