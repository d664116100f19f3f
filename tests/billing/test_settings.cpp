#include "config.hpp"
#include "crypto/keyring.hpp"
#include "storage/settings.hpp"
#include "support/config.hpp"
#include "support/cross_origin.hpp"
#include "tenancy/settings.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

namespace {

namespace settings = billing::settings;
namespace json = boost::json;

constexpr auto fresh =
    R"({"purchasesSecret":false,"purchasesSecretPrevious":false,"purchasesSecretSandbox":false,)"
    R"("paymentsSigningSecrets":false,"purchasesApiKey":false,"paymentsApiKey":false,)"
    R"("pastDueIsActive":false,"renewalLeewaySeconds":3600,"allowedOrigins":[]})";

/// The response for settings that differ from the defaults in these members.
json::object fresh_with(json::object const& changes)
{
    auto all = json::parse(fresh).as_object();
    for (auto const& change : changes)
        all.at(change.key()) = change.value();
    return all;
}

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
    CHECK(set.json() == fresh_with({{"purchasesSecret", true}, {"paymentsSigningSecrets", true},
                            {"purchasesApiKey", true}, {"pastDueIsActive", true}}));
    CHECK(sandbox.get("/v1/settings").body == set.body);
    CHECK(sandbox.get("/v1/settings").header("etag") == set.header("etag"));
    CHECK(world.as_backend("other").get("/v1/settings").body == fresh);

    auto const cleared = production.patch(
        "/v1/settings", R"({"purchasesSecret":null,"paymentsSigningSecrets":[],"pastDueIsActive":null})");
    CHECK(cleared.json() == fresh_with({{"purchasesApiKey", true}}));
    CHECK(sandbox.get("/v1/settings").body == cleared.body);
    CHECK(production.patch("/v1/settings", R"({"pastDueIsActive":true})", {{"If-Match", set.header("etag")}})
              .status == 412);
}

TEST_CASE("each secret is set and cleared on its own", "[settings]")
{
    World const world(World::Options{.configured = false});
    auto backend = world.as_backend("demo");
    for (std::string const name : {"purchasesSecret", "purchasesSecretPrevious", "purchasesSecretSandbox",
             "purchasesApiKey", "paymentsApiKey"}) {
        CAPTURE(name);
        CHECK(backend.patch("/v1/settings", body({{name, "hush"}})).json() == fresh_with({{name, true}}));
        CHECK(backend.patch("/v1/settings", body({{name, nullptr}})).body == fresh);
    }
    CHECK(backend
              .patch("/v1/settings",
                  R"({"paymentsSigningSecrets":["one",{"secret":"two","environment":"sandbox"}]})")
              .json() == fresh_with({{"paymentsSigningSecrets", true}}));
    CHECK(backend.patch("/v1/settings", R"({"paymentsSigningSecrets":null})").body == fresh);
}

TEST_CASE("the renewal leeway is 3600 seconds by default, and null resets it", "[settings]")
{
    World const world(World::Options{.configured = false});
    auto backend = world.as_backend("demo");
    for (int const seconds : {0, 86400, 60}) {
        auto const set = backend.patch("/v1/settings", body({{"renewalLeewaySeconds", seconds}}));
        CHECK(set.json() == fresh_with({{"renewalLeewaySeconds", seconds}}));
    }
    CHECK(world.as_backend("demo-sandbox").get("/v1/settings").json().at("renewalLeewaySeconds") == 60);
    CHECK(backend.patch("/v1/settings", R"({"renewalLeewaySeconds":null})").body == fresh);
}

TEST_CASE(
    "a change of the settings that decide access is archived as an event in both environments", "[settings]")
{
    World const world(World::Options{.configured = false});
    auto const archived = [&](std::string const& tenant) {
        auto backend = world.as_backend(tenant);
        json::array settings;
        for (auto const& event : all_items(backend, "/v1/events?type=SETTINGS"))
            settings.push_back(json::array{
                event.at("payload").at("pastDueIsActive"), event.at("payload").at("renewalLeewaySeconds")});
        return settings;
    };
    auto const set = [&](json::object const& changes) {
        require(200, world.as_master("demo").patch("/v1/settings", body(changes)));
    };
    // Settings that do not change, and settings that do not decide access, make no event.
    set({{"pastDueIsActive", false}, {"renewalLeewaySeconds", 3600}, {"purchasesSecret", "x"}});
    set({{"pastDueIsActive", nullptr}, {"renewalLeewaySeconds", nullptr}});
    CHECK(archived("demo").empty());
    set({{"pastDueIsActive", true}});
    set({{"pastDueIsActive", true}});
    set({{"renewalLeewaySeconds", 0}});
    set({{"renewalLeewaySeconds", nullptr}, {"pastDueIsActive", false}});
    for (std::string const tenant : {"demo", "demo-sandbox"}) // newest first
        CHECK(archived(tenant) ==
              json::array{json::array{false, 3600}, json::array{true, 0}, json::array{true, 3600}});
    CHECK(archived("other").empty());
}

TEST_CASE("the settings can be changed only with a credential of production", "[settings]")
{
    World const world(World::Options{.configured = false});
    auto const change = R"({"purchasesSecretSandbox":"x","paymentsApiKey":"x","renewalLeewaySeconds":0})";
    CHECK(error_of(world.as_backend("demo-sandbox").patch("/v1/settings", change)) == "FORBIDDEN");
    CHECK(error_of(world.as_user("ada", "owner").patch("/v1/settings", change)) == "FORBIDDEN");
    CHECK(world.as_backend("demo-sandbox").get("/v1/settings").body == fresh);
    CHECK(world.as_user("ada", "owner", "demo").patch("/v1/settings", change).status == 200);
}

TEST_CASE("secrets of the settings never appear in responses, logs or audit entries, and are sealed in the "
          "database",
    "[settings]")
{
    World world(World::Options{.configured = false});
    auto backend = world.as_backend("demo");
    auto const set = backend.patch("/v1/settings",
        R"({"purchasesSecret":"hush-1","paymentsSigningSecrets":["hush-2",{"secret":"hush-3","environment":"any"},)"
        R"({"secret":"hush-4","environment":"sandbox"}],"purchasesApiKey":"hush-5",)"
        R"("paymentsApiKey":"hush-6","purchasesSecretPrevious":"hush-7","purchasesSecretSandbox":"hush-8"})");
    REQUIRE(set.status == 200);
    CHECK(set.body.find("hush") == std::string::npos);
    for (auto const* wrong : {R"({"purchasesSecret":"hush-9\n"})", R"({"paymentsApiKey":"hush 9"})",
             R"({"paymentsSigningSecrets":[{"secret":"hush-9","environment":"hush"}]})"}) {
        auto const refused = backend.patch("/v1/settings", wrong);
        CHECK(refused.status == 400);
        CHECK(refused.body.find("hush") == std::string::npos);
    }
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
    world.as_backend("demo").patch("/v1/settings", R"({"paymentsApiKey":"sk","renewalLeewaySeconds":60})");
    for (std::string const tenant : {"demo", "demo-sandbox"}) {
        auto const entry =
            world.as_backend(tenant).get("/v1/audit?action=settings.updated").json().at("items").at(0);
        CHECK(entry.at("before") == json::object{{"paymentsApiKey", false}, {"renewalLeewaySeconds", 3600}});
        CHECK(entry.at("after") == json::object{{"paymentsApiKey", true}, {"renewalLeewaySeconds", 60}});
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
             {R"({"paymentsSigningSecrets":[{"secret":"","environment":"staging"},{},7,null]})",
                 "/paymentsSigningSecrets/0/secret too_short\n"
                 "/paymentsSigningSecrets/0/environment not_allowed\n"
                 "/paymentsSigningSecrets/1/secret required\n"
                 "/paymentsSigningSecrets/1/environment required\n"
                 "/paymentsSigningSecrets/2 type\n/paymentsSigningSecrets/3 type"},
             {R"({"purchasesSecretPrevious":"","purchasesSecretSandbox":7,"paymentsApiKey":"a b",)"
              R"("renewalLeewaySeconds":86401})",
                 "/purchasesSecretPrevious too_short\n/purchasesSecretSandbox type\n/paymentsApiKey format\n"
                 "/renewalLeewaySeconds range"},
             {R"({"renewalLeewaySeconds":-1})", "/renewalLeewaySeconds range"},
             {R"({"renewalLeewaySeconds":0.5})", "/renewalLeewaySeconds type"},
             {R"({"renewalLeewaySeconds":"3600"})", "/renewalLeewaySeconds type"},
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
            .patch("/v1/settings", R"({"purchasesSecret":"one","paymentsSigningSecrets":["two",)"
                                   R"({"secret":"three","environment":"sandbox"}],"paymentsApiKey":"four",)"
                                   R"("purchasesSecretPrevious":"five","purchasesSecretSandbox":"six"})")
            .status == 200);
    auto const next =
        crypto::Keyring::parse("next:" + std::string(43, 'Q') + "=," + testing::encryption_keys);
    pg::Database database({.url = world.postgres.service_url(), .threads = 1});
    core::Scope const production{core::ScopeId{std::stoll(world.scope_id("demo"))}, "demo"};
    auto const reencrypt = [&](core::Scope const& scope) {
        return database.transact_blocking(
            scope, [&](pg::Tx& tx) { return settings::reencrypt(tx, scope, next); });
    };
    CHECK(reencrypt(production) == 6);
    CHECK(reencrypt(production) == 0);
    CHECK(reencrypt(core::Scope::of(production.tenant_id(), core::Environment::sandbox, "demo")) == 0);

    auto const document = json::parse(document_of(world)).as_object();
    auto const id = production.tenant_id();
    auto const secrets_of = [&](billing::Provider provider, core::TenantId tenant_id) {
        return settings::provider_settings(document, provider, tenant_id, next).webhook_secrets;
    };
    auto const of_purchases = secrets_of(billing::Provider::purchases, id);
    REQUIRE(of_purchases.size() == 3);
    CHECK(of_purchases[0].value.reveal() == "one");
    CHECK(of_purchases[1].value.reveal() == "five");
    CHECK(of_purchases[2].value.reveal() == "six");
    auto const of_payments = secrets_of(billing::Provider::payments, id);
    REQUIRE(of_payments.size() == 2);
    CHECK(document.at("paymentsSigningSecrets").at(0).is_string()); // as earlier versions store each secret
    CHECK(of_payments[0].value.reveal() == "two");
    CHECK(of_payments[0].environment == settings::SecretEnvironment::any);
    CHECK(of_payments[1].value.reveal() == "three");
    CHECK(of_payments[1].environment == settings::SecretEnvironment::sandbox);
    CHECK_THROWS_AS(
        secrets_of(billing::Provider::purchases, core::TenantId{core::number(id) + 1}), std::runtime_error);
    CHECK(settings::purchases_api_key(document, id, next).empty());
    CHECK(settings::payments_api_key(document, id, next).reveal() == "four");
    CHECK(settings::has_payments_api_key(document));
    CHECK_FALSE(settings::has_purchases_api_key(document));
}

TEST_CASE("the base URLs of the providers' APIs are validated", "[settings]")
{
    auto const read = [](testing::Variables variables) {
        variables.try_emplace("JWKS_FILE", "/tmp/jwks.json");
        auto config = testing::config_of("BILLING", std::move(variables));
        auto const urls = billing::Config::read(config);
        auto const faults = testing::faults_of(config);
        return faults.empty() ? urls.purchases_api_url + ' ' + urls.payments_api_url : faults;
    };
    CHECK(read({}) == "https://api.revenuecat.com https://api.stripe.com");
    CHECK(read({{"PAYMENTS_API_URL", "http://127.0.0.1:9"}}) ==
          "https://api.revenuecat.com http://127.0.0.1:9");
    for (std::string const name : {"PURCHASES_API_URL", "PAYMENTS_API_URL"})
        CHECK_THAT(read({{name, "ftp://api.example.com"}}), Catch::Contains(name));
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
