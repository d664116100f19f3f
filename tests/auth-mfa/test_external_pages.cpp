#include "external_scene.hpp"

#include <catch2/catch.hpp>

// Sign-in on the hosted pages with identity providers, and what attackers could try with it.

namespace {

namespace json = boost::json;

} // namespace

TEST_CASE("users sign up and sign in with a provider on the hosted pages", "[external]")
{
    ExternalScene scene;
    auto const& world = scene.world;
    PageClient client(world);
    for (auto const* path : {"/login", "/register"}) {
        auto const page = client.get(path);
        CHECK(page.says("Continue with Acme ID"));
        CHECK(page.links_to("/oauth/external/acme"));
    }
    auto const email = World::new_email();
    auto const page = scene.sign_in(client, email);
    CHECK(page.location == "/account");
    CHECK(page.says("Signed in as " + email));
    CHECK(page.says("This address is confirmed."));
    CHECK(
        world.postgres.query("SELECT array_to_string(amr, ' ') || ' ' || identity_provider FROM sessions") ==
        "fed " + scene.provider.issuer() + " app");
    CHECK_FALSE(client.cookies.contains("__Host-external"));

    PageClient second(world);
    CHECK(scene.sign_in(second, email).says("Signed in as " + email));
    CHECK(scene.count("users WHERE email = '" + email + "'") == "1");
    CHECK(client.get_raw("/oauth/external/acme").location == "/account"); // signed in already
    CHECK(client.get_raw("/oauth/external/other").status == 404);
    CHECK(PageClient(world, "demo").get_raw("/oauth/external/acme").status == 404); // not in production
}

TEST_CASE("a sign-in with a provider returns to the page that asked for it, and never to another site",
    "[external]")
{
    ExternalScene scene;
    PageClient client(scene.world);
    auto const email = World::new_email();
    CHECK(client.get("/login?next=/account/email").links_to("/oauth/external/acme?next=/account/email"));
    CHECK(scene.sign_in(client, email, {}, "?next=/account/email").location == "/account/email");
    for (auto const* next : {"https://evil.example", "//evil.example", "/oauth/external/acme", "/%2fevil"}) {
        INFO(next);
        PageClient other(scene.world);
        CHECK(scene.sign_in(other, email, {}, "?next=" + std::string(next)).location == "/account");
    }
}

TEST_CASE("a provider's account is never linked to an existing account by its email", "[external]")
{
    ExternalScene scene;
    auto const ada = scene.world.new_account();
    PageClient client(scene.world);
    auto const page = scene.sign_in(client, ada.email);
    CHECK(page.status == 409);
    CHECK(page.alert.starts_with("There is an account with this email address already."));
    CHECK(page.links_to("/login"));
    CHECK(session_of(client).empty());
    CHECK(scene.identities_of(ada.email) == "0");
}

TEST_CASE("the rules for accounts apply to sign-ins with a provider", "[external]")
{
    ExternalScene scene;
    auto const& world = scene.world;
    PageClient client(world);
    SECTION("the first sign-in needs a verified email")
    {
        for (json::object const& claims :
            {json::object{{"email_verified", nullptr}}, json::object{{"email_verified", false}}}) {
            auto const page = scene.sign_in(client, World::new_email(), claims);
            CHECK(page.status == 400);
            CHECK(page.alert.find("confirmed email address") != std::string::npos);
        }
    }
    SECTION("sign-up may be closed")
    {
        auto const known = World::new_email();
        REQUIRE(scene.sign_in(client, known).location == "/account");
        world.set({{"signUp", "closed"}});
        PageClient other(world);
        CHECK(scene.sign_in(other, World::new_email()).status == 403);
        CHECK(scene.sign_in(other, known).location == "/account");
    }
    SECTION("a second factor is asked for")
    {
        auto const ada = world.new_account_with_totp();
        auto const email = World::new_email();
        scene.link(ada, email);
        auto page = scene.sign_in(client, email, {}, "?next=/account/email");
        CHECK(page.location == "/login/verify");
        CHECK(session_of(client).empty());
        world.clock.advance(1min);
        page = client.submit(page, "/login/verify", {{"code", world.totp_code(ada)}});
        CHECK(page.location == "/account/email");
    }
    SECTION("removing the provider ends its sessions")
    {
        REQUIRE(scene.sign_in(client, World::new_email()).location == "/account");
        world.set({{"identityProviders", json::array()}});
        CHECK(client.get("/account").location == "/login?next=/account");
    }
}

TEST_CASE("an authorization response counts only in the browser that began the sign-in", "[external]")
{
    ExternalScene scene;
    auto const& world = scene.world;
    auto const email = World::new_email();
    PageClient client(world);
    auto const location = begin_at(client, "acme");
    auto const back = scene.provider.sign_in(location, email);
    auto const is_refused = [&](PageClient& browser, std::string const& path) {
        auto const page = browser.get_raw(path);
        INFO(path << ' ' << page.body);
        CHECK(page.status >= 400);
        CHECK(page.alert == started_elsewhere);
        CHECK(session_of(browser).empty());
    };
    SECTION("another browser, which an attacker leads to the own response")
    {
        PageClient victim(world);
        is_refused(victim, back);
        begin_at(victim, "acme"); // also while the victim has begun a sign-in
        is_refused(victim, back);
        victim.cookies["__Host-external"] = "forged";
        is_refused(victim, back);
        victim.cookies["__Host-external"] = client.cookies.at("__Host-external") + "x";
        is_refused(victim, back);
    }
    SECTION("another state, an empty one, two of them, or none")
    {
        auto const state = parameters_of(location.substr(location.find('?') + 1)).at("state");
        auto const code = back.substr(0, back.find("&state="));
        for (auto const& changed : {"&state=" + state + "x", std::string("&state="), std::string(),
                 "&state=" + state + "&state=" + state})
            is_refused(client, code + changed);
        CHECK(client.get(back).location == "/account"); // these left the sign-in alone
    }
    SECTION("once")
    {
        REQUIRE(client.get(back).location == "/account");
        auto const page = client.get_raw(back);
        CHECK(page.status == 410);
        CHECK(page.alert == started_elsewhere);
    }
    SECTION("not a second time with a kept cookie, because the provider accepts the code once")
    {
        auto const kept = client.cookies.at("__Host-external");
        REQUIRE(client.get(back).location == "/account");
        PageClient again(world);
        again.cookies["__Host-external"] = kept;
        CHECK(again.get_raw(back).alert == refused);
        CHECK(session_of(again).empty());
    }
    SECTION("at most 15 minutes later")
    {
        world.clock.advance(15min);
        is_refused(client, back);
    }
    SECTION("in the environment in which it began")
    {
        PageClient production(world, "demo"), other(world, "other-sandbox");
        for (auto* browser : {&production, &other}) {
            browser->cookies["__Host-external"] = client.cookies.at("__Host-external");
            is_refused(*browser, back);
        }
    }
}

TEST_CASE("a code or token of another sign-in, client or provider is refused", "[external]")
{
    ExternalScene scene;
    auto const& world = scene.world;
    auto const email = World::new_email();
    PageClient client(world);
    auto const refuses = [&](HostedPage const& page) {
        INFO(page.status << ' ' << page.body);
        CHECK(page.status == 401);
        CHECK(page.alert == refused);
        CHECK(session_of(client).empty());
    };
    SECTION("a code that an attacker has got from another browser")
    {
        PageClient victim(world);
        auto const stolen = scene.provider.sign_in(begin_at(victim, "acme"), email);
        auto const own = scene.provider.sign_in(begin_at(client, "acme"), World::new_email());
        auto const code = stolen.substr(0, stolen.find("&state="));
        refuses(client.get(code + own.substr(own.find("&state=")))); // the code verifier differs
    }
    SECTION("an id token with another nonce, audience or issuer, or a forged one")
    {
        auto const now = core::unix_seconds(world.clock.now());
        for (json::object const& claims : {json::object{{"nonce", "another"}},
                 json::object{{"nonce", nullptr}}, json::object{{"aud", "app2"}},
                 json::object{{"iss", "https://id.example.com"}}, json::object{{"iat", now - 700}},
                 json::object{{"exp", now - 60}}, json::object{{"azp", "app2"}}}) {
            INFO(json::serialize(claims));
            refuses(scene.sign_in(client, email, claims));
        }
    }
    SECTION("a response of another provider, which this one has mixed up")
    {
        auto const back = scene.provider.sign_in(begin_at(client, "acme"), email);
        auto const without = back.substr(0, back.find("&iss="));
        refuses(client.get(without + "&iss=https%3A%2F%2Fid.example.com"));
        CHECK(scene.provider.last_exchange().empty()); // the code was not sent to this provider
        auto const next = scene.provider.sign_in(begin_at(client, "acme"), email);
        refuses(client.get(next.substr(0, next.find("&iss=")))); // the metadata promises the parameter
        CHECK(scene.provider.last_exchange().empty());
    }
    SECTION("a provider that has been replaced meanwhile")
    {
        auto const back = scene.provider.sign_in(begin_at(client, "acme"), email);
        scene.configure({{"clientId", "another"}});
        refuses(client.get(back));
        CHECK(scene.provider.last_exchange().empty());
    }
}

TEST_CASE("the browser returns to the sign-in page if the user does not continue", "[external]")
{
    ExternalScene scene;
    PageClient client(scene.world);
    auto const location = begin_at(client, "acme", "?next=/account/email");
    auto const state = parameters_of(location.substr(location.find('?') + 1)).at("state");
    auto page = client.get("/oauth/external/callback?error=access_denied&state=" + state);
    CHECK(page.location == "/login?notice=external_cancelled&next=/account/email");
    CHECK(page.notice == "You did not continue. You can choose another way.");
    auto const again = begin_at(client, "acme");
    page = client.get("/oauth/external/callback?error=server_error&error_description=%3Cscript%3E&state=" +
                      parameters_of(again.substr(again.find('?') + 1)).at("state"));
    CHECK(page.status == 401);
    CHECK(page.alert == refused);
    CHECK(page.body.find("<script>") == std::string::npos);
}
