#include "support/cross_origin.hpp"
#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

TEST_CASE("only owners and the operator may read and change settings", "[settings]")
{
    World const world;
    auto const owner = world.new_owner();
    auto caller = world.as(owner);
    auto const before = caller.get("/v1/settings");
    REQUIRE(before.status == 200);
    CHECK(before.json().at("identityProviders").as_array().empty());
    CHECK(world.as(world.new_member(owner, "admin")).get("/v1/settings").status == 403);
    CHECK(world.as_master().get("/v1/settings").status == 200);

    auto const changed = caller.patch(
        "/v1/settings", R"({"brand":"Demo \"Inc.\" & <Sons>"})", {{"If-Match", before.header("etag")}});
    REQUIRE(changed.status == 200);
    CHECK(text(changed.json(), "brand") == "Demo \"Inc.\" & <Sons>");
    CHECK(caller.patch("/v1/settings", R"({"brand":"x"})", {{"If-Match", before.header("etag")}}).status ==
          412);
    CHECK(caller.patch("/v1/settings", "{}").status == 400);
    for (auto const* wrong :
        {R"({"brand":""})", R"({"brand":"Two\nlines"})", R"({"allowedOrigins":["nonsense"]})",
            R"({"identityProviders":[{"issuer":"x"}]})", R"({"smsCountries":["nowhere"]})"})
        CHECK(caller.patch("/v1/settings", wrong).status == 400);
    // An empty list is refused, because readers could take it for "all countries".
    auto const none = caller.patch("/v1/settings", R"({"smsCountries":[]})");
    CHECK(none.status == 400);
    CHECK(text(none.json().at("errors").at(0), "pointer") == "/smsCountries");
    CHECK(world.client("demo").get("/enroll").body.find("Sons") == std::string::npos);
    CHECK(testing::eventually([&] {
        return world.client().get("/enroll").body.find("Demo &quot;Inc.&quot; &amp; &lt;Sons&gt;") !=
               std::string::npos;
    }));
}

TEST_CASE("settings that are not set have their defaults", "[settings]")
{
    World const world;
    auto master = world.as_master();
    auto const settings = testing::require(200, master.get("/v1/settings")).json();
    for (auto const* list : {"identityProviders", "allowedOrigins"}) {
        INFO(list);
        CHECK(settings.at(list).as_array().empty());
    }
    CHECK(text(settings, "emailVerification") == "optional");
    CHECK(text(settings, "signUp") == "open");
    CHECK(text(settings, "mfaPolicy") == "optional");
    CHECK(settings.at("securityEmails").as_bool());
    for (auto const* name : {"brand", "smsCountries", "resetUrl", "verifyUrl", "inviteUrl"}) {
        INFO(name);
        CHECK(settings.at(name).is_null());
    }

    // null restores the defaults.
    auto const changed =
        master.patch("/v1/settings", body({{"emailVerification", "required"}, {"signUp", "closed"},
                                         {"mfaPolicy", "required_for_staff"}, {"securityEmails", false}}));
    REQUIRE(changed.status == 200);
    CHECK(text(changed.json(), "emailVerification") == "required");
    CHECK(text(changed.json(), "signUp") == "closed");
    CHECK(text(changed.json(), "mfaPolicy") == "required_for_staff");
    CHECK_FALSE(changed.json().at("securityEmails").as_bool());
    auto const restored =
        master.patch("/v1/settings", body({{"emailVerification", nullptr}, {"signUp", nullptr},
                                         {"mfaPolicy", nullptr}, {"securityEmails", nullptr}}));
    REQUIRE(restored.status == 200);
    for (auto const* name : {"emailVerification", "signUp", "mfaPolicy", "securityEmails"}) {
        INFO(name);
        CHECK(restored.json().at(name) == settings.at(name));
    }
}

TEST_CASE("pages of a tenant's own auth host may call the API without a setting", "[settings]")
{
    World const world;
    testing::check_pages_of_auth_host(world, "PATCH", "/v1/settings");
}

TEST_CASE("the hosted pages load only their own files and escape the brand", "[settings]")
{
    World const world;
    world.set({{"brand", "<script>alert(1)</script>\"'&"}});
    for (auto const* path : {"/enroll", "/reset", "/reset?token=abc", "/verify-email", "/invite",
             "/confirm-email", "/revert-email"}) {
        INFO(path);
        auto const page = world.client().get(path);
        REQUIRE(page.status == 200);
        CHECK(page.header("content-type").starts_with("text/html"));
        CHECK(page.body.find("<script>alert") == std::string::npos);
        CHECK(page.body.find("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;") != std::string::npos);
        CHECK(page.body.find("{{") == std::string::npos);
        CHECK(page.body.find("://") == std::string::npos); // no content from other hosts
        auto const& policy = page.header("content-security-policy");
        CHECK(policy.find("default-src 'none'") != std::string::npos);
        CHECK(policy.find("unsafe") == std::string::npos);
        CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
        CHECK(page.header("referrer-policy") == "no-referrer");
        CHECK(page.header("cache-control") == "no-store");
        CHECK(world.client("nobody").get(path).status == 404);
    }
    auto const page = world.client().get("/enroll");
    for (auto const* consent : {World::provider, "Message frequency varies",
             "Message and data rates may apply", "STOP to opt out", "HELP for"})
        CHECK(page.body.find(consent) != std::string::npos);
    for (auto const* path : {"/enroll.js", "/link.js"}) {
        INFO(path);
        auto const script = world.client().get(path);
        CHECK(script.header("content-type").starts_with("text/javascript"));
        for (auto const* storage : {"localStorage", "sessionStorage", "document.cookie", "innerHTML", "://"})
            CHECK(script.body.find(storage) == std::string::npos);
    }
    auto const style = world.client().get("/enroll.css");
    CHECK(style.header("content-type").starts_with("text/css"));
    CHECK(style.body.find("url(") == std::string::npos);
}

TEST_CASE("an issuer is a URL of at most 512 bytes", "[settings]")
{
    World const world;
    auto caller = world.as(world.new_owner());
    auto const set = [&](std::string const& issuer) {
        boost::json::object const provider{
            {"issuer", issuer}, {"audience", "app"}, {"jwksUrl", "https://id.example.com/jwks"}};
        return caller.patch("/v1/settings", body({{"identityProviders", boost::json::array{provider}}}))
            .status;
    };
    std::string const longest = "https://id.example.com/" + std::string(489, 'x');
    CHECK(set(longest) == 200);
    CHECK(set(longest + "x") == 400);
    CHECK(set("not an address") == 400);
    CHECK(set("https://id.example.com/\u00e9") == 400);
}
