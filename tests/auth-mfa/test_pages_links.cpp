#include "page_links.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <utility>

// The pages to which the links in emails lead.

using namespace std::string_literals;

TEST_CASE("the page that resets passwords answers every email alike", "[pages]")
{
    World const world;
    PageClient client(world);
    auto const ada = world.new_account();
    auto const stranger = World::new_email();
    auto page = client.get("/reset");
    CHECK(page.status == 200);
    CHECK(page.title == "Reset your password");
    auto const known = client.submit(page, "/reset", {{"email", ada.email}});
    auto unknown = client.submit(page, "/reset", {{"email", stranger}});
    CHECK(known.status == 200);
    CHECK(unknown.status == 200);
    CHECK(known.title == "Check your email");
    CHECK(known.says("If there is an account for " + ada.email));
    CHECK(known.says("The link works for 30 minutes."));
    for (auto at = unknown.body.find(stranger); at != std::string::npos; at = unknown.body.find(stranger))
        unknown.body.replace(at, stranger.size(), ada.email);
    CHECK(known.body == unknown.body);
    CHECK(mails_about(world, ada.email, password_reset).size() == 1);
    CHECK(mails_about(world, stranger).empty());

    CHECK_FALSE(client.submit(known, "/reset", {}).notice.empty());
    CHECK(mails_about(world, ada.email, password_reset).size() == 2);

    page = client.submit(page, "/reset", {{"email", "ada@"}});
    CHECK(page.status == 400);
    CHECK(page.error.size() == 1);
    CHECK(page.error.contains("email"));
    CHECK(PageClient::fields_of(page, "/reset").at(1) == std::pair("email"s, "ada@"s));
}

TEST_CASE("a user resets the password with the link of an email", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    PageClient client(world), elsewhere(world);
    elsewhere.sign_in(ada);
    auto const token = reset_token(world, ada.email);
    auto page = client.get(link("/reset", token));
    CHECK(page.title == "Choose a new password");
    check_form_of_link(page, token);

    // A refused password does not use the token up.
    page = client.submit(page, "/reset", {{"password", "short"}});
    CHECK(page.status == 400);
    CHECK(page.error == std::map<std::string, std::string>{{"password", "This is too short."}});
    page = client.submit(page, "/reset", {{"password", ada.email}});
    CHECK(page.status == 400);
    CHECK(page.error["password"] == "The password must differ from your email address.");
    CHECK(count(page.body, token) == 1);
    CHECK(is_signed_in(elsewhere));

    auto const form = page;
    page = client.submit(page, "/reset", {{"password", new_password}});
    CHECK(page.status == 200);
    CHECK(page.location == "/login?notice=reset");
    CHECK(page.notice == "Your password was changed. Sign in with the new password.");
    CHECK_FALSE(is_signed_in(elsewhere));
    CHECK(log_in(world, ada.email, World::password).status == 401);
    client.sign_in({.email = ada.email, .password = new_password});

    // The same link again.
    page = client.submit(form, "/reset", {{"password", "another good password"}});
    CHECK(page.status == 403); // the form is of the browser before the sign-in
    page = client.fill_in(link("/reset", token), {{"password", "another good password"}});
    CHECK(page.status == 410);
    CHECK(page.title == "This link no longer works");
    CHECK(page.links_to("/reset"));
    CHECK(log_in(world, ada.email, new_password).status == 200);
}

TEST_CASE("opening a link changes nothing, and its form works once", "[pages]")
{
    World const world;
    for (auto const& [path, token, email, fields] : links(world)) {
        INFO(path);
        PageClient scanner(world), client(world);
        for (int i = 0; i < 3; ++i)
            check_form_of_link(scanner.get(link(path, token)), token);
        auto const form = client.get(link(path, token));
        auto const csrf = PageClient::csrf_of(form);
        PageClient::Fields sent{{"csrf", csrf}, {"token", token}};
        sent.insert(sent.end(), fields.begin(), fields.end());
        auto const used = client.post_raw(path, sent);
        INFO(used.body);
        CHECK(used.status == (fields.empty() ? 200 : 303));
        CHECK(used.body.find(token) == std::string::npos);
        CHECK(used.location.find(token) == std::string::npos);
        if (!email.empty()) CHECK(used.says(email));
        CHECK(session_of(client).empty() == (path != "/invite"));

        PageClient later(world);
        auto const again = later.fill_in(link(path, token), fields);
        CHECK(again.status == 410);
        CHECK(again.title == "This link no longer works");
        CHECK(session_of(later).empty());
    }
}

TEST_CASE("links that are incomplete, wrong, expired or of another kind are refused", "[pages]")
{
    World const world;
    auto const all = links(world);
    PageClient client(world);
    auto const refused = [&](Link const& one, std::string const& token) {
        return client.fill_in(link(one.path, token), one.fields);
    };
    for (auto const& one : all) {
        INFO(one.path);
        auto const expired = refused(one, unknown_token);
        CHECK(expired.status == 410);
        CHECK(expired.title == "This link no longer works");
        CHECK(expired.body.find(unknown_token) == std::string::npos);
        for (auto const& [path, next] : std::to_array<std::pair<std::string, std::string>>(
                 {{"/reset", "/reset"}, {"/verify-email", "/verify-email/send"}, {"/invite", "/login"},
                     {"/confirm-email", "/login"}, {"/revert-email", "/login"}}))
            if (path == one.path) CHECK(expired.links_to(next));

        CHECK(refused(one, std::string(129, 'a')).status == 400);
        CHECK(refused(one, "\"><script>").status == 410);
        for (auto const& other : all)
            if (other.path != one.path) CHECK(refused(one, other.token).status == 410);

        if (one.path == "/reset") continue; // without a token, it is the page that requests the link
        for (auto const* query : {"", "?token=", "?token=a&token=b", "?Token=a"}) {
            INFO(query);
            auto const page = client.get(one.path + query);
            CHECK(page.status == 200);
            CHECK((page.title == "This link is not complete" || page.links_to("/verify-email/send")));
        }
        auto const csrf = PageClient::csrf_of(client.get("/login"));
        CHECK(client.post_raw(one.path, {{"csrf", csrf}, {"password", new_password}}).status == 400);
    }
    CHECK(client.get(link("/reset", std::string(2'001, 'a'))).title == "Reset your password");

    // Tokens of another tenant or environment are unknown.
    for (auto const* tenant : {"demo", "other-sandbox"}) {
        PageClient other(world, tenant);
        for (auto const& one : all) {
            INFO(tenant << one.path);
            CHECK(other.fill_in(link(one.path, one.token), one.fields).status == 410);
        }
    }

    // All tokens are still valid, and then expire.
    world.clock.advance(std::chrono::days(8));
    for (auto const& one : all) {
        INFO(one.path);
        CHECK(refused(one, one.token).status == 410);
    }
}

TEST_CASE("the page after a changed address shows the account as it is now", "[pages]")
{
    World const world;
    auto ada = world.new_account();
    auto const old_email = ada.email, new_email = World::new_email();
    PageClient client(world);
    client.sign_in(ada);
    auto const token = confirmation_token(world, ada, new_email);
    CHECK(client.get(link("/confirm-email", token)).says("Signed in as " + old_email));
    auto page = client.fill_in(link("/confirm-email", token), {});
    CHECK(page.title == "Your email address is changed");
    CHECK(page.says("From now on, sign in with " + new_email));
    CHECK(page.says("Signed in as " + new_email));
    CHECK(page.links_to("/account"));
    CHECK(text(me(world, ada), "email") == new_email);

    page = client.fill_in(link("/revert-email", token_of(world, old_email, change_notice)), {});
    CHECK(page.title == "Your email address is restored");
    CHECK(page.says("Your account uses " + old_email + " again"));
    CHECK(page.links_to("/reset"));
    CHECK_FALSE(page.says("Signed in as"));
    CHECK_FALSE(is_signed_in(client));
}

TEST_CASE("the page of a verified email leads signed-in users to the account", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    PageClient client(world);
    client.sign_in(ada);
    auto const page = client.fill_in(link("/verify-email", token_of(world, ada.email, verification)), {});
    CHECK(page.status == 200);
    CHECK(page.links_to("/account"));
    CHECK(me(world, ada).at("emailVerified") == true);
}

TEST_CASE("a link acts for its own account, also when another user is signed in", "[pages]")
{
    World const world;
    auto const ada = world.new_account(), eve = world.new_account();
    PageClient client(world);
    client.sign_in(eve);
    client.fill_in(link("/verify-email", token_of(world, ada.email, verification)), {});
    CHECK(me(world, ada).at("emailVerified") == true);
    CHECK(me(world, eve).at("emailVerified") == false);
    CHECK(is_signed_in(client));
    // The audit log names the owner of the link.
    CHECK(world.postgres.query("SELECT actor FROM audit_log WHERE action = 'user.email_verified'") ==
          ada.user_id);
}

TEST_CASE("an address that another account got in the meantime is refused", "[pages]")
{
    World const world;
    auto const ada = world.new_account();
    auto const wanted = World::new_email();
    auto const token = confirmation_token(world, ada, wanted);
    register_with(world, wanted);
    PageClient client(world);
    auto const page = client.fill_in(link("/confirm-email", token), {});
    CHECK(page.status == 409);
    CHECK(page.title == "You cannot use this address");
    CHECK(page.says("Another account uses this email address by now."));
    CHECK(text(me(world, ada), "email") == ada.email);
}

TEST_CASE("an invited user chooses a password on the page and is signed in", "[pages]")
{
    World const world;
    auto const email = World::new_email();
    auto const token = invite(world, email, "admin");
    PageClient client(world);
    auto page = client.get(link("/invite", token));
    check_form_of_link(page, token);
    CHECK(page.says("You are invited to A tenant."));
    page = client.submit(page, "/invite", {{"password", "password"}});
    CHECK(page.status == 400);
    CHECK(page.error.contains("password"));
    page = client.submit(page, "/invite", {{"password", new_password}});
    CHECK(page.location == "/account");
    CHECK(is_signed_in(client));
    CHECK(log_in(world, email, new_password).status == 200);
}
