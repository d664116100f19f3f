#include "account_browser.hpp"
#include "emails.hpp"
#include "external_scene.hpp"

#include <catch2/catch.hpp>

#include <regex>

// The linking of an account at an identity provider on the page of the account.

namespace {

/// The link on the account's page that begins the linking.
std::string link_on(HostedPage const& page)
{
    std::smatch found;
    REQUIRE(std::regex_search(page.body, found, std::regex("href=\"(/oauth/external/acme\\?link=[^\"]+)\"")));
    return found[1];
}

} // namespace

TEST_CASE("a signed-in user links an account at a provider", "[external]")
{
    ExternalScene scene;
    auto const& world = scene.world;
    auto const ada = world.new_account();
    auto client = browser_of(world, ada);
    auto page = client.get("/account");
    CHECK(page.says("Link an account at Acme ID"));
    auto const link = link_on(page);
    auto const begin = [&](PageClient& browser, std::string const& path) {
        auto const begun = browser.get_raw(path);
        INFO(begun.status << ' ' << begun.body);
        REQUIRE(begun.status == 303);
        return begun.location;
    };
    auto const email = World::new_email();
    // The keys are fetched with the first sign-in, so that linking does not have to wait for them.
    PageClient stranger(world);
    auto const taken = World::new_email();
    REQUIRE(scene.sign_in(stranger, taken).location == "/account");

    SECTION("and then signs in with it")
    {
        page = client.get(scene.provider.sign_in(begin(client, link), email));
        CHECK(page.location == "/account?notice=identity_linked");
        CHECK(page.says(email));
        CHECK(mails_about(world, ada.email, "A way to sign in was added").size() == 1);
        PageClient other(world);
        CHECK(scene.sign_in(other, email).says("Signed in as " + ada.email));
    }
    SECTION("not one that another account has")
    {
        page = client.get(scene.provider.sign_in(begin(client, link), taken));
        CHECK(page.status == 409);
        CHECK(page.alert.starts_with("This cannot be linked."));
        CHECK(scene.identities_of(ada.email) == "0");
    }
    SECTION("only from the own page")
    {
        for (auto const* path : {"/oauth/external/acme?link=x", "/oauth/external/acme?link="})
            CHECK(client.get_raw(path).location.find("/authorize") == std::string::npos);
        CHECK(client.get_raw("/oauth/external/acme?link=x").status == 403);
        auto const other_account = world.new_account();
        auto attacker = browser_of(world, other_account);
        CHECK(client.get_raw(link_on(attacker.get("/account"))).status == 403);
        // A form's token is none of a link.
        CHECK(client.get_raw("/oauth/external/acme?link=" + PageClient::csrf_of(page)).status == 403);
    }
    SECTION("only with a recent authentication")
    {
        world.clock.advance(too_long);
        CHECK(begin(client, link) == "/account/confirm?next=/account");
        page = client.fill_in("/account/confirm?next=/account", {{"password", ada.password}});
        auto const back = scene.provider.sign_in(begin(client, link_on(page)), email);
        world.clock.advance(too_long);
        CHECK(client.get_raw(back).location == "/account/confirm?next=/account");
        CHECK(scene.identities_of(ada.email) == "0");
    }
    SECTION("only in the session that began it")
    {
        auto const back = scene.provider.sign_in(begin(client, link), email);
        auto const kept = client.cookies.at("__Host-external");
        auto const bob = world.new_account();
        auto other = browser_of(world, bob);
        other.cookies["__Host-external"] = kept;
        CHECK(other.get_raw(back).alert == started_elsewhere);
        CHECK(scene.identities_of(bob.email) == "0");
    }
    SECTION("only if signed in")
    {
        PageClient nobody(world);
        CHECK(nobody.get_raw(link).location == "/login?next=/account");
    }
}
