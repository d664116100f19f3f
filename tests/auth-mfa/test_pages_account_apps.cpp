#include "account_browser.hpp"
#include "oauth.hpp"

#include <catch2/catch.hpp>

// The apps in the list of sessions on the account's page.

namespace {

constexpr char const* firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

/// The id of a new session of the client, which it got with this header `User-Agent`.
std::string open_session(
    World const& world, PageClient& browser, oauth::Client const& client, std::string const& user_agent)
{
    auto const pkce = oauth::Pkce::make();
    auto const code = oauth::authorize(browser, oauth::request_of(client, pkce));
    oauth::Headers headers;
    if (!user_agent.empty()) headers.emplace_back("User-Agent", user_agent);
    auto const tokens = oauth::Tokens::of(oauth::exchange(world, client, code, pkce, {}, headers));
    return text(claims_of(tokens.access_token), "sid");
}

} // namespace

TEST_CASE("the account's page names the app of a session, and ends it", "[pages][oauth]")
{
    World const world;
    auto const ada = world.new_account();
    auto const shop = oauth::new_client(world, {{"name", "Shop <& Co>"}});
    auto const tool = oauth::new_client(world, {{"name", "Tool"}});
    auto browser = browser_of(world, ada);
    auto page = browser.get("/account");
    CHECK_FALSE(page.says("Shop"));

    auto const session = open_session(world, browser, shop, firefox);
    auto const other = open_session(world, browser, tool, "");
    page = browser.get("/account");
    CHECK(page.says("Shop <& Co> on Firefox (Linux)"));
    CHECK(page.body.find("aria-label=\"Sign out Shop &lt;&amp; Co&gt; on Firefox (Linux)\"") !=
          std::string::npos);
    CHECK(page.body.find("<strong>Tool</strong>") != std::string::npos); // no browser is known
    CHECK(browser.get("/account?ui_locales=de").says("Shop <& Co> auf Firefox (Linux)"));

    page = browser.submit(browser.get("/account?ui_locales=en"), "/account/sessions/" + session + "/end", {});
    CHECK(page.notice == "That browser or app is signed out.");
    CHECK_FALSE(page.says("Shop"));
    CHECK(page.links_to("/account/sessions/" + other + "/end"));
}

TEST_CASE("the session of a client that no longer exists has the client's id", "[pages][oauth]")
{
    World const world;
    auto const ada = world.new_account();
    auto const shop = oauth::new_client(world, {{"name", "Shop & Co"}, {"clientId", "shop-1"}});
    auto browser = browser_of(world, ada);
    open_session(world, browser, shop, firefox);
    world.postgres.query("DELETE FROM authorization_codes");
    world.postgres.query("DELETE FROM clients");
    CHECK(browser.get("/account").says("shop-1 on Firefox (Linux)"));
}
