#include "crypto/keyring.hpp"
#include "storage/settings.hpp"
#include "support/cross_origin.hpp"
#include "tenancy/settings.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

namespace {

namespace settings = billing::settings;
namespace json = boost::json;

constexpr auto fresh =
    R"({"purchasesSecret":false,"paymentsSigningSecrets":false,"purchasesApiKey":false,"pastDueIsActive":false,"allowedOrigins":[]})";

/// The settings document of the tenant `demo`, as stored in the database.
std::string document_of(World const& world)
{
    return world.postgres.query(R"(
        SELECT s.document::text
        FROM scope_settings s
        JOIN tenants t ON s.scope_id = t.tenant_id * 2
        WHERE t.slug = 'demo')");
}

} // namespace

TEST_CASE("settings belong to the tenant, and responses show only whether secrets are set", "[settings]")
{
    World const world(World::Options{.configured = false});
    auto sandbox = world.as_backend("demo-sandbox"), production = world.as_backend("demo");
    CHECK(sandbox.get("/v1/settings").body == fresh);

    auto const set = production.patch("/v1/settings",
        R"({"purchasesSecret":"Bearer hush-1","paymentsSigningSecrets":["whsec_hush-2","whsec_hush-3"],)"
        R"("purchasesApiKey":"sk_hush-4","pastDueIsActive":true})");
    CHECK(set.status == 200);
    auto const all =
        R"({"purchasesSecret":true,"paymentsSigningSecrets":true,"purchasesApiKey":true,"pastDueIsActive":true,"allowedOrigins":[]})";
    CHECK(set.body == all);
    CHECK(sandbox.get("/v1/settings").body == all);
    CHECK(sandbox.get("/v1/settings").header("etag") == set.header("etag"));
    CHECK(world.as_backend("other").get("/v1/settings").body == fresh);

    auto const cleared = production.patch(
        "/v1/settings", R"({"purchasesSecret":null,"paymentsSigningSecrets":[],"pastDueIsActive":null})");
    CHECK(
        cleared.body ==
        R"({"purchasesSecret":false,"paymentsSigningSecrets":false,"purchasesApiKey":true,"pastDueIsActive":false,"allowedOrigins":[]})");
    CHECK(sandbox.get("/v1/settings").body == cleared.body);
    CHECK(production.patch("/v1/settings", R"({"pastDueIsActive":true})", {{"If-Match", set.header("etag")}})
              .status == 412);
}

TEST_CASE("secrets of the settings never appear in responses, logs or audit entries, and are sealed in the "
          "database",
    "[settings]")
{
    World world(World::Options{.configured = false});
    auto backend = world.as_backend("demo");
    REQUIRE(
        backend
            .patch("/v1/settings",
                R"({"purchasesSecret":"hush-1","paymentsSigningSecrets":["hush-2"],"purchasesApiKey":"hush-3"})")
            .status == 200);
    CHECK(backend.patch("/v1/settings", R"({"purchasesSecret":"hush-4\n"})").status == 400);
    auto const audit = backend.get("/v1/audit?action=settings.updated");
    CHECK(audit.json().at("items").as_array().size() == 1);
    CHECK(audit.body.find("hush") == std::string::npos);
    CHECK(world.logged().find("hush") == std::string::npos);
    auto const document = document_of(world);
    CHECK(document.find("hush") == std::string::npos);
    CHECK(document.find("purchasesSecret") != std::string::npos);
}

TEST_CASE("a change of settings is in the audit trail of both environments", "[settings]")
{
    World const world(World::Options{.configured = false});
    world.as_backend("demo").patch("/v1/settings", R"({"purchasesSecret":"first"})");
    world.as_backend("demo").patch("/v1/settings", R"({"purchasesSecret":"second"})");
    for (std::string const tenant : {"demo", "demo-sandbox"}) {
        CAPTURE(tenant);
        auto const entries =
            world.as_backend(tenant).get("/v1/audit?action=settings.updated").json().at("items").as_array();
        REQUIRE(entries.size() == 2);
        CHECK(entries[0].at("before") == json::object{{"purchasesSecret", true}});
        CHECK(entries[0].at("after") == json::object{{"purchasesSecret", true}});
        CHECK(entries[1].at("before") == json::object{{"purchasesSecret", false}});
    }
    auto other = world.as_backend("other");
    CHECK(all_items(other, "/v1/audit?action=settings.updated").empty());
}

TEST_CASE("invalid settings are refused with all faults at once", "[settings]")
{
    World const world(World::Options{.configured = false});
    auto backend = world.as_backend("demo");
    for (auto const& [request, faults] : std::map<std::string, std::string>{
             {"{}", " required"},
             {R"({"unknown":1})", " required"},
             {R"({"purchasesSecret":"","purchasesApiKey":7,"pastDueIsActive":"yes"})",
                 "/purchasesSecret too_short\n/purchasesApiKey type\n/pastDueIsActive type"},
             {R"({"purchasesSecret":" x"})", "/purchasesSecret format"},
             {R"({"purchasesSecret":"pässwort"})", "/purchasesSecret format"},
             {R"({"purchasesApiKey":"a b"})", "/purchasesApiKey format"},
             {R"({"paymentsSigningSecrets":"whsec_1"})", "/paymentsSigningSecrets type"},
             {R"({"paymentsSigningSecrets":["whsec_1",""]})", "/paymentsSigningSecrets/1 too_short"},
             {body({{"paymentsSigningSecrets", json::array(11, "x")}}), "/paymentsSigningSecrets too_many"},
             {body({{"purchasesSecret", std::string(256, 'x')}}), "/purchasesSecret too_long"},
         }) {
        CAPTURE(request);
        auto const r = backend.patch("/v1/settings", request);
        CHECK(r.status == 400);
        CHECK(faults_of(r) == faults);
    }
    CHECK(backend.get("/v1/settings").body == fresh);
    CHECK(world.as_user("ada", "user").get("/v1/settings").status == 403);
    CHECK(world.as_user("ada", "admin").get("/v1/settings").status == 200);
    CHECK(world.client().get("/v1/settings").status == 401);
}

TEST_CASE("the command reencrypt covers the secrets of the settings", "[settings]")
{
    World const world(World::Options{.configured = false});
    REQUIRE(
        world.as_backend("demo")
            .patch("/v1/settings", R"({"purchasesSecret":"one","paymentsSigningSecrets":["two","three"]})")
            .status == 200);
    auto const next =
        crypto::Keyring::parse("next:" + std::string(43, 'Q') + "=," + testing::encryption_keys);
    pg::Database database({.url = world.postgres.service_url(), .threads = 1});
    core::Scope const production{core::ScopeId{std::stoll(world.scope_id("demo"))}, "demo"};
    auto const reencrypt = [&](core::Scope const& scope) {
        return database.transact_blocking(
            scope, [&](pg::Tx& tx) { return settings::reencrypt(tx, scope, next); });
    };
    CHECK(reencrypt(production) == 3);
    CHECK(reencrypt(production) == 0);
    CHECK(reencrypt(core::Scope::of(production.tenant_id(), core::Environment::sandbox, "demo")) == 0);

    auto const document = json::parse(document_of(world)).as_object();
    auto const id = production.tenant_id();
    auto const secrets_of = [&](billing::Provider provider, core::TenantId tenant_id) {
        return settings::provider_settings(document, provider, tenant_id, next).webhook_secrets;
    };
    CHECK(secrets_of(billing::Provider::purchases, id).at(0).reveal() == "one");
    auto const secrets = secrets_of(billing::Provider::payments, id);
    REQUIRE(secrets.size() == 2);
    CHECK(secrets[1].reveal() == "three");
    CHECK_THROWS_AS(
        secrets_of(billing::Provider::purchases, core::TenantId{core::number(id) + 1}), std::runtime_error);
    CHECK(settings::purchases_api_key(document, id, next).empty());
}

TEST_CASE("pages of a tenant's own auth host may call the API without a setting", "[settings]")
{
    World const world;
    testing::check_pages_of_auth_host(world, "PATCH", "/v1/settings");
}

TEST_CASE("pages of a tenant's allowed origins may call both of its environments", "[settings]")
{
    World const world(World::Options{.configured = false});
    auto owner = world.as_user("ada", "owner", "demo");
    CHECK(owner.get("/v1/settings").json().at("allowedOrigins") == json::array());
    auto const set = owner.patch(
        "/v1/settings", R"({"allowedOrigins":["HTTPS://App.Example.com:443","http://localhost:3000"]})");
    REQUIRE(set.status == 200);
    CHECK(set.json().at("allowedOrigins") == json::array{"https://app.example.com", "http://localhost:3000"});

    auto const allowed = [&](std::string const& tenant, std::string const& origin) {
        return world.as_backend(tenant)
            .get("/v1/products", {{"Origin", origin}})
            .header("access-control-allow-origin");
    };
    for (std::string const tenant : {"demo", "demo-sandbox"}) {
        CAPTURE(tenant);
        CHECK(eventually(
            [&] { return allowed(tenant, "https://app.example.com") == "https://app.example.com"; }));
        CHECK(allowed(tenant, "https://app.example.com:8443").empty());
        CHECK(allowed(tenant, "https://evil.example.com").empty());
        auto const asked = world.client(tenant).request("OPTIONS", "/v1/products",
            {{"Origin", "https://app.example.com"}, {"Access-Control-Request-Method", "POST"}}, std::nullopt);
        CHECK(asked.status == 204);
        CHECK(asked.header("access-control-allow-origin") == "https://app.example.com");
        CHECK(asked.header("access-control-allow-methods").find("POST") != std::string::npos);
    }
    CHECK(allowed("other", "https://app.example.com").empty());

    auto const refused =
        owner.patch("/v1/settings", R"({"allowedOrigins":["https://app.example.com/","*"]})");
    CHECK(refused.status == 400);
    CHECK(faults_of(refused) == "/allowedOrigins/0 format\n/allowedOrigins/1 format");
    auto const audit = owner.get("/v1/audit?action=settings.updated").json().at("items").as_array();
    REQUIRE(audit.size() == 1);
    CHECK(audit[0].at("before") == json::object{{"allowedOrigins", json::array()}});

    REQUIRE(owner.patch("/v1/settings", R"({"allowedOrigins":null})").status == 200);
    for (std::string const tenant : {"demo", "demo-sandbox"})
        CHECK(eventually([&] { return allowed(tenant, "https://app.example.com").empty(); }));
}
