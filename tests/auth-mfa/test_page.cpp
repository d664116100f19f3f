#include "emails.hpp"
#include "images.hpp"
#include "support/certificates.hpp"
#include "support/file.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

// The hosted pages in Chromium.

namespace {

namespace json = boost::json;

/// Runs a script of node/ on the pages of `demo-sandbox`. While it runs, it moves the clock of the service
/// with files `advance`, which contain seconds.
void run_script(World const& world, std::string const& name, json::object input = {})
{
    auto const folder = world.directory.path();
    auto const now = world.clock.now().time_since_epoch();
    input["origin"] = "http://demo-sandbox.auth.localhost:" + std::to_string(world.host->port());
    input["folder"] = folder;
    input["now"] = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    std::ofstream(folder + "/input.json") << json::serialize(input);
    auto const output = folder + "/output", wish = folder + "/advance";
    testing::Process script(
        {.argv = {"node", NPM_FOLDER "/" + name, folder + "/input.json"}, .output = output});
    auto const end = std::chrono::steady_clock::now() + 5min;
    while (!script.wait(20ms) && std::chrono::steady_clock::now() < end) {
        if (!std::filesystem::exists(wish)) continue;
        world.clock.advance(std::chrono::seconds(std::stoll(testing::read_file(wish))));
        std::filesystem::remove(wish);
    }
    auto const said = testing::read_file(output);
    INFO(said);
    CHECK(said.ends_with("done\n"));
}

/// Cookies and certificates are checked with the time of the machine.
World::Options today()
{
    return {.now = core::SystemClock().now()};
}

constexpr char const* brand = "Demo & <Sons>";

} // namespace

TEST_CASE("an account gets an app, recovery codes and a phone, and signs in with each", "[page]")
{
    World const world(today());
    world.set({{"brand", brand}});
    run_script(world, "pages_account.mjs", {{"brand", brand}, {"provider", World::provider}});
}

TEST_CASE("a passkey signs in, confirms and is removed", "[page]")
{
    World const world(today());
    run_script(world, "pages_passkeys.mjs");
}

TEST_CASE("links of emails work once, and sign-ins end in other browsers", "[page]")
{
    World const world(today());
    auto const email = World::new_email();
    invite(world, email);
    run_script(world, "pages_links.mjs", {{"invited", email}});
}

TEST_CASE("pages work without JavaScript", "[page]")
{
    World const world(today());
    run_script(world, "pages_plain.mjs");
}

TEST_CASE("pages work with the keyboard, and in the chosen language", "[page]")
{
    World const world(today());
    run_script(world, "pages_keyboard.mjs");
}

TEST_CASE("pages of other origins cannot frame, send or read the hosted pages", "[page]")
{
    World const world(today());
    run_script(world, "pages_attacks.mjs");
}

TEST_CASE("pages fit every screen, are accessible and small", "[page]")
{
    World const world(today());
    auto const [part, language] = GENERATE(table<char const*, char const*>(
        {{"entry", "ar"}, {"enrolment", "de"}, {"account", "en"}, {"authorization", "de"}}));
    INFO(part);
    world.set({{"brand", "Donaudampfschifffahrtsgesellschaft Aktiengesellschaft & <Söhne>"},
        {"accentColor", "#ffd500"},
        {"identityProviders", json::array{json::object{{"issuer", "https://id.example.com"}, {"name", "Acme"},
                                  {"clientId", "app"}, {"clientSecret", "s"}}}}});
    auto owner = world.as_master();
    REQUIRE(
        owner.put("/v1/settings/logo", make_png(600, 120), {{"Content-Type", "image/png"}}).status == 200);
    std::string const redirect_uri = "https://shop.example.com/callback";
    auto const client = owner.post("/v1/clients", body({{"name", "Gartenmöbelhaus & Co"}, {"type", "public"},
                                                      {"redirectUris", json::array{redirect_uri}}}));
    REQUIRE(client.status == 201);
    run_script(world, "pages_looks.mjs",
        {{"part", part}, {"language", language}, {"client", text(client.json(), "clientId")},
            {"redirectUri", redirect_uri}});
}

TEST_CASE("pages of a tenant's own sites can trust the browser", "[page]")
{
    World const world({.now = core::SystemClock().now(), .base_host = "auth.example.com"});
    json::array const origins{"https://shop.example", "https://other.example", "https://app.example.com"};
    REQUIRE(world.as_master().patch("/v1/settings", body({{"allowedOrigins", origins}})).status == 200);
    auto const ada = world.new_account_with_totp();
    std::string const auth_host = "demo-sandbox.auth.example.com";
    testing::Authority authority;
    auto const certificate = authority.issue("DNS:" + auth_host);
    auto const port = testing::free_port();
    auto const folder = world.directory.path();
    json::array recovery_codes(ada.recovery_codes.begin(), ada.recovery_codes.end());
    json::object const input{{"service", "http://127.0.0.1:" + std::to_string(world.host->port())},
        {"authHost", auth_host}, {"email", ada.email}, {"password", ada.password},
        {"recoveryCodes", std::move(recovery_codes)}, {"key", certificate.key},
        {"certificate", certificate.file}, {"port", port},
        {"arguments", json::array{"--test-third-party-cookie-phaseout",
                          "--host-resolver-rules=MAP *:443 127.0.0.1:" + std::to_string(port)}}};
    std::ofstream(folder + "/input.json") << json::serialize(input);
    auto const output = testing::output_of(
        {"node", NPM_FOLDER "/devices.mjs", folder + "/input.json"}, std::chrono::minutes(4));
    INFO(output);
    CHECK(output.ends_with("done\n"));
}
