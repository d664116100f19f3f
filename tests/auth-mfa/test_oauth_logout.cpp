#include "account_browser.hpp"
#include "crypto/encoding.hpp"
#include "oauth.hpp"

#include <catch2/catch.hpp>

// GET and POST /oauth/logout (OpenID Connect RP-Initiated Logout 1.0).

namespace {

namespace json = boost::json;
using oauth::Fields;

constexpr char const* signed_out_uri = "https://app.example.com/signed-out";

oauth::Client new_app(
    World const& world, json::object fields = {}, std::string const& tenant = "demo-sandbox")
{
    if (!fields.contains("postLogoutRedirectUris"))
        fields["postLogoutRedirectUris"] = json::array{signed_out_uri};
    return oauth::new_client(world, fields, tenant);
}

/// Authorizes the client in the browser, whose user is signed in, and exchanges the code.
oauth::Tokens tokens_in(
    World const& world, PageClient& browser, oauth::Client const& client, Fields const& changes = {})
{
    auto const pkce = oauth::Pkce::make();
    auto const code = oauth::authorize(browser, oauth::request_of(client, pkce, changes));
    return oauth::Tokens::of(oauth::exchange(world, client, code, pkce));
}

std::string logout_path(Fields const& parameters)
{
    return "/oauth/logout?" + oauth::encode(parameters);
}

bool is_signed_in(PageClient& browser)
{
    return browser.get_raw("/account").status == 200;
}

/// Sends the form of the page that asks whether the user wants to sign out.
HostedPage confirm(PageClient& browser, HostedPage const& page)
{
    return browser.post_raw("/oauth/logout/confirm", PageClient::fields_of(page, "/oauth/logout/confirm"));
}

/// Checks that the page asks, and that the user is still signed in.
void require_question(PageClient& browser, HostedPage const& page)
{
    INFO(page.status << ' ' << page.location << ' ' << page.body);
    REQUIRE(page.status == 200);
    REQUIRE(page.links_to("/oauth/logout/confirm"));
    REQUIRE(is_signed_in(browser));
}

/// Checks that the request is refused on a page of this host, and that the user is still signed in.
void require_refused(PageClient& browser, Fields const& parameters)
{
    auto const page = browser.get_raw(logout_path(parameters));
    INFO(oauth::encode(parameters) << ' ' << page.body);
    CHECK(page.status == 400);
    CHECK(page.location.empty());
    CHECK(is_signed_in(browser));
}

/// The token with another signature.
std::string forged(std::string const& token)
{
    auto const dot = token.rfind('.');
    return token.substr(0, dot + 1) + crypto::base64url::encode(std::string(256, 'x'));
}

} // namespace

TEST_CASE("an id token of the browser's session signs the user out at once", "[oauth][logout]")
{
    World world;
    auto const ada = world.new_account();
    auto const app = new_app(world);
    auto browser = oauth::signed_in(world, ada);
    auto const tokens = tokens_in(world, browser, app);
    auto const hint = std::pair<std::string, std::string>("id_token_hint", tokens.id_token);

    SECTION("and returns to the client with the state")
    {
        auto const page = browser.get_raw(
            logout_path({hint, {"post_logout_redirect_uri", signed_out_uri}, {"state", "a b&c=d"}}));
        CHECK(page.status == 303);
        CHECK(page.location == std::string(signed_out_uri) + "?state=a%20b%26c%3Dd");
        CHECK(session_of(browser).empty());
        CHECK_FALSE(is_signed_in(browser));
    }
    SECTION("and returns without a state")
    {
        auto const page = browser.get_raw(logout_path({hint, {"post_logout_redirect_uri", signed_out_uri}}));
        CHECK(page.location == signed_out_uri);
        CHECK_FALSE(is_signed_in(browser));
    }
    SECTION("and shows that without a URI")
    {
        auto const page = browser.get_raw(logout_path({hint, {"client_id", app.id}}));
        CHECK(page.status == 200);
        CHECK(page.title == "You are signed out");
        CHECK_FALSE(is_signed_in(browser));
    }
    SECTION("also if the id token has expired")
    {
        world.clock.advance(std::chrono::hours(5));
        CHECK(browser.get_raw(logout_path({hint})).title == "You are signed out");
        CHECK_FALSE(is_signed_in(browser));
    }
    SECTION("also if it is signed with ES256")
    {
        auto const other = new_app(world, {{"idTokenSigningAlg", "ES256"}});
        auto const id_token = tokens_in(world, browser, other).id_token;
        CHECK(browser.get_raw(logout_path({{"id_token_hint", id_token}})).title == "You are signed out");
        CHECK_FALSE(is_signed_in(browser));
    }
}

TEST_CASE("the state is added to a URI that has a query", "[oauth][logout]")
{
    World const world;
    std::string const uri = "https://app.example.com/out?from=tetrad";
    auto const app = new_app(world, {{"postLogoutRedirectUris", json::array{uri}}});
    auto browser = oauth::signed_in(world, world.new_account());
    auto const tokens = tokens_in(world, browser, app);
    auto const page = browser.get_raw(
        logout_path({{"id_token_hint", tokens.id_token}, {"post_logout_redirect_uri", uri}, {"state", "s"}}));
    CHECK(page.location == uri + "&state=s");
}

TEST_CASE("without an id token of the browser's session the page asks first", "[oauth][logout]")
{
    World const world;
    auto const ada = world.new_account();
    auto const app = new_app(world);
    auto browser = oauth::signed_in(world, ada);
    Fields parameters{
        {"client_id", app.id}, {"post_logout_redirect_uri", signed_out_uri}, {"state", "state-1"}};
    SECTION("no id token") {}
    SECTION("the id token of another browser")
    {
        auto elsewhere = oauth::signed_in(world, ada);
        parameters.emplace_back("id_token_hint", tokens_in(world, elsewhere, app).id_token);
    }
    SECTION("the id token of another user")
    {
        parameters.emplace_back("id_token_hint", oauth::tokens_of(world, app, world.new_account()).id_token);
    }
    SECTION("a forged id token")
    {
        parameters.emplace_back("id_token_hint", forged(tokens_in(world, browser, app).id_token));
    }
    SECTION("an access token")
    {
        parameters.emplace_back("id_token_hint", tokens_in(world, browser, app).access_token);
    }
    SECTION("the id token of another environment")
    {
        auto const other = new_app(world, {{"clientId", app.id}}, "demo");
        auto const id_token = oauth::tokens_of(world, other, world.new_account("demo")).id_token;
        parameters.emplace_back("id_token_hint", id_token);
    }
    SECTION("no token")
    {
        parameters.emplace_back("id_token_hint", "nonsense");
    }
    auto const page = browser.get_raw(logout_path(parameters));
    require_question(browser, page);
    CHECK(page.says("Test app asks whether you want to sign out."));
    CHECK(
        page.response.header("content-security-policy").find("form-action 'self' https://app.example.com;") !=
        std::string::npos);
    auto const done = confirm(browser, page);
    CHECK(done.status == 303);
    CHECK(done.location == std::string(signed_out_uri) + "?state=state-1");
    CHECK_FALSE(is_signed_in(browser));
}

TEST_CASE("a logout that names no client stays on this host", "[oauth][logout]")
{
    World const world;
    auto browser = oauth::signed_in(world, world.new_account());
    auto const page =
        browser.get_raw(logout_path({{"post_logout_redirect_uri", "https://evil.example"}, {"state", "s"}}));
    require_question(browser, page);
    auto const done = confirm(browser, page);
    CHECK(done.status == 200);
    CHECK(done.title == "You are signed out");
    CHECK(done.links_to("/login"));
    CHECK_FALSE(is_signed_in(browser));
}

TEST_CASE("the browser never goes to a URI that is not registered", "[oauth][logout]")
{
    World const world;
    auto const app = new_app(world);
    auto const other = new_app(world, {{"postLogoutRedirectUris", json::array{"https://other.example/out"}}});
    auto browser = oauth::signed_in(world, world.new_account());
    auto const id_token = tokens_in(world, browser, app).id_token;
    for (std::string const uri : {"https://evil.example/", "https://app.example.com/signed-out/",
             "https://app.example.com/signed-out?a=b", "https://app.example.com/signed-out#a",
             "https://app.example.com/signed-ou", "https://app.example.com/Signed-out",
             "https://app.example.com/signed%2Dout", "https://app.example.com/callback",
             "https://app.example.com.evil.example/signed-out",
             "https://app.example.com@evil.example/signed-out", "//evil.example/signed-out", "/account",
             "javascript:alert(1)", "https://other.example/out"}) {
        require_refused(browser, {{"id_token_hint", id_token}, {"post_logout_redirect_uri", uri}});
        require_refused(browser, {{"client_id", app.id}, {"post_logout_redirect_uri", uri}});
    }
    // The form cannot change the URI, either.
    auto const page =
        browser.get_raw(logout_path({{"client_id", app.id}, {"post_logout_redirect_uri", signed_out_uri}}));
    auto fields = PageClient::fields_of(page, "/oauth/logout/confirm");
    auto const changed = browser.post_raw("/oauth/logout/confirm",
        oauth::with(std::move(fields), {{"post_logout_redirect_uri", "https://evil.example/"}}));
    CHECK(changed.status == 400);
    CHECK(is_signed_in(browser));
}

TEST_CASE("a wrong request for a logout ends nothing", "[oauth][logout]")
{
    World const world;
    auto const app = new_app(world);
    auto const other = new_app(world);
    auto browser = oauth::signed_in(world, world.new_account());
    auto const id_token = tokens_in(world, browser, app).id_token;
    require_refused(browser, {{"id_token_hint", id_token}, {"client_id", other.id}});
    require_refused(browser, {{"client_id", "unknown"}});
    require_refused(browser, {{"id_token_hint", id_token}, {"id_token_hint", id_token}});
    require_refused(browser, {{"id_token_hint", id_token}, {"state", std::string(2'001, 's')}});
    auto const production = new_app(world, {}, "demo");
    require_refused(browser, {{"client_id", production.id}});
}

TEST_CASE("only the page itself can sign a user out without an id token", "[oauth][logout]")
{
    World const world;
    auto const app = new_app(world);
    auto browser = oauth::signed_in(world, world.new_account());
    CHECK(browser.post_raw("/oauth/logout/confirm", {{"client_id", app.id}}).status == 403);
    CHECK(is_signed_in(browser));
    auto const page = browser.get_raw(logout_path({{"client_id", app.id}}));
    auto const fields = PageClient::fields_of(page, "/oauth/logout/confirm");
    CHECK(browser.post_raw("/oauth/logout/confirm", fields, {{"Origin", "https://evil.example"}}).status ==
          403);
    CHECK(is_signed_in(browser));
    CHECK(browser.post_raw("/oauth/logout/confirm", fields).status == 200);
    CHECK_FALSE(is_signed_in(browser));
}

TEST_CASE("a form of the client leads to the same page", "[oauth][logout]")
{
    World const world;
    auto const app = new_app(world);
    auto browser = oauth::signed_in(world, world.new_account());
    Fields const parameters{{"id_token_hint", tokens_in(world, browser, app).id_token},
        {"post_logout_redirect_uri", signed_out_uri}, {"state", "ä&"}};
    auto sent = parameters;
    sent.emplace_back("other", "field");
    auto const page = browser.post_raw(
        "/oauth/logout", sent, {{"Origin", "https://app.example.com"}, {"Sec-Fetch-Site", "cross-site"}});
    CHECK(page.status == 303);
    CHECK(page.location == logout_path(parameters));
    CHECK(is_signed_in(browser));
    CHECK(browser.get_raw(page.location).location == std::string(signed_out_uri) + "?state=%C3%A4%26");
    CHECK_FALSE(is_signed_in(browser));

    CHECK(browser.post_raw("/oauth/logout", {{"state", std::string(13'000, 's')}}).status == 400);
}

TEST_CASE("without a session there is nothing to ask", "[oauth][logout]")
{
    World const world;
    auto const app = new_app(world);
    PageClient browser(world);
    CHECK(browser.get_raw("/oauth/logout").title == "You are signed out");
    CHECK(browser.get_raw(logout_path({{"client_id", app.id}, {"post_logout_redirect_uri", signed_out_uri}}))
              .location == signed_out_uri);
    CHECK(
        browser
            .get_raw(logout_path({{"client_id", app.id}, {"post_logout_redirect_uri", "https://a.example"}}))
            .status == 400);
}

TEST_CASE("a logout ends the clients' sessions of the browser, except those with a refresh token",
    "[oauth][logout]")
{
    World const world;
    auto const ada = world.new_account();
    auto const app = new_app(world);
    auto const watcher = oauth::new_confidential_client(world);
    auto browser = oauth::signed_in(world, ada);
    auto elsewhere = oauth::signed_in(world, ada);
    auto const short_lived = tokens_in(world, browser, app, {{"scope", "openid"}});
    auto const other_browser = tokens_in(world, elsewhere, app, {{"scope", "openid"}});
    auto const offline = tokens_in(world, browser, app);
    REQUIRE(oauth::is_active(world, watcher, short_lived.access_token));
    browser.get_raw(logout_path({{"id_token_hint", short_lived.id_token}}));
    CHECK_FALSE(oauth::is_active(world, watcher, short_lived.access_token));
    CHECK(oauth::is_active(world, watcher, other_browser.access_token));
    CHECK(oauth::is_active(world, watcher, offline.access_token));
    CHECK(oauth::refresh(world, app, offline.refresh_token).status == 200);
    CHECK(is_signed_in(elsewhere));
}

TEST_CASE("the page that asks is in the language of ui_locales and keeps its parameters", "[oauth][logout]")
{
    World const world;
    auto const app = new_app(world);
    auto browser = oauth::signed_in(world, world.new_account());
    auto const page = browser.get_raw(logout_path(
        {{"client_id", app.id}, {"post_logout_redirect_uri", signed_out_uri}, {"ui_locales", "de"}}));
    CHECK(page.body.find("<html lang=\"de\"") != std::string::npos);
    CHECK(page.body.find("?ui_locales=fr&amp;client_id=" + app.id) != std::string::npos);
}
