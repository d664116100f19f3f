#include "account_browser.hpp"
#include "external_scene.hpp"
#include "factors.hpp"
#include "oauth_pages.hpp"

#include <catch2/catch.hpp>

#include <regex>

// Users who prove at an identity provider that they are still there.

namespace {

namespace json = boost::json;

constexpr char const* stale =
    "The other service did not ask you to sign in again. Sign out there, then try again.";
constexpr char const* not_linked = "This does not match your account. Check it and try again.";

/// The parameters with which a browser was sent to the provider.
Parameters sent_to_provider(std::string const& location)
{
    return parameters_of(std::string_view(location).substr(location.find('?') + 1));
}

/// The link of the button for the provider on the page /account/confirm.
std::string button_on(HostedPage const& page, std::string const& name = "acme")
{
    std::smatch found;
    INFO(page.body);
    std::regex const link("href=\"(/oauth/external/" + name + "\\?confirm=[^\"]+)\"");
    REQUIRE(std::regex_search(page.body, found, link));
    return std::regex_replace(found.str(1), std::regex("&amp;"), "&");
}

/// A user without a password, who signed in a minute ago, and a client.
struct Scene : ExternalScene {
    std::string email = World::new_email();
    PageClient browser{world};
    oauth::Client client = oauth::new_client(world);
    oauth::Pkce pkce = oauth::Pkce::make();

    Scene()
    {
        REQUIRE(sign_in(browser, email).location == "/account");
        world.clock.advance(1min);
    }

    std::int64_t now() const { return core::unix_seconds(world.clock.now()); }

    /// Opens an authorization request that demands a new authentication.
    HostedPage open(PageClient& in, oauth::Fields const& changes = {{"prompt", "login"}}) const
    {
        return oauth::travel(in, oauth::request_of(client, pkce, changes));
    }

    /// Presses the button on the page. Returns where the browser is sent.
    std::string begin(HostedPage const& page, std::string const& name = "acme")
    {
        auto const begun = browser.get_raw(button_on(page, name));
        INFO(begun.status << ' ' << begun.body);
        REQUIRE(begun.status == 303);
        return begun.location;
    }

    /// The provider's user with this email comes back to the browser, which travels on.
    HostedPage come_back(std::string const& location, std::string const& who, json::object const& claims = {})
    {
        return oauth::travel(browser, provider.sign_in(location, who, claims));
    }

    /// Whether the request still waits for a new authentication.
    bool waits(std::string const& next)
    {
        return oauth::travel(browser, next).location == "/account/confirm?next=" + next;
    }

    oauth::Tokens redeem(HostedPage const& page) const
    {
        return oauth::Tokens::of(oauth::exchange(world, client, oauth::answer_of(page).at("code"), pkce));
    }
};

} // namespace

TEST_CASE("a user without a password authenticates again at the provider", "[external]")
{
    Scene scene;
    auto const page = scene.open(scene.browser);
    REQUIRE(page.title == "Confirm that it is you");
    CHECK(page.says("Continue with Acme ID"));
    CHECK_FALSE(page.says("Sign out, then sign in again"));
    CHECK_FALSE(page.links_to("/logout"));

    auto const location = scene.begin(page);
    auto const query = sent_to_provider(location);
    CHECK(query.at("prompt") == "login");
    CHECK(query.at("max_age") == "0");
    scene.world.clock.advance(30s);
    auto const tokens = scene.redeem(scene.come_back(location, scene.email, {{"auth_time", scene.now()}}));
    CHECK(claims_of(tokens.id_token).at("auth_time") == scene.now());
    CHECK(scene.count("sessions WHERE client_id IS NULL") == "1"); // the same session
    CHECK(scene.count("activity WHERE type = 'reauthentication' AND result = 'success'") == "1");
}

TEST_CASE("a confirmation at the provider returns to the page of the account that needs it", "[external]")
{
    Scene scene;
    scene.world.clock.advance(too_long);
    auto page = scene.browser.get("/account/confirm?next=/account/delete");
    page = scene.come_back(scene.begin(page), scene.email);
    CHECK(page.location == "/account/delete");
    CHECK(page.title == "Delete your account");
    scene.world.clock.advance(too_long);
    page = scene.come_back(scene.begin(scene.browser.get("/account/confirm")), scene.email);
    CHECK(page.location == "/account?notice=confirmed");
}

TEST_CASE("only identities of the session's user count as a confirmation", "[external]")
{
    Scene scene;
    PageClient stranger(scene.world);
    auto const taken = World::new_email();
    REQUIRE(scene.sign_in(stranger, taken).location == "/account");
    auto const page = scene.open(scene.browser);
    auto const next = oauth::next_of(page);
    // An identity of another user, and one of no user.
    for (auto const& who : {taken, World::new_email()}) {
        auto const answer = scene.come_back(scene.begin(page), who);
        CHECK(answer.status == 401);
        CHECK(answer.alert == not_linked);
        CHECK(answer.links_to("/account/confirm?next=" + next));
        CHECK(scene.waits(next));
    }
    CHECK(scene.count("activity WHERE type = 'reauthentication' AND result = 'wrong_identity'") == "2");
    CHECK(scene.count("identities") == "2"); // nothing was linked
}

TEST_CASE("an authentication at the provider before the request is refused", "[external]")
{
    Scene scene;
    auto const page = scene.open(scene.browser);
    auto const next = oauth::next_of(page);
    auto const answer = scene.come_back(scene.begin(page), scene.email, {{"auth_time", scene.now() - 61}});
    CHECK(answer.status == 401);
    CHECK(answer.alert == stale);
    CHECK(scene.waits(next));
    // The clock of the provider may be a minute behind.
    CHECK(
        oauth::has_code(scene.come_back(scene.begin(page), scene.email, {{"auth_time", scene.now() - 60}})));
}

TEST_CASE("a confirmation at the provider counts once, and in its session", "[external]")
{
    Scene scene;
    auto const page = scene.open(scene.browser);
    auto const back = scene.provider.sign_in(scene.begin(page), scene.email);
    auto const kept = scene.browser.cookies.at("__Host-external");
    SECTION("not in another session, nor without one")
    {
        auto const bob = scene.world.new_account();
        auto other = browser_of(scene.world, bob);
        PageClient nobody(scene.world);
        for (auto* browser : {&other, &nobody}) {
            auto const path = scene.provider.sign_in(scene.begin(page), scene.email);
            CHECK(browser->get_raw(path).alert == started_elsewhere);
            browser->cookies["__Host-external"] = scene.browser.cookies.at("__Host-external");
            CHECK(browser->get_raw(path).alert == started_elsewhere);
        }
        CHECK(scene.waits(oauth::next_of(page)));
    }
    SECTION("not again")
    {
        REQUIRE(oauth::has_code(oauth::travel(scene.browser, back)));
        CHECK(scene.browser.get_raw(back).alert == started_elsewhere);
        scene.browser.cookies["__Host-external"] = kept;
        CHECK(scene.browser.get_raw(back).alert == refused);
    }
    SECTION("not later than 15 minutes")
    {
        scene.world.clock.advance(15min);
        CHECK(scene.browser.get_raw(back).alert == started_elsewhere);
    }
    SECTION("the user may turn back")
    {
        auto const state = sent_to_provider(scene.begin(page)).at("state");
        auto const cancelled =
            scene.browser.get("/oauth/external/callback?error=access_denied&state=" + state);
        CHECK(
            cancelled.location == "/account/confirm?notice=external_cancelled&next=" + oauth::next_of(page));
        CHECK(cancelled.notice == "You did not continue. You can choose another way.");
    }
}

TEST_CASE("another site cannot begin a confirmation", "[external]")
{
    Scene scene;
    auto const own = button_on(scene.browser.get("/account/confirm"));
    CHECK(scene.browser.get_raw("/oauth/external/acme?confirm=x").status == 403);
    auto const account = scene.browser.get("/account");
    std::smatch link;
    REQUIRE(std::regex_search(account.body, link, std::regex("\\?link=([^\"]+)\"")));
    CHECK(scene.browser.get_raw("/oauth/external/acme?confirm=" + link.str(1)).status == 403);
    PageClient stranger(scene.world);
    CHECK(stranger.get_raw(own).location == "/login?next=/account");
    REQUIRE(scene.sign_in(stranger, World::new_email()).location == "/account");
    CHECK(stranger.get_raw(own).status == 403);
}

TEST_CASE("the page offers the providers of linked identities beside the other methods", "[external]")
{
    Scene scene;
    auto const& world = scene.world;
    auto ada = world.new_account();
    auto browser = browser_of(world, ada);
    CHECK_FALSE(browser.get("/account/confirm").says("Continue with"));
    scene.link(ada, World::new_email());
    auto page = browser.get("/account/confirm");
    CHECK(page.says("Continue with Acme ID"));
    CHECK(page.body.find("name=\"password\"") != std::string::npos);
    // The second factor is the user's own.
    world.enrol_totp(ada);
    page = browser.get("/account/confirm");
    CHECK(page.says("authenticator app"));
    CHECK_FALSE(page.says("Continue with"));
    // A provider without a client has no button.
    scene.configure(
        {{"name", nullptr}, {"displayName", nullptr}, {"clientId", nullptr}, {"clientSecret", nullptr},
            {"audience", CodeProvider::client_id}, {"jwksUrl", scene.provider.url("/jwks")}});
    page = scene.browser.get("/account/confirm");
    CHECK(page.says("Sign out, then sign in again in the way you usually do."));
    CHECK(page.links_to("/logout"));
}

TEST_CASE("a sign-in for a request with prompt=login or max_age is a new one at the provider", "[external]")
{
    Scene scene;
    PageClient fresh(scene.world);
    auto const begin = [&](oauth::Fields const& changes) {
        auto const page = scene.open(fresh, changes);
        REQUIRE(page.title == "Sign in");
        auto const path = "?next=" + oauth::next_of(page);
        CHECK(page.links_to("/oauth/external/acme" + path));
        return begin_at(fresh, "acme", path);
    };
    CHECK_FALSE(sent_to_provider(begin({})).contains("prompt"));
    CHECK_FALSE(sent_to_provider(begin_at(fresh, "acme", "?next=/account")).contains("prompt"));
    for (oauth::Fields const& changes : {oauth::Fields{{"prompt", "login"}}, {{"max_age", "3600"}}}) {
        auto const location = begin(changes);
        CHECK(sent_to_provider(location).at("prompt") == "login");
        CHECK(sent_to_provider(location).at("max_age") == "0");
        auto const page = oauth::travel(
            fresh, scene.provider.sign_in(location, scene.email, {{"auth_time", scene.now() - 61}}));
        CHECK(page.status == 401);
        CHECK(page.alert == stale);
        CHECK(session_of(fresh).empty());
    }
    auto const location = begin({{"prompt", "login"}});
    auto const page =
        oauth::travel(fresh, scene.provider.sign_in(location, scene.email, {{"auth_time", scene.now()}}));
    CHECK(claims_of(scene.redeem(page).id_token).at("auth_time") == scene.now());
    // Without a request that demands it, an old session at the provider suffices.
    PageClient other(scene.world);
    CHECK(scene.sign_in(other, scene.email, {{"auth_time", scene.now() - 9'999}}).location == "/account");
}

TEST_CASE("GitHub, which states no time of an authentication, is trusted", "[external]")
{
    ExternalScene scene;
    auto& provider = scene.provider;
    provider.wants_basic = false;
    scene.configure({{"type", "github"}, {"name", "github"}, {"displayName", nullptr},
        {"authorizationEndpoint", provider.url("/authorize")}, {"tokenEndpoint", provider.url("/token")},
        {"userinfoEndpoint", provider.url("/user")}});
    auto const email = World::new_email();
    provider.github_user = json::object{{"id", 583231}};
    json::object const primary{{"email", email}, {"primary", true}, {"verified", true}};
    provider.github_emails = json::array{primary};
    PageClient browser(scene.world);
    REQUIRE(browser.get(provider.sign_in(begin_at(browser, "github"), email)).location == "/account");
    scene.world.clock.advance(too_long);
    auto const confirm = [&] {
        auto const begun = browser.get_raw(button_on(browser.get("/account/confirm"), "github"));
        CHECK_FALSE(sent_to_provider(begun.location).contains("prompt"));
        return browser.get(provider.sign_in(begun.location, email));
    };
    CHECK(confirm().location == "/account?notice=confirmed");
    provider.github_user = json::object{{"id", 583232}};
    CHECK(confirm().alert == not_linked);
}
