#include "emails.hpp"
#include "factors.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

// Where the links in emails lead, and the language of emails.

namespace {

namespace json = boost::json;

} // namespace

TEST_CASE("an invited user chooses a password and is signed in", "[email]")
{
    World const world;
    auto const email = World::new_email();
    auto const token = invite(world, email, "admin");
    CHECK(log_in(world, email, new_password).status == 401);
    auto const accepted = accept(world, token);
    REQUIRE(accepted.status == 201);
    auto const answer = accepted.json();
    CHECK(answer.at("user").at("emailVerified") == true);
    CHECK(text(answer.at("user"), "status") == "active");
    CHECK(text(answer.at("user"), "role") == "admin");
    CHECK(world.with(text(answer, "accessToken")).get("/v1/members").status == 200);
    CHECK(log_in(world, email, new_password).status == 200);
    CHECK(outcome(accept(world, token)) == token_expired);
}

TEST_CASE("links lead to the hosted pages or to the tenant's pages, and the token stands alone on a line",
    "[email]")
{
    World const world;
    std::string const origin = "https://links.example.com";
    bool const own_pages = GENERATE(false, true);
    INFO(own_pages);
    if (own_pages) {
        auto const changed = world.as_master().patch(
            "/v1/settings", body({{"allowedOrigins", json::array{origin}}, {"resetUrl", origin + "/a/reset"},
                                {"verifyUrl", origin + "/verify"}, {"inviteUrl", origin}}));
        INFO(changed.body);
        REQUIRE(changed.status == 200);
        REQUIRE(testing::eventually([&] {
            return world.client()
                       .get("/pages.css", {{"Origin", origin}})
                       .header("access-control-allow-origin") == origin;
        }));
    }
    auto ada = world.new_account();
    auto const old_email = ada.email, new_email = World::new_email(), invited = World::new_email();
    reset_token(world, old_email);
    invite(world, invited);
    change_email(world, ada, new_email);
    std::string const host = text(claims_of(ada.access_token), "iss");

    struct Case {
        std::string address;
        char const* subject;
        std::string page;
    };

    for (auto const& [address, subject, page] : {
             Case{old_email, verification, own_pages ? origin + "/verify" : host + "/verify-email"},
             Case{old_email, password_reset, own_pages ? origin + "/a/reset" : host + "/reset"},
             Case{invited, invitation, own_pages ? origin : host + "/invite"},
             Case{new_email, confirmation, host + "/confirm-email"},
             Case{old_email, change_notice, host + "/revert-email"},
         }) {
        INFO(subject);
        auto const mails = mails_about(world, address, subject);
        REQUIRE(mails.size() == 1);
        std::istringstream text(mails[0].text);
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);) {
            if (line.ends_with('\r')) line.pop_back();
            lines.push_back(line);
        }
        CHECK(mails[0].token.size() == 43);
        CHECK(std::ranges::count(lines, mails[0].token) == 1);
        CHECK(std::ranges::count(lines, page + "?token=" + mails[0].token) == 1);
    }
}

TEST_CASE("links may lead only to origins that the setting allowedOrigins lists", "[email]")
{
    World const world;
    auto master = world.as_master();
    auto const change = [&](json::object const& document) {
        return master.patch("/v1/settings", body(document));
    };
    auto const origin = "https://links.example.com";
    for (auto const* name : {"resetUrl", "verifyUrl", "inviteUrl"}) {
        INFO(name);
        auto const pointer = "/" + std::string(name);
        CHECK(testing::faults_of(change({{name, "https://links.example.com/x"}})) == pointer + " origin");
        CHECK(
            change({{"allowedOrigins", json::array{origin}}, {name, "https://links.example.com/x"}}).status ==
            200);
        for (auto const* other : {"https://links.example.com:8443/x", "http://links.example.com/x",
                 "https://links.example.com.evil.example/x", "https://evil.example/https://links.example.com",
                 "https://links.example.com@evil.example/", "https://links.example.com\\@evil.example/",
                 "https://links.example.com/x?y=1", "https://links.example.com/#x", "javascript:alert(1)",
                 "/relative", ""}) {
            INFO(other);
            auto const r = change({{name, other}});
            CHECK(r.status == 400);
            CHECK(testing::faults_of(r).starts_with(pointer));
        }
        // The origin stays listed while a link uses it.
        auto const r = change({{"allowedOrigins", json::array()}});
        CHECK(testing::faults_of(r) == pointer + " origin");
        CHECK(change({{"allowedOrigins", json::array()}, {name, nullptr}}).status == 200);
    }
}

TEST_CASE("emails are in the language of the request", "[email]")
{
    World const world;
    auto const email = World::new_email();
    auto anyone = world.client();
    anyone.set("Accept-Language", "it, de-AT;q=0.9, en;q=0.5");
    Account ada{.tenant = "demo-sandbox", .email = email, .password = World::password};
    ada.take(testing::require(201, anyone.post("/v1/auth/register", credentials(email, World::password))));
    auto mails = mails_about(world, email);
    REQUIRE(mails.size() == 1);
    CHECK(mails[0].text.find("Wenn Sie kein Konto bei A tenant angelegt haben") != std::string::npos);
    CHECK(mails[0].token.size() == 43);

    anyone.set("Accept-Language", "fr");
    REQUIRE(anyone.post("/v1/auth/password/forgot", body({{"email", email}})).status == 202);
    mails = mails_about(world, email);
    REQUIRE(mails.size() == 2);
    CHECK(mails[1].text.find("mot de passe") != std::string::npos);

    auto caller = world.as(ada);
    caller.set("Accept-Language", "es");
    auto const changed = caller.post(
        "/v1/auth/password", body({{"currentPassword", World::password}, {"newPassword", new_password}}));
    REQUIRE(changed.status == 200);
    mails = mails_about(world, email);
    REQUIRE(mails.size() == 3);
    CHECK(mails[2].text.find("Fecha y hora") != std::string::npos);

    REQUIRE(forgot(world, email).status == 202); // without the header
    CHECK(mails_about(world, email, password_reset).size() == 1);
}
