#include "crypto/jwt.hpp"
#include "crypto/keyring.hpp"
#include "domain/identity_provider.hpp"
#include "factors.hpp"
#include "pg/database.hpp"
#include "storage/provider_secrets.hpp"
#include "support/json.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <map>

// The setting `identityProviders` with clients for the hosted pages.

namespace {

namespace json = boost::json;

constexpr char const* secret = "a-client-secret";

json::object provider(json::object const& changes = {})
{
    json::object made{{"name", "acme"}, {"issuer", "https://id.example.com"}, {"clientId", "app"},
        {"clientSecret", secret}};
    for (auto const& [name, value] : changes)
        made[name] = value;
    return made;
}

testing::HttpResponse set(testing::HttpClient& caller, json::array const& providers)
{
    return caller.patch("/v1/settings", body({{"identityProviders", providers}}));
}

json::object shown(testing::HttpClient& caller)
{
    return caller.get("/v1/settings").json().at("identityProviders").at(0).as_object();
}

std::string sealed_in(World const& world)
{
    return world.postgres.query(
        "SELECT document->'identityProviders'->0->>'sealedSecret' FROM scope_settings "
        "WHERE scope_id = " +
        world.scope_id("demo-sandbox"));
}

} // namespace

TEST_CASE("an identity provider may have a client, whose secret is never shown", "[settings]")
{
    World world;
    auto caller = world.as(world.new_owner());
    auto const made = testing::require(200, set(caller, {provider()}));
    json::object const expected{{"name", "acme"}, {"type", "oidc"}, {"issuer", "https://id.example.com"},
        {"audience", "app"}, {"clientId", "app"}, {"hasClientSecret", true}};
    CHECK(made.json().at("identityProviders") == json::array{expected});
    CHECK(shown(caller) == expected);
    auto const sealed = sealed_in(world);
    CHECK(sealed.find(':') != std::string::npos);
    auto const audit = world.as_master().get("/v1/audit").body;
    CHECK(audit.find("hasClientSecret") != std::string::npos);
    auto const everywhere =
        made.body + caller.get("/v1/settings").body + audit + world.logged() +
        world.postgres.query(
            "SELECT document::text FROM scope_settings WHERE scope_id = " + world.scope_id("demo-sandbox"));
    CHECK(everywhere.find(secret) == std::string::npos);
    CHECK((made.body + audit + world.logged()).find(sealed) == std::string::npos);
}

TEST_CASE("a client secret is kept until it is replaced or removed, or its recipient changes", "[settings]")
{
    World const world;
    auto caller = world.as(world.new_owner());
    REQUIRE(set(caller, {provider()}).status == 200);
    auto const before = sealed_in(world);
    auto kept = shown(caller); // a client sends the list back as it has read it
    kept["displayName"] = "Acme ID";
    REQUIRE(set(caller, {kept}).status == 200);
    CHECK(sealed_in(world) == before);

    auto const replaced = set(caller, {provider({{"clientSecret", "another"}})});
    REQUIRE(replaced.status == 200);
    CHECK(sealed_in(world) != before);

    SECTION("null removes it")
    {
        REQUIRE(set(caller, {provider({{"clientSecret", nullptr}})}).status == 200);
        CHECK_FALSE(shown(caller).at("hasClientSecret").as_bool());
    }
    // Otherwise an owner could let the service send a secret that the owner does not know to another server.
    for (auto const& [name, value] : json::object{{"issuer", "https://evil.example.com"},
             {"clientId", "other"}, {"tokenEndpoint", "https://evil.example.com/token"},
             {"authorizationEndpoint", "https://evil.example.com/authorize"}}) {
        DYNAMIC_SECTION("another " << std::string_view(name))
        {
            auto changed = shown(caller);
            changed.erase("audience");
            changed[name] = value;
            REQUIRE(set(caller, {changed}).status == 200);
            CHECK_FALSE(shown(caller).at("hasClientSecret").as_bool());
        }
    }
}

TEST_CASE("a provider without a client is stored and shown as before", "[settings]")
{
    World const world;
    auto caller = world.as(world.new_owner());
    json::object const plain{{"issuer", "https://id.example.com"}, {"audience", "app"},
        {"jwksUrl", "https://id.example.com/jwks"}};
    REQUIRE(set(caller, {plain}).status == 200);
    CHECK(shown(caller) == plain);
    CHECK(world.client().get("/oauth/external/acme").status == 404);
}

TEST_CASE("Apple and GitHub have fixed issuers", "[settings]")
{
    World const world;
    auto caller = world.as(world.new_owner());
    auto const pem = crypto::SigningKey::generate().to_pem();
    json::object apple{{"name", "apple"}, {"type", "apple"}, {"clientId", "com.example.web"},
        {"teamId", "TEAM123456"}, {"keyId", "KEY1234567"}, {"privateKey", pem.reveal()}};
    json::object const github{
        {"name", "github"}, {"type", "github"}, {"clientId", "Iv1.1"}, {"clientSecret", secret}};
    auto const made = testing::require(200, set(caller, {apple, github})).json().at("identityProviders");
    CHECK(made.at(0) == json::object{{"name", "apple"}, {"type", "apple"},
                            {"issuer", "https://appleid.apple.com"}, {"audience", "com.example.web"},
                            {"clientId", "com.example.web"}, {"teamId", "TEAM123456"},
                            {"keyId", "KEY1234567"}, {"hasPrivateKey", true}});
    CHECK(text(made.at(1), "issuer") == "https://github.com/login/oauth");
    for (auto const& [without, pointer] : std::map<std::string, std::string>{
             {"apple", "/identityProviders/0/privateKey"}, {"github", "/identityProviders/0/clientSecret"}}) {
        json::object incomplete = without == "apple" ? apple : github;
        incomplete["clientId"] = "another";
        incomplete.erase("privateKey");
        incomplete.erase("clientSecret");
        CHECK(testing::faults_of(set(caller, {incomplete})) == pointer + " required");
    }
}

TEST_CASE("faults of identity providers name their fields", "[settings]")
{
    World const world;
    auto caller = world.as(world.new_owner());
    auto const faults = [&](json::object const& changes) {
        auto const r = set(caller, {provider(changes)});
        CHECK(r.status == 400);
        return r.status == 400 ? testing::faults_of(r) : std::string();
    };
    std::string const at = "/identityProviders/0/";
    for (auto const* name : {"callback", "a/b", "a b", "-a", "ä"}) {
        INFO(name);
        CHECK(faults({{"name", name}}) == at + "name format");
    }
    CHECK(faults({{"name", nullptr}}) == at + "name required");
    CHECK(faults({{"audience", "another"}}) == at + "audience not_equal");
    CHECK(faults({{"type", "saml"}}) == at + "type not_allowed");
    CHECK(faults({{"tokenEndpoint", "ftp://id.example.com"}}).starts_with(at + "tokenEndpoint"));
    CHECK(
        faults({{"authorizationEndpoint", "javascript:alert(1)"}}).starts_with(at + "authorizationEndpoint"));
    CHECK(faults({{"userinfoEndpoint", "https://user:pass@id.example.com"}})
            .starts_with(at + "userinfoEndpoint"));
    CHECK(faults({{"tokenEndpointAuthMethod", "none"}}) == at + "tokenEndpointAuthMethod not_allowed");
    CHECK(faults({{"clientSecret", ""}}) == at + "clientSecret too_short");
    CHECK(faults({{"type", "apple"}, {"teamId", "T"}, {"keyId", "K"}, {"privateKey", "nonsense"}}) ==
          at + "privateKey format");
    auto const secret_alone =
        set(caller, {json::object{{"issuer", "https://id.example.com"}, {"audience", "app"},
                        {"jwksUrl", "https://id.example.com/jwks"}, {"clientSecret", secret}}});
    CHECK(testing::faults_of(secret_alone) == at + "clientId required");
    auto const same_name = set(caller, {provider(), provider({{"clientId", "app2"}})});
    CHECK(testing::faults_of(same_name) == "/identityProviders/1 duplicate");
    CHECK(world.as_master().get("/v1/audit").body.find(secret) == std::string::npos);
}

TEST_CASE("reencrypt seals the secrets of identity providers with the first key", "[settings]")
{
    World const world;
    auto caller = world.as(world.new_owner());
    REQUIRE(set(caller, {provider()}).status == 200);
    auto const before = caller.get("/v1/settings");
    std::string const old_key = world.variables().at("ENCRYPTION_KEYS");
    auto const both = crypto::Keyring::parse("next:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=," + old_key);
    auto const next = crypto::Keyring::parse("next:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
    core::Scope const scope{core::ScopeId(std::stoll(world.scope_id("demo-sandbox"))), {}};
    pg::Database db({.url = world.postgres.service_url(), .application_name = "test", .threads = 1});
    auto const reencrypt = [&](crypto::Keyring const& keyring) {
        return db.transact_blocking(
            scope, [&](pg::Tx& tx) { return auth_mfa::provider_secrets::reencrypt(tx, scope, keyring); });
    };
    CHECK(reencrypt(both) == 1);
    CHECK(reencrypt(both) == 0);
    auto const key = auth_mfa::IdentityProvider::from_json(provider({{"audience", "app"}})).key();
    CHECK(auth_mfa::provider_secrets::open(next, scope.id, key, sealed_in(world)).equals(secret));
    CHECK_THROWS_AS(
        auth_mfa::provider_secrets::open(next, scope.id, key + "x", sealed_in(world)), std::runtime_error);
    CHECK_THROWS_AS(reencrypt(crypto::Keyring::parse(old_key)), std::runtime_error);
    CHECK(caller.get("/v1/settings").json() == before.json());
}
