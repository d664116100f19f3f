#include "images.hpp"
#include "support/eventually.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

namespace {

testing::HttpResponse put_logo(testing::HttpClient& by, std::string const& image,
    std::string const& type = "image/png", testing::HttpClient::Headers headers = {})
{
    headers.emplace_back("Content-Type", type);
    return by.put("/v1/settings/logo", image, headers);
}

/// Changes settings and expects that one of them is refused.
std::string refused(testing::HttpClient& by, boost::json::object const& settings, std::string const& pointer)
{
    auto const r = by.patch("/v1/settings", body(settings));
    CHECK(r.status == 400);
    auto const& errors = r.json().at("errors").as_array();
    REQUIRE(errors.size() == 1);
    CHECK(text(errors[0], "pointer") == pointer);
    return text(errors[0], "code");
}

/// The newest entries of the audit log whose action begins so.
std::vector<std::string> audited(testing::HttpClient& by, std::string const& beginning)
{
    std::vector<std::string> actions;
    for (auto const& item : all_items(by, "/v1/audit"))
        if (auto action = text(item, "action"); action.starts_with(beginning))
            actions.push_back(std::move(action));
    return actions;
}

} // namespace

TEST_CASE("an owner sets the accent colour", "[branding]")
{
    World const world;
    auto owner = world.as(world.new_owner());
    CHECK(owner.get("/v1/settings").json().at("accentColor").is_null());
    auto const set = owner.patch("/v1/settings", R"({"accentColor":"#1D4ed8"})");
    REQUIRE(set.status == 200);
    CHECK(text(set.json(), "accentColor") == "#1d4ed8");
    CHECK(refused(owner, {{"accentColor", "#fff"}}, "/accentColor") == "format");
    CHECK(refused(owner, {{"accentColor", "red"}}, "/accentColor") == "format");
    CHECK(refused(owner, {{"accentColor", "#1d4ed8}"}}, "/accentColor") == "format");
    CHECK(refused(owner, {{"accentColor", 7}}, "/accentColor") == "type");
    CHECK(text(owner.get("/v1/settings").json(), "accentColor") == "#1d4ed8");
    CHECK(world.as_master("demo").get("/v1/settings").json().at("accentColor").is_null());
    auto const removed = owner.patch("/v1/settings", R"({"accentColor":null})");
    REQUIRE(removed.status == 200);
    CHECK(removed.json().at("accentColor").is_null());
}

TEST_CASE("the RP id of passkeys fits the allowed origins", "[branding]")
{
    World const world;
    auto owner = world.as(world.new_owner());
    CHECK(owner.get("/v1/settings").json().at("passkeyRpId").is_null());
    CHECK(refused(owner, {{"passkeyRpId", "example.com"}}, "/passkeyRpId") == "origin");
    auto const set = owner.patch("/v1/settings",
        body({{"passkeyRpId", "example.com"}, {"allowedOrigins", {"https://app.example.com"}}}));
    REQUIRE(set.status == 200);
    CHECK(text(set.json(), "passkeyRpId") == "example.com");
    CHECK(refused(owner, {{"allowedOrigins", {"https://app.example.org"}}}, "/passkeyRpId") == "origin");
    CHECK(refused(owner, {{"allowedOrigins", nullptr}}, "/passkeyRpId") == "origin");
    CHECK(owner.patch("/v1/settings", body({{"allowedOrigins", {"https://www.example.com"}}})).status == 200);
    CHECK(refused(owner, {{"passkeyRpId", "com"}}, "/passkeyRpId") == "public_suffix");
    CHECK(refused(owner, {{"passkeyRpId", "Example.com"}}, "/passkeyRpId") == "format");
    CHECK(refused(owner, {{"passkeyRpId", "auth.localhost"}}, "/passkeyRpId") == "reserved");
    CHECK(refused(owner, {{"passkeyRpId", "demo.auth.localhost"}}, "/passkeyRpId") == "reserved");
    CHECK(refused(owner, {{"passkeyRpId", ""}}, "/passkeyRpId") == "too_short");

    // The own auth host is allowed, and needs no origin.
    CHECK(owner
              .patch("/v1/settings",
                  body({{"passkeyRpId", "demo-sandbox.auth.localhost"}, {"allowedOrigins", nullptr}}))
              .status == 200);
    auto const removed = owner.patch("/v1/settings", R"({"passkeyRpId":null})");
    REQUIRE(removed.status == 200);
    CHECK(removed.json().at("passkeyRpId").is_null());
}

TEST_CASE("an owner sets, replaces and deletes the logo", "[branding]")
{
    World const world;
    auto const account = world.new_owner();
    auto owner = world.as(account);
    auto browser = world.client();
    CHECK(owner.get("/v1/settings").json().at("logo").is_null());
    CHECK(browser.get("/logo").status == 404);

    std::string const image = make_png(30, 20);
    auto const set = put_logo(owner, image);
    REQUIRE(set.status == 200);
    auto const logo = set.json();
    CHECK(text(logo, "contentType") == "image/png");
    CHECK(logo.at("width").as_int64() == 30);
    CHECK(logo.at("height").as_int64() == 20);
    CHECK(logo.at("sizeBytes").to_number<std::size_t>() == image.size());
    CHECK(text(logo, "sha256").size() == 64);
    auto const settings = owner.get("/v1/settings");
    CHECK(settings.json().at("logo") == logo);

    auto const shown = browser.get("/logo");
    REQUIRE(shown.status == 200);
    CHECK(shown.body == image);
    CHECK(shown.header("content-type") == "image/png");
    CHECK(shown.header("cache-control") == "public, max-age=300");
    CHECK(shown.header("x-content-type-options") == "nosniff");
    CHECK(shown.header("content-security-policy") == "default-src 'none'; sandbox");
    auto const& tag = shown.header("etag");
    CHECK(tag == '"' + text(logo, "sha256").substr(0, 32) + '"');
    auto const unchanged = browser.get("/logo", {{"If-None-Match", tag}});
    CHECK(unchanged.status == 304);
    CHECK(unchanged.body.empty());
    CHECK(unchanged.header("etag") == tag);

    // The same image again changes nothing.
    world.clock.advance(60s);
    auto const again = put_logo(owner, image);
    CHECK(again.status == 200);
    CHECK(again.json() == logo);
    CHECK(owner.get("/v1/settings").header("etag") == settings.header("etag"));

    // Other settings keep the logo, and the logo has its own place in the document.
    CHECK(owner.patch("/v1/settings", R"({"brand":"Teapots"})").json().at("logo") == logo);
    CHECK(owner.patch("/v1/settings", R"({"logo":null})").status == 400);

    auto const replaced = put_logo(owner, make_webp(10, 10), "image/WebP; q=1");
    REQUIRE(replaced.status == 200);
    CHECK(text(replaced.json(), "contentType") == "image/webp");
    CHECK(text(replaced.json(), "updatedAt") != text(logo, "updatedAt"));
    CHECK(browser.get("/logo", {{"If-None-Match", tag}}).body == make_webp(10, 10));
    CHECK(put_logo(owner, image, "image/png", {{"If-Match", settings.header("etag")}}).status == 412);

    CHECK(owner.del("/v1/settings/logo").body == R"({"deleted":true})");
    CHECK(owner.get("/v1/settings").json().at("logo").is_null());
    CHECK(browser.get("/logo").status == 404);
    CHECK(owner.del("/v1/settings/logo").body == R"({"deleted":true})");
    CHECK(
        audited(owner, "logo.") == std::vector<std::string>{"logo.deleted", "logo.updated", "logo.updated"});
}

TEST_CASE("environments and tenants have logos of their own", "[branding]")
{
    World const world;
    auto const image = [](std::string const& tenant) {
        return make_png(5, 5, static_cast<unsigned char>(tenant.size()));
    };
    std::vector<std::string> const tenants{"demo", "demo-sandbox", "other-sandbox"};
    for (auto const& tenant : tenants) {
        auto master = world.as_master(tenant);
        REQUIRE(put_logo(master, image(tenant)).status == 200);
    }
    for (auto const& tenant : tenants)
        CHECK(world.client(tenant).get("/logo").body == image(tenant));
    CHECK(world.client("other").get("/logo").status == 404);
    CHECK(world.as_master().del("/v1/settings/logo").status == 200);
    CHECK(world.client("demo-sandbox").get("/logo").status == 404);
    CHECK(world.client("demo").get("/logo").status == 200);
}

TEST_CASE("a logo is an image of an accepted type and size, sent by an owner", "[branding]")
{
    World const world;
    auto const account = world.new_owner();
    auto owner = world.as(account);
    auto admin = world.as(world.new_member(account, "admin"));
    CHECK(put_logo(admin, make_png(5, 5)).status == 403);
    CHECK(admin.del("/v1/settings/logo").status == 403);
    for (auto const* type : {"image/gif", "image/svg+xml", "application/json", "text/html"}) {
        INFO(type);
        CHECK(error_of(put_logo(owner, make_png(5, 5), type)) == "UNSUPPORTED_MEDIA_TYPE");
    }
    auto const fault = [&](std::string const& image, std::string const& type) {
        auto const r = put_logo(owner, image, type);
        CHECK(r.status == 400);
        CHECK(error_of(r) == "VALIDATION_ERROR");
        return text(r.json().at("errors").at(0), "detail");
    };
    CHECK(fault("<svg/>", "image/png") == "must be a complete PNG image");
    CHECK(fault(make_png(5, 5), "image/webp") == "must be a complete WebP image");
    CHECK(fault("", "image/png") == "must be a complete PNG image");
    CHECK(fault(make_png(2049, 1), "image/png").find("2048 pixels") != std::string::npos);

    // A comment makes an image as large as wanted: the chunk has 12 bytes around its data.
    std::size_t const limit = std::size_t{256} * 1024, small = make_png(5, 5).size();
    auto const of_size = [&](std::size_t size) {
        return with_png_chunk(make_png(5, 5), png_chunk("teSt", std::string(size - small - 12, 'x')));
    };
    CHECK(put_logo(owner, of_size(limit)).status == 200);
    CHECK(world.client().get("/logo").body == of_size(limit));
    CHECK(error_of(put_logo(owner, of_size(limit + 1))) == "PAYLOAD_TOO_LARGE");
}
