#include "support/process.hpp"
#include "world.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <fstream>

TEST_CASE("a browser shows the API reference on a tenant's host without requests to other hosts", "[page]")
{
    World const world;
    auto nowhere = world.client("nobody");
    auto const page =
        nowhere.get("/docs", {{"X-Tenant-Slug", "nobody"}, {"Authorization", "Bearer nonsense"}});
    CHECK(page.status == 200);
    CHECK(page.header("content-type") == "text/html; charset=utf-8");
    CHECK(nowhere.get("/docs", {{"Host", "127.0.0.1"}}).body == page.body);
    CHECK(nowhere.request("HEAD", "/docs/redoc.js").status == 200);
    CHECK(nowhere.post("/docs", "{}").status == 405);

    auto const folder = world.directory.path();
    boost::json::object const input{
        {"url", "http://demo-sandbox.service.localhost:" + std::to_string(world.host->port()) + "/docs"},
        {"screenshots", folder}};
    std::ofstream(folder + "/input.json") << boost::json::serialize(input);
    auto const output = testing::output_of(
        {"node", NPM_FOLDER "/reference.mjs", folder + "/input.json"}, std::chrono::minutes(4));
    INFO(output);
    CHECK(output.ends_with("done\n"));
}
