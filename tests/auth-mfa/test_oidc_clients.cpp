#include "support/certificates.hpp"
#include "support/file.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <fstream>

// OpenID Connect with clients that other people wrote: openid-client in Node, oidc-client-ts in Chromium, and
// mod_auth_openidc in Apache httpd. Catch2 starts a script of node/, which starts the client.

namespace {

namespace json = boost::json;

/// The clients check tokens with the time of the machine. The URLs in the metadata have the port.
World::Options for_clients()
{
    return {.now = core::SystemClock().now(), .port = testing::free_port()};
}

json::object as_json(Account const& account)
{
    return {{"email", account.email}, {"password", account.password}, {"userId", account.user_id},
        {"recoveryCodes", json::array(account.recovery_codes.begin(), account.recovery_codes.end())}};
}

/// Runs a script of node/ with the users `user` and, with a second factor, `strongUser`. While it runs, the
/// clock of the service follows the time of the machine.
void run_script(World const& world, std::string const& name, std::string const& issuer, json::object input)
{
    auto const folder = world.directory.path();
    input["origin"] = issuer;
    input["service"] = "http://127.0.0.1:" + std::to_string(world.host->port());
    input["folder"] = folder;
    input["masterKey"] = testing::master_key;
    input["user"] = as_json(world.new_account());
    input["strongUser"] = as_json(world.new_account_with_totp());
    std::ofstream(folder + "/input.json") << json::serialize(input);
    auto const output = folder + "/output";
    testing::Process script(
        {.argv = {"node", NPM_FOLDER "/" + name, folder + "/input.json"}, .output = output});
    auto const end = std::chrono::steady_clock::now() + 5min;
    while (!script.wait(1s) && std::chrono::steady_clock::now() < end)
        world.clock.set(core::SystemClock().now());
    auto const said = testing::read_file(output);
    INFO(said);
    CHECK(said.ends_with("done\n"));
}

std::string local_issuer(World const& world)
{
    return "http://demo-sandbox.auth.localhost:" + std::to_string(world.host->port());
}

} // namespace

TEST_CASE("openid-client signs users in, refreshes, revokes and signs out", "[oidc][peers]")
{
    World const world(for_clients());
    run_script(world, "openid_client.mjs", local_issuer(world), {});
}

TEST_CASE("Apache with mod_auth_openidc protects pages", "[oidc][peers]")
{
    World const world(for_clients());
    json::array ports;
    for (int i = 0; i < 5; ++i)
        ports.emplace_back(testing::free_port());
    run_script(world, "apache.mjs", local_issuer(world), {{"ports", std::move(ports)}});
}

TEST_CASE("a single-page app of another site signs users in with oidc-client-ts", "[oidc][page]")
{
    World const world(for_clients());
    auto const app = "http://localhost:" + std::to_string(testing::free_port());
    run_script(world, "single_page_app.mjs", local_issuer(world), {{"app", app}, {"sameSite", false}});
}

TEST_CASE("a single-page app of the issuer's site renews its tokens in a hidden frame", "[oidc][page]")
{
    World const world({.now = core::SystemClock().now(), .base_host = "auth.example.com"});
    std::string const auth_host = "demo-sandbox.auth.example.com";
    testing::Authority authority;
    auto const certificate = authority.issue("DNS:" + auth_host);
    auto const port = testing::free_port();
    run_script(world, "single_page_app.mjs", "https://" + auth_host,
        {{"app", "https://app.example.com"}, {"sameSite", true}, {"key", certificate.key},
            {"certificate", certificate.file}, {"port", port},
            {"arguments", json::array{"--host-resolver-rules=MAP *:443 127.0.0.1:" + std::to_string(port)}}});
}
