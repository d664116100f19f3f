#include "page_links.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <utility>

// The pages that create accounts.

using namespace std::string_literals;

TEST_CASE("a user registers on the page and is signed in", "[pages]")
{
    World const world;
    PageClient client(world);
    auto page = client.get("/register?next=/account/password");
    CHECK(page.status == 200);
    CHECK(page.title == "Create an account");
    CHECK(page.links_to("/login?next=/account/password"));
    auto const email = World::new_email();
    auto fields = PageClient::fields_of(page, "/register");
    fields.insert(fields.end(), {{"email", email}, {"password", World::password}});
    std::erase_if(fields, [](auto const& field) { return field.second.empty(); });
    page = client.post_raw("/register", fields);
    CHECK(page.status == 303);
    CHECK(page.location == "/account/password");
    CHECK(is_signed_in(client));
    CHECK(client.get_raw("/register").location == "/account");
    CHECK(log_in(world, email, World::password).status == 200);

    // `next` is never another site.
    for (auto const* next : {"https://evil.example", "//evil.example", "/account/../x", "/login"}) {
        INFO(next);
        PageClient other(world);
        page = other.get("/register?next=" + std::string(next));
        fields = PageClient::fields_of(page, "/register");
        fields = {{"csrf", PageClient::csrf_of(page)}, {"next", next}, {"email", World::new_email()},
            {"password", World::password}};
        CHECK(other.post_raw("/register", fields).location == "/account");
    }
}

TEST_CASE("errors of a registration are beside the fields, and the password is not sent back", "[pages]")
{
    World const world;
    PageClient client(world);
    auto const ada = world.new_account();
    auto page = client.fill_in("/register", {{"email", ada.email}, {"password", new_password}});
    CHECK(page.status == 409);
    CHECK(page.error.size() == 1);
    CHECK(page.error["email"].find("There is an account with this email address already") == 0);
    CHECK(page.alert.empty());
    CHECK(page.body.find(new_password) == std::string::npos);
    CHECK(PageClient::fields_of(page, "/register").at(1) == std::pair("email"s, ada.email));

    page = client.submit(page, "/register", {{"email", World::new_email()}, {"password", "short"}});
    CHECK(page.status == 400);
    CHECK(page.error == std::map<std::string, std::string>{{"password", "This is too short."}});

    page = client.submit(page, "/register", {{"email", "<b>\"'&"}, {"password", "password"}});
    CHECK(page.status == 400);
    CHECK(page.error.size() == 2);
    CHECK(page.body.find("<b>\"") == std::string::npos);
    CHECK(PageClient::fields_of(page, "/register").at(1) == std::pair("email"s, "<b>\"'&"s));

    // Fields that are absent or not UTF-8 count as empty.
    page = client.submit(page, "/register", {{"email", "\xff\xfe"}, {"password", ""}});
    CHECK(page.status == 400);
    CHECK(page.error.size() == 2);
    CHECK(session_of(client).empty());
}

TEST_CASE("too many registrations from one network show the time to wait", "[pages]")
{
    World const world({.environment = {{"REGISTRATIONS_PER_HOUR", "1"}}});
    PageClient client(world);
    auto const registered = [&] {
        client.cookies.clear();
        return client.fill_in("/register", {{"email", World::new_email()}, {"password", World::password}});
    };
    CHECK(registered().location == "/account");
    auto const page = registered();
    CHECK(page.status == 429);
    CHECK(page.alert.find("Too many attempts. Try again in ") == 0);
    CHECK_FALSE(page.response.header("retry-after").empty());
    CHECK(session_of(client).empty());
}

TEST_CASE("if the sign-up is closed, the page says so", "[pages]")
{
    World const world;
    PageClient client(world);
    auto const before = client.get("/register");
    CHECK(client.get("/login").links_to("/register"));
    world.set({{"signUp", "closed"}});
    CHECK_FALSE(client.get("/login").links_to("/register"));
    auto const email = World::new_email();
    for (auto const& page : {client.get("/register"),
             client.submit(before, "/register", {{"email", email}, {"password", World::password}})}) {
        CHECK(page.status == 403);
        CHECK(page.title == "You cannot create an account here");
        CHECK(page.says("Ask an administrator for an invitation."));
        CHECK(page.links_to("/login"));
    }
    CHECK(log_in(world, email, World::password).status == 401);
}

TEST_CASE("if the email must be verified first, the page names it and sends the message again", "[pages]")
{
    World const world;
    world.set({{"emailVerification", "required"}});
    PageClient client(world);
    auto const email = World::new_email();
    auto page = client.fill_in("/register", {{"email", email}, {"password", World::password}});
    CHECK(page.status == 200);
    CHECK(page.title == "Check your email");
    CHECK(page.says("We sent a message to " + email));
    CHECK(page.links_to("/login"));
    CHECK(page.notice.empty());
    CHECK(session_of(client).empty());
    CHECK(mails_about(world, email, verification).size() == 1);

    page = client.submit(page, "/verify-email/send", {});
    CHECK(page.status == 200);
    CHECK(page.title == "Check your email");
    CHECK(page.says(email));
    CHECK(page.notice == "Done. It may take a few minutes until the message arrives.");
    CHECK(mails_about(world, email, verification).size() == 2);

    page = client.fill_in(link("/verify-email", token_of(world, email, verification)), {});
    CHECK(page.title == "Your email address is confirmed");
    CHECK(page.links_to("/login"));
    client.sign_in({.email = email, .password = World::password});
}

TEST_CASE("the page for a new verification email answers every email alike", "[pages]")
{
    World const world;
    PageClient client(world);
    auto const ada = world.new_account();
    auto const stranger = World::new_email();
    CHECK(client.get("/verify-email/send").title == "Confirm your email address");
    auto const known = client.fill_in("/verify-email/send", {{"email", ada.email}});
    auto unknown = client.fill_in("/verify-email/send", {{"email", stranger}});
    CHECK(known.status == 200);
    CHECK(unknown.status == 200);
    for (auto at = unknown.body.find(stranger); at != std::string::npos; at = unknown.body.find(stranger))
        unknown.body.replace(at, stranger.size(), ada.email);
    CHECK(known.body == unknown.body);
    CHECK(mails_about(world, ada.email, verification).size() == 2); // one by the registration
    CHECK(mails_about(world, stranger).empty());

    auto const page = client.fill_in("/verify-email/send", {{"email", "ada"}});
    CHECK(page.status == 400);
    CHECK(page.error.contains("email"));

    // The email of the form counts, not that of the signed-in user.
    auto const eve = world.new_account();
    client.sign_in(eve);
    CHECK(client.fill_in("/verify-email/send", {{"email", ada.email}}).says(ada.email));
    CHECK(mails_about(world, ada.email, verification).size() == 3);
    CHECK(mails_about(world, eve.email, verification).size() == 1);
}

TEST_CASE("with mfaPolicy required, a new user goes on to the enrolment", "[pages]")
{
    World const world;
    world.set({{"mfaPolicy", "required"}});
    PageClient registers(world), accepts(world);
    auto form = registers.get("/register");
    auto page = registers.post_raw("/register",
        {{"csrf", PageClient::csrf_of(form)}, {"email", World::new_email()}, {"password", World::password}});
    CHECK(page.status == 303);
    CHECK(page.location == "/enroll");
    CHECK(session_of(registers).empty());

    auto const token = invite(world, World::new_email());
    form = accepts.get(link("/invite", token));
    page = accepts.post_raw(
        "/invite", {{"csrf", PageClient::csrf_of(form)}, {"token", token}, {"password", new_password}});
    CHECK(page.status == 303);
    CHECK(page.location == "/enroll");
    CHECK(session_of(accepts).empty());
    CHECK_FALSE(accepts.cookies["__Host-sign-in"].empty());
}
