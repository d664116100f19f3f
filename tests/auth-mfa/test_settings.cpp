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
        "/v1/settings", R"({"brand":"Demo Inc. & Sons"})", {{"If-Match", before.header("etag")}});
    REQUIRE(changed.status == 200);
    CHECK(text(changed.json(), "brand") == "Demo Inc. & Sons");
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
        return world.client().get("/enroll").body.find("Demo Inc. &amp; Sons") != std::string::npos;
    }));
}

namespace {

/// The name that the hosted pages show.
std::string shown_brand(World const& world)
{
    auto const page = world.client().get("/enroll").body;
    std::string const before = R"(<header class="brand"><span>)";
    auto const begin = page.find(before) + before.size();
    return page.substr(begin, page.find('<', begin) - begin);
}

bool shows(World const& world, std::string const& brand)
{
    return testing::eventually([&] { return shown_brand(world) == brand; });
}

} // namespace

TEST_CASE("an owner sets a brand that is only a name, and the operator any brand", "[settings]")
{
    World const world;
    auto const owner = world.new_owner();
    auto caller = world.as(owner);
    auto const set = [](testing::HttpClient& by, std::string const& brand) {
        return by.patch("/v1/settings", body({{"brand", brand}}));
    };
    auto const refused = [&](std::string const& brand) {
        auto const r = set(caller, brand);
        CHECK(r.status == 400);
        auto const& fault = r.json().at("errors").at(0);
        CHECK(text(fault, "pointer") == "/brand");
        return text(fault, "code");
    };
    CHECK(refused("Your code is 123456. Enter it at") == "too_long");
    CHECK(refused("Win! Call us") == "format");
    CHECK(refused("Call 0800 123 456") == "digits");
    CHECK(refused("Go to evil.com") == "domain_name");
    CHECK(caller.get("/v1/settings").json().at("brand").is_null());
    CHECK(set(caller, "O'Neil & Sons").status == 200);

    // All faults that depend on other settings are reported together.
    auto const both = caller.patch(
        "/v1/settings", body({{"brand", "evil.com"}, {"resetUrl", "https://elsewhere.example/reset"}}));
    CHECK(both.json().at("errors").as_array().size() == 2);

    auto master = world.as_master();
    constexpr char const* special = "Booking.com (24/7): 0800 1234";
    REQUIRE(set(master, special).status == 200);
    CHECK(shows(world, special));
    auto const settings = caller.get("/v1/settings").json().as_object();
    CHECK(text(settings, "brand") == special);
    for (auto const& member : settings)
        CHECK(member.key().find("perator") == std::string::npos);

    // The owner may change other settings, and send the operator's brand again.
    CHECK(caller.patch("/v1/settings", body({{"signUp", "closed"}})).status == 200);
    CHECK(set(caller, special).status == 200);
    CHECK(shown_brand(world) == special);
    // Once it is replaced, only the operator may set it again.
    CHECK(set(caller, "Teapots").status == 200);
    CHECK(refused(special) == "format");
    CHECK(shows(world, "Teapots"));
    REQUIRE(set(master, special).status == 200);
    CHECK(caller.patch("/v1/settings", R"({"brand":null})").status == 200);
    CHECK(refused(special) == "format");
}

TEST_CASE("a brand from before the rule is not sent, unless the operator sets it again", "[settings]")
{
    World const world;
    auto const store = [&](std::string const& brand) {
        REQUIRE(world.as_master().patch("/v1/settings", body({{"brand", "Acme"}})).status == 200);
        world.postgres.query("UPDATE scope_settings SET document = (document - 'brandByOperator') || "
                             "jsonb_build_object('brand', '" +
                             brand + "') WHERE scope_id = " + world.scope_id("demo-sandbox"));
    };
    store("Lottery: claim at evil.com");
    CHECK(shows(world, "A tenant")); // the display name
    auto const ada = world.new_account_with_sms();
    CHECK(text(world.messages_to(ada.phone).back(), "body").starts_with("A tenant: "));
    store("Teapots");
    CHECK(shows(world, "Teapots"));
    store("Tea: since 1897");
    CHECK(shows(world, "A tenant"));
    REQUIRE(world.as_master().patch("/v1/settings", body({{"brand", "Tea: since 1897"}})).status == 200);
    CHECK(shows(world, "Tea: since 1897"));
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
    for (auto const* path :
        {"/login", "/register", "/enroll", "/reset", "/reset?token=abc", "/verify-email?token=abc",
            "/invite?token=abc", "/confirm-email?token=abc", "/revert-email?token=abc"}) {
        INFO(path);
        auto const page = world.client().get(path);
        REQUIRE(page.status == 200);
        CHECK(page.header("content-type").starts_with("text/html"));
        CHECK(page.body.find("<script>alert") == std::string::npos);
        CHECK(page.body.find("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&apos;&amp;") != std::string::npos);
        CHECK(page.body.find("{{") == std::string::npos);
        CHECK(page.body.find("://") == std::string::npos); // no content from other hosts
        auto const& policy = page.header("content-security-policy");
        CHECK(policy.find("default-src 'none'") != std::string::npos);
        CHECK(policy.find("unsafe") == std::string::npos);
        CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
        CHECK(page.header("referrer-policy") == "strict-origin");
        CHECK(page.header("cache-control") == "no-store");
        CHECK(world.client("nobody").get(path).status == 404);
    }
    auto const page = world.client().get("/enroll");
    for (auto const* consent : {World::provider, "Message frequency varies",
             "Message and data rates may apply", "STOP to opt out", "HELP for"})
        CHECK(page.body.find(consent) != std::string::npos);
    auto const script = world.client().get("/pages.js");
    CHECK(script.header("content-type").starts_with("text/javascript"));
    for (auto const* storage : {"localStorage", "sessionStorage", "document.cookie", "innerHTML", "://"})
        CHECK(script.body.find(storage) == std::string::npos);
    auto const style = world.client().get("/pages.css");
    CHECK(style.header("content-type").starts_with("text/css"));
    for (auto at = style.body.find("url("); at != std::string::npos; at = style.body.find("url(", at + 1))
        CHECK(style.body.substr(at).starts_with("url(\"data:"));
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
