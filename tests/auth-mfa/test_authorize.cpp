#include "oauth_pages.hpp"

#include <catch2/catch.hpp>

using namespace oauth;

// The endpoint /oauth/authorize, for a user who is signed in or who must not be asked.

namespace {

/// A column of the newest authorization code.
std::string code_row(World const& world, std::string const& columns)
{
    return world.postgres.query(
        "SELECT " + columns + " FROM authorization_codes ORDER BY created_at DESC, expires_at DESC LIMIT 1");
}

std::string codes(World const& world)
{
    return world.postgres.query("SELECT count(*) FROM authorization_codes");
}

/// A world with a signed-in user and a public client.
struct SignedInScene {
    World world;
    Account ada = world.new_account();
    Client client = new_client(world);
    Pkce pkce = Pkce::make();
    PageClient browser = signed_in(world, ada);

    Fields request(Fields const& changes = {}) const { return request_of(client, pkce, changes); }
};

} // namespace

TEST_CASE("a signed-in user's client gets a code at once", "[oauth]")
{
    SignedInScene scene;
    auto const page = scene.browser.get_raw(authorize_path(scene.request()));
    CHECK(page.status == 303);
    CHECK(page.location.starts_with(std::string(redirect_uri) + "?code="));
    auto const answer = answer_of(page);
    CHECK(answer.size() == 3);
    CHECK(answer.at("code").size() == 43);
    CHECK(answer.at("state") == "state-1");
    CHECK(answer.at("iss") == issuer_of(scene.world));
    CHECK(code_row(scene.world, "concat_ws('|', client_id, redirect_uri, scope, nonce, code_challenge)") ==
          scene.client.id + '|' + redirect_uri + "|openid profile email offline_access|nonce-1|" +
              scene.pkce.challenge);
    CHECK(code_row(scene.world, "expires_at - created_at = interval '60 seconds'") == "t");
    CHECK(code_row(scene.world, "user_id") == scene.ada.user_id);
    CHECK(code_row(scene.world, "octet_length(code_hash)") == "32"); // the code itself is not stored
    CHECK(scene.world.logged().find(answer.at("code")) == std::string::npos);
    CHECK(scene.world.logged().find("state-1") == std::string::npos);
}

TEST_CASE("an unknown client or redirect URI gets an error page and no redirect", "[oauth]")
{
    SignedInScene scene;
    auto const refused = [&](Fields const& request) {
        auto const page = scene.browser.get_raw(authorize_path(request));
        CHECK(page.status == 400);
        CHECK(page.title == "Something went wrong");
        CHECK(page.location.empty());
        return page;
    };
    for (std::string const uri : {"https://app.example.com/callback/", "https://app.example.com/callbac",
             "https://app.example.com/callback2", "https://app.example.com/callback?x=1",
             "https://app.example.com/callback#x", "https://app.example.com/callback/../evil",
             "https://app.example.com/%63allback", "https://app.example.com:443/callback",
             "https://APP.example.com/callback", "http://app.example.com/callback",
             "https://user@app.example.com/callback", "https://app.example.com.evil.example/callback",
             "https://evil.example/callback", "//app.example.com/callback", "javascript:alert(1)",
             "https://app.example.com/callback\r\nX: y", ""}) {
        INFO(uri);
        CHECK(refused(scene.request({{"redirect_uri", uri}})).says("an address that is not registered"));
    }
    for (std::string const id : {"", "unknown", "tetrad-unknown", "x\ny"}) {
        INFO(id);
        CHECK(refused(scene.request({{"client_id", id}})).says("The app that sent you here is not known"));
    }
    auto twice = scene.request();
    twice.emplace_back("redirect_uri", redirect_uri);
    refused(twice);
    twice = scene.request();
    twice.emplace_back("client_id", scene.client.id);
    refused(twice);
    CHECK(scene.browser.get_raw("/oauth/authorize").status == 400);
    CHECK(scene.browser.get_raw("/oauth/authorize?client_id=%zz").status == 400);
    CHECK(codes(scene.world) == "0");
}

TEST_CASE("a client of another tenant or environment is unknown", "[oauth]")
{
    SignedInScene scene;
    for (auto const* tenant : {"demo", "other", "other-sandbox"}) {
        INFO(tenant);
        PageClient elsewhere(scene.world, tenant);
        CHECK(elsewhere.get_raw(authorize_path(scene.request())).status == 400);
    }
}

TEST_CASE("other errors of a request go to the client", "[oauth]")
{
    SignedInScene scene;
    auto const error = [&](Fields const& changes) {
        auto const page = scene.browser.get_raw(authorize_path(scene.request(changes)));
        auto const answer = answer_of(page);
        CHECK(page.location.starts_with(std::string(redirect_uri) + "?error="));
        CHECK(answer.at("iss") == issuer_of(scene.world));
        CHECK_FALSE(answer.at("error_description").empty());
        CHECK_FALSE(answer.contains("code"));
        return answer.at("error");
    };
    CHECK(error({{"response_type", ""}}) == "invalid_request");
    for (auto const* type : {"token", "id_token", "code id_token", "CODE"})
        CHECK(error({{"response_type", type}}) == "unsupported_response_type");
    for (auto const* mode : {"fragment", "form_post", "query.jwt"})
        CHECK(error({{"response_mode", mode}}) == "invalid_request");
    CHECK(error({{"request", "eyJhbGciOiJub25lIn0.e30."}}) == "request_not_supported");
    CHECK(error({{"registration", "{}"}}) == "registration_not_supported");
    CHECK(error({{"request_uri", "https://app.example.com/request.jwt"}}) == "request_uri_not_supported");
    CHECK(error({{"request_uri", "urn:ietf:params:oauth:request_uri:unknown"}}) == "invalid_request_uri");
    for (auto const* prompt : {"none login", "none consent", "maybe", "login none"})
        CHECK(error({{"prompt", prompt}}) == "invalid_request");
    for (auto const* age : {"-1", "x", "1.5", "+1", "1 "})
        CHECK(error({{"max_age", age}}) == "invalid_request");
    CHECK(error({{"state", std::string(2'049, 'x')}}) == "invalid_request");
    CHECK(error({{"nonce", std::string(513, 'x')}}) == "invalid_request");
    CHECK(error({{"nonce", "a\nb"}}) == "invalid_request");
    CHECK(error({{"login_hint", "\xff"}}) == "invalid_request");
    CHECK(codes(scene.world) == "0");
}

TEST_CASE("a repeated parameter is refused, and an ambiguous state is not returned", "[oauth]")
{
    SignedInScene scene;
    for (auto const* name : {"scope", "state", "nonce", "response_type", "code_challenge", "prompt"}) {
        INFO(name);
        auto request = scene.request();
        request.emplace_back(name, "x");
        auto const answer = answer_of(scene.browser.get_raw(authorize_path(request)));
        CHECK(answer.at("error") == "invalid_request");
        CHECK(answer.contains("state") == (std::string_view(name) != "state"));
    }
    auto request = scene.request();
    request.emplace_back("resource", "https://a.example"); // unknown here, and may be repeated
    request.emplace_back("resource", "https://b.example");
    CHECK(has_code(scene.browser.get_raw(authorize_path(request))));
}

TEST_CASE("a public client must use PKCE with S256", "[oauth]")
{
    SignedInScene scene;
    auto const confidential = new_confidential_client(scene.world);
    auto const answer = [&](Client const& client, Fields const& changes) {
        return answer_of(scene.browser.get_raw(authorize_path(request_of(client, scene.pkce, changes))));
    };
    Fields const none{{"code_challenge", ""}, {"code_challenge_method", ""}};
    CHECK(answer(scene.client, none).at("error") == "invalid_request");
    CHECK(answer(confidential, none).contains("code"));
    CHECK(code_row(scene.world, "coalesce(code_challenge, 'none')") == "none");
    CHECK(answer(confidential, {}).contains("code"));
    for (auto const& client : {scene.client, confidential}) {
        CHECK(answer(client, {{"code_challenge_method", "plain"}}).at("error") == "invalid_request");
        CHECK(answer(client, {{"code_challenge_method", ""}}).at("error") == "invalid_request");
        CHECK(answer(client, {{"code_challenge", ""}}).at("error") == "invalid_request");
        for (auto const& wrong : std::vector<std::string>{
                 "short", "=", scene.pkce.challenge + "A", scene.pkce.challenge.substr(1) + "!"})
            CHECK(answer(client, {{"code_challenge", wrong}}).at("error") == "invalid_request");
    }
}

TEST_CASE("unknown scopes are ignored, and openid is not required", "[oauth]")
{
    SignedInScene scene;
    authorize(scene.browser, scene.request({{"scope", "email admin openid openid"}}));
    CHECK(code_row(scene.world, "scope") == "openid email");
    scene.world.clock.advance(1s);
    authorize(scene.browser, scene.request({{"scope", "admin"}}));
    CHECK(code_row(scene.world, "scope").empty());
    scene.world.clock.advance(1s);
    authorize(scene.browser, scene.request({{"scope", ""}, {"state", ""}, {"nonce", ""}}));
    CHECK(code_row(scene.world, "scope").empty());
}

TEST_CASE("native apps use loopback ports and private schemes", "[oauth]")
{
    SignedInScene scene;
    auto const native = new_client(scene.world,
        {{"redirectUris", boost::json::array{"http://127.0.0.1/done", "com.example.app:/done?a=b"}}});
    auto const to = [&](std::string const& uri) {
        auto const request = request_of(native, scene.pkce, {{"redirect_uri", uri}});
        return scene.browser.get_raw(authorize_path(request));
    };
    CHECK(to("http://127.0.0.1:49152/done").location.starts_with("http://127.0.0.1:49152/done?code="));
    CHECK(to("com.example.app:/done?a=b").location.starts_with("com.example.app:/done?a=b&code="));
    CHECK(to("http://127.0.0.2:49152/done").status == 400);
    CHECK(to("http://127.0.0.1:49152/other").status == 400);
    CHECK(to("com.example.app:/other").status == 400);
}

TEST_CASE("prompt=none never shows a page", "[oauth]")
{
    SignedInScene scene;
    auto const silent = [&](PageClient& browser, Fields changes = {}) {
        changes.emplace_back("prompt", "none");
        return error_in(browser.get_raw(authorize_path(scene.request(changes))));
    };
    PageClient stranger(scene.world);
    CHECK(silent(stranger) == "login_required");
    CHECK(silent(scene.browser).empty());
    CHECK(silent(scene.browser, {{"max_age", "60"}}).empty());
    CHECK(silent(scene.browser, {{"acr_values", "aal2"}}) == "unmet_authentication_requirements");
    CHECK(silent(scene.browser, {{"acr_values", "unknown aal1 aal2"}}).empty()); // the first known one counts
    scene.world.clock.advance(2min);
    CHECK(silent(scene.browser, {{"max_age", "60"}}) == "login_required");
    CHECK(silent(scene.browser, {{"max_age", "99999999999999999999"}}).empty());
    scene.world.enrol_totp(scene.ada);
    CHECK(silent(scene.browser, {{"acr_values", "aal2"}}) == "login_required"); // the factor must be proved
    CHECK_FALSE(stranger.cookies.contains("__Host-authorize"));
}

TEST_CASE("with prompt=none, the hinted user must be the user of the session", "[oauth]")
{
    SignedInScene scene;
    auto const bob = scene.world.new_account();
    auto const own = tokens_of(scene.world, scene.client, scene.ada),
               others = tokens_of(scene.world, scene.client, bob);
    auto const foreign = tokens_of(scene.world, new_client(scene.world), scene.ada);
    auto const silent = [&](std::string const& hint) {
        auto const request = scene.request({{"prompt", "none"}, {"id_token_hint", hint}});
        return error_in(scene.browser.get_raw(authorize_path(request)));
    };
    CHECK(silent(own.id_token).empty());
    CHECK(silent(others.id_token) == "login_required");
    CHECK(silent(foreign.id_token) == "login_required"); // of another client
    CHECK(silent(own.access_token) == "login_required"); // no id token
    CHECK(silent(own.id_token + "x") == "login_required");
    scene.world.clock.advance(24h);
    CHECK(silent(own.id_token).empty()); // an expired hint still names the user
}

TEST_CASE("a form of a client's page works like a link", "[oauth]")
{
    SignedInScene scene;
    auto const post = [&](Fields const& request) {
        // Browsers do not send cookies with the form of another site.
        PageClient without(scene.world);
        auto const page = without.post_raw("/oauth/authorize", request,
            {{"Origin", "https://app.example.com"}, {"Sec-Fetch-Site", "cross-site"}});
        CHECK(without.cookies.empty());
        return page;
    };
    auto page = post(scene.request());
    REQUIRE(page.status == 303);
    CHECK(page.location.starts_with("/oauth/authorize?client_id="));
    CHECK(page.location.find("nonce") == std::string::npos);
    CHECK(has_code(scene.browser.get_raw(page.location)));
    CHECK(error_in(scene.browser.get_raw(page.location)) == "invalid_request_uri"); // used
    CHECK(error_in(post(scene.request({{"response_type", "token"}}))) == "unsupported_response_type");
    CHECK(post(scene.request({{"client_id", "unknown"}})).status == 400);
    CHECK(post(scene.request({{"redirect_uri", "https://evil.example/"}})).status == 400);
}

TEST_CASE("one network cannot store requests without end", "[oauth]")
{
    SignedInScene scene;
    PageClient stranger(scene.world);
    auto const path = authorize_path(scene.request());
    HostedPage page;
    for (int i = 0; i < 1'001; ++i)
        page = stranger.get_raw(path);
    CHECK(page.status == 429);
    CHECK_FALSE(page.response.header("retry-after").empty());
    CHECK(has_code(scene.browser.get_raw(path))); // of another network, and nothing is stored
    scene.world.clock.advance(11min);
    CHECK(stranger.get_raw(path).status == 303);
}

TEST_CASE("a user cannot send requests without end", "[oauth]")
{
    SignedInScene scene;
    auto const path = authorize_path(scene.request());
    for (int i = 0; i < 300; ++i)
        REQUIRE(scene.browser.get_raw(path).status == 303);
    auto const page = scene.browser.get_raw(path);
    CHECK(page.status == 429);
    CHECK_FALSE(page.response.header("retry-after").empty());
    CHECK(codes(scene.world) == "300");
}

TEST_CASE("a session that has ended gets no code", "[oauth]")
{
    SignedInScene scene;
    auto const path = authorize_path(scene.request());
    scene.world.postgres.query("UPDATE sessions SET ended_at = now()");
    CHECK(travel(scene.browser, path).location.starts_with("/login?next=/oauth/continue/"));
    CHECK(codes(scene.world) == "0");
}

TEST_CASE("scripts of allowed origins cannot read codes", "[oauth]")
{
    SignedInScene scene;
    scene.world.set({{"allowedOrigins", boost::json::array{"https://app.example.com"}}});
    auto const page =
        scene.browser.get_raw(authorize_path(scene.request()), {{"Origin", "https://app.example.com"}});
    CHECK(page.status == 303);
    CHECK(page.response.header("access-control-allow-origin").empty());
}
