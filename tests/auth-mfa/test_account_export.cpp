#include "account_rows.hpp"
#include "emails.hpp"
#include "factors.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

namespace {

namespace json = boost::json;

/// The lines of an export.
std::vector<json::object> lines_of(testing::HttpResponse const& response)
{
    std::vector<json::object> lines;
    std::istringstream body(response.body);
    for (std::string line; std::getline(body, line);)
        lines.push_back(json::parse(line).as_object());
    return lines;
}

std::vector<std::string> types_of(std::vector<json::object> const& lines)
{
    std::vector<std::string> types;
    for (auto const& line : lines)
        types.push_back(text(line, "type"));
    return types;
}

} // namespace

TEST_CASE("an account is exported as lines of JSON", "[export]")
{
    World const world;
    auto const owner = world.new_owner();
    auto const ada = world.new_account_with_totp();
    auto const own = world.as(ada).get("/v1/auth/me/export");
    REQUIRE(own.status == 200);
    CHECK(own.header("content-type") == "application/x-ndjson");
    auto const lines = lines_of(own);
    auto const types = types_of(lines);
    REQUIRE_FALSE(types.empty());
    CHECK(types.front() == "account");
    CHECK(text(lines.front(), "email") == ada.email);
    CHECK(lines.front().at("totp") == true);
    CHECK(lines.front().at("recoveryCodesLeft").to_number<int>() == 10);
    CHECK(std::ranges::count(types, "session") >= 1);
    CHECK(std::ranges::count(types, "activity") >= 2);
    CHECK(own.body.find("password") == std::string::npos);
    CHECK(own.body.find(ada.totp_secret) == std::string::npos);

    auto const path = "/v1/members/" + ada.user_id + "/export";
    CHECK(lines_of(world.as(owner).get(path)).front() == lines.front());
    CHECK(world.with(world.new_key()).get(path).status == 200);
    CHECK(world.as(ada).get("/v1/members/" + owner.user_id + "/export").status == 403);
    CHECK(world.as_master().get("/v1/members/0190a5d2-0000-7000-8000-0000000000ff/export").status == 404);
}

TEST_CASE("an export contains everything that is stored, in pages", "[export]")
{
    World const world;
    auto const ada = world.new_account();
    auto const path = "/v1/members/" + ada.user_id + "/export";
    constexpr int many = 101; // more than a page
    fill(world, ada, many);
    HeldOutbox const held(world);
    REQUIRE(forgot(world, ada.email).status == 202);
    auto const lines = lines_of(testing::require(200, world.as_master().get(path)));
    auto const types = types_of(lines);
    CHECK(std::ranges::count(types, "account") == 1);
    CHECK(std::ranges::count(types, "session") == many + 1);
    CHECK(std::ranges::count(types, "activity") > many);
    CHECK(std::ranges::count(types, "trusted_device") == many);
    CHECK(std::ranges::count(types, "email_link") >= many);
    CHECK(std::ranges::count(types, "email") == 1);
    auto const find = [&](std::string_view type, std::string_view name, json::value const& value) {
        return std::ranges::find_if(lines, [&](json::object const& line) {
            return text(line, "type") == type && line.at(name) == value;
        }) != lines.end();
    };
    CHECK(find("session", "endedAt", nullptr));
    CHECK(find("session", "userAgent", "old browser")); // ended, and kept for some days
    CHECK(find("email_link", "email", "old@example.com"));
    CHECK(find("email", "kind", "reset_password"));
    CHECK(find("email", "email", json::value(ada.email)));
}
