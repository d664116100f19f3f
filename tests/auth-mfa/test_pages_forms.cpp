#include "page_links.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <utility>

// The protection of all forms.

using namespace std::string_literals;

TEST_CASE("a form is accepted only from the browser and the page that got it", "[pages]")
{
    World const world;
    auto const all = links(world);
    PageClient client(world), other(world);
    auto const csrf = PageClient::csrf_of(client.get("/login"));
    auto const csrf_of_other = PageClient::csrf_of(other.get("/login"));
    CHECK(csrf != csrf_of_other);
    auto const demo = PageClient(world, "demo").get("/login");

    struct Case {
        char const* what;
        PageClient::Fields csrf;
        PageClient::Headers headers{};
        unsigned status = 403;
    };

    auto changed = csrf;
    changed[0] = changed[0] == 'A' ? 'B' : 'A';
    auto const host = "demo-sandbox.auth.localhost"s;
    PageClient::Fields const right{{"csrf", csrf}};
    std::vector<Case> const cases{
        {"no token", {}},
        {"an empty token", {{"csrf", ""}}},
        {"a changed token", {{"csrf", changed}}},
        {"the token of another browser", {{"csrf", csrf_of_other}}},
        {"the token of another environment", {{"csrf", PageClient::csrf_of(demo)}}},
        {"two tokens, the first one wrong", {{"csrf", changed}, {"csrf", csrf}}},
        {"another site", right, {{"Origin", "https://evil.example"}, {"Sec-Fetch-Site", ""}}},
        {"a neighbour", right, {{"Origin", "http://other-sandbox.auth.localhost"}, {"Sec-Fetch-Site", ""}}},
        {"the other environment", right, {{"Origin", "http://demo.auth.localhost"}, {"Sec-Fetch-Site", ""}}},
        {"a longer host", right, {{"Origin", "http://" + host + ".evil.example"}, {"Sec-Fetch-Site", ""}}},
        {"an opaque origin", right, {{"Origin", "null"}, {"Sec-Fetch-Site", ""}}},
        {"cross-site", right, {{"Origin", ""}, {"Sec-Fetch-Site", "cross-site"}}},
        {"same-site", right, {{"Origin", ""}, {"Sec-Fetch-Site", "same-site"}}},
        {"JSON", right, {{"Content-Type", "application/json"}}, 415},
        {"plain text", right, {{"Content-Type", "text/plain"}}, 415},
        {"no type", right, {{"Content-Type", "application/octet-stream"}}, 415},
    };
    auto const email = World::new_email();
    auto targets = all;
    targets.push_back({"/register", "", "", {{"email", email}, {"password", World::password}}});
    targets.push_back({"/login", "", "", {{"email", email}, {"password", World::password}}});
    targets.push_back({"/reset", "", "", {{"email", email}}});
    targets.push_back({"/verify-email/send", "", "", {{"email", email}}});
    for (auto const& target : targets)
        for (auto const& [what, token, headers, status] : cases) {
            INFO(target.path << ' ' << what);
            auto fields = token;
            fields.emplace_back("token", target.token);
            fields.insert(fields.end(), target.fields.begin(), target.fields.end());
            auto const page = client.post_raw(target.path, fields, headers);
            CHECK(page.status == status);
            CHECK(page.title == "Something went wrong");
        }
    CHECK(session_of(client).empty());
    CHECK(log_in(world, email, World::password).status == 401);
    CHECK(mails_about(world, email).empty());

    // A browser without form cookie, and software that sends no headers of a browser.
    PageClient bare(world);
    CHECK(bare.post_raw("/login", right).status == 403);
    for (auto const& one : all) {
        INFO(one.path);
        PageClient plain(world);
        PageClient::Fields fields{{"csrf", PageClient::csrf_of(plain.get("/login"))}, {"token", one.token}};
        fields.insert(fields.end(), one.fields.begin(), one.fields.end());
        auto const page = plain.post_raw(one.path, fields,
            {{"Origin", ""}, {"Sec-Fetch-Site", ""}, {"Content-Type", ""},
                {"content-type", "application/x-www-form-urlencoded; charset=UTF-8"}});
        INFO(page.body);
        CHECK(page.status == (one.fields.empty() ? 200 : 303));
    }
}

TEST_CASE("signing in changes the form cookie, so older forms are refused", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    PageClient client(world);
    auto const before = client.get("/reset");
    client.sign_in(ada);
    CHECK(client.submit(before, "/reset", {{"email", ada.email}}).status == 403);
    CHECK(client.fill_in("/reset", {{"email", ada.email}}).status == 200);
}

TEST_CASE("cookies of another tenant or environment are refused", "[pages]")
{
    World const world;
    auto const ada = world.new_account(), bob = world.new_account_with_totp();
    PageClient client(world), half(world);
    client.sign_in(ada);
    auto const form = client.get("/reset");
    half.fill_in("/login", {{"email", bob.email}, {"password", bob.password}});
    CHECK(half.get_raw("/login/verify").status == 200);
    for (auto const* tenant : {"demo", "other-sandbox", "other"}) {
        INFO(tenant);
        PageClient other(world, tenant);
        other.cookies = client.cookies;
        CHECK_FALSE(is_signed_in(other));
        CHECK(other.post_raw("/reset", PageClient::fields_of(form, "/reset")).status == 403);
        PageClient second(world, tenant);
        second.cookies = half.cookies;
        CHECK(second.get_raw("/login/verify").location == "/login");
    }
    // Changed and stolen parts.
    PageClient thief(world);
    thief.cookies = {{"__Host-session", session_of(client)}};
    CHECK(is_signed_in(thief)); // the cookie alone signs in
    thief.cookies["__Host-session"].back() = 'x';
    thief.cookies["__Host-session"].pop_back();
    CHECK_FALSE(is_signed_in(thief));
    thief.cookies["__Host-sign-in"] = half.cookies["__Host-sign-in"] + "x";
    CHECK(thief.get_raw("/login/verify").location == "/login");
}
