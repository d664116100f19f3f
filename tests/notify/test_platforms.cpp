#include "storage/carrier_configs.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

namespace carrier_configs = notify::carrier_configs;
using notify::Credential, notify::Carrier;

namespace {

/// The platform of this kind in `GET /v1/platforms`; an empty object if there is none.
boost::json::object shown(testing::HttpClient& client, std::string const& kind)
{
    auto const answer = client.get("/v1/platforms").json();
    for (auto const& platform : answer.at("platforms").as_array())
        if (text(platform, "kind") == kind) return platform.as_object();
    return {};
}

/// The table `platforms`, without a service.
struct Table {
    carrier_configs::Sealed load(core::ScopeId scope_id)
    {
        return database
            .transact_blocking(scope_id, [&](pg::Tx& tx) { return carrier_configs::load(tx, scope_id); })
            .at(0);
    }

    void put(core::Scope const& scope, Credential const& credential, crypto::Keyring const& keyring)
    {
        database.transact_blocking(
            scope, [&](pg::Tx& tx) { carrier_configs::put(tx, scope, credential, keyring); });
    }

    std::size_t reencrypt(core::Scope const& scope, crypto::Keyring const& keyring)
    {
        return database.transact_blocking(
            scope, [&](pg::Tx& tx) { return carrier_configs::reencrypt(tx, scope, keyring); });
    }

    testing::Postgres const postgres = testing::Postgres::migrated(notify::App::components(), "notify");
    pg::Database database{{.url = postgres.service_url(), .threads = 1, .queue_timeout = 30s}};
};

std::string const old_key = "old:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
std::string const new_key = "new:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";

} // namespace

TEST_CASE("push credentials are stored per environment and never shown", "[platforms]")
{
    World const world;
    auto backend = world.as_backend();
    CHECK(backend.get("/v1/platforms").body == R"({"platforms":[]})");
    auto const fcm = fcm_credential(), apns = apns_credential();

    auto const put_apns = backend.put("/v1/platforms/apns", body(apns));
    REQUIRE(put_apns.status == 200);
    CHECK(text(put_apns.json(), "kind") == "apns");
    CHECK(text(put_apns.json(), "environment") == "sandbox");
    CHECK(text(put_apns.json(), "keyId") == "ABCDE12345");
    CHECK(text(put_apns.json(), "teamId") == "TEAM123456");
    CHECK(text(put_apns.json(), "bundleId") == "com.example.demo");
    CHECK(put_apns.json().at("pausedUntil").is_null());
    CHECK(put_apns.json().at("pruningStoppedAt").is_null());
    auto const put_fcm = backend.put("/v1/platforms/fcm", body(fcm));
    REQUIRE(put_fcm.status == 200);
    CHECK(text(put_fcm.json(), "projectId") == "demo-project");
    CHECK(text(put_fcm.json(), "environment") == "sandbox");

    auto const listed = backend.get("/v1/platforms");
    CHECK(listed.json().at("platforms") == boost::json::array{put_fcm.json(), put_apns.json()});
    auto const audit = backend.get("/v1/audit?action=platform.updated");
    CHECK(audit.json().at("items").as_array().size() == 2);
    auto const sealed = world.postgres.query("SELECT string_agg(p::text, ' ') FROM platforms p");
    auto const pem = std::string(fcm.at("serviceAccountKey").at("private_key").as_string());
    auto const secret = pem.substr(pem.find('\n') + 1, 40);
    for (auto const& text : {put_apns.body, put_fcm.body, listed.body, audit.body, sealed}) {
        CHECK(text.find("PRIVATE KEY") == std::string::npos);
        CHECK(text.find(secret) == std::string::npos);
    }

    CHECK(world.as_backend("demo").get("/v1/platforms").body == R"({"platforms":[]})");
    CHECK(world.as_backend("other-sandbox").get("/v1/platforms").body == R"({"platforms":[]})");
    CHECK(world.as_backend("demo").del("/v1/platforms/fcm").status == 404);
    CHECK(backend.del("/v1/platforms/fcm").body == R"({"deleted":true})");
    CHECK(backend.del("/v1/platforms/fcm").status == 404);
    CHECK(backend.get("/v1/platforms").json().at("platforms") == boost::json::array{put_apns.json()});
    CHECK(backend.get("/v1/audit?action=platform.deleted").json().at("items").as_array().size() == 1);
}

TEST_CASE("invalid credentials are refused, and the stored credentials are kept", "[platforms]")
{
    World const world;
    auto backend = world.as_backend();
    world.put_fcm();
    auto const before = backend.get("/v1/platforms").body;
    auto fcm = fcm_credential();
    fcm["serviceAccountKey"].as_object()["private_key"] = "-----BEGIN PRIVATE KEY-----\nAAAA\n";
    auto apns = apns_credential();
    apns["privateKey"] = text(fcm.at("serviceAccountKey"), "private_key");
    apns["environment"] = "staging";

    struct Case {
        char const* path;
        std::string request, faults;
    };

    for (auto const& [path, request, faults] : {
             Case{"/v1/platforms/fcm", body(fcm), "/serviceAccountKey/private_key format"},
             Case{"/v1/platforms/fcm", "{}", "/serviceAccountKey required"},
             Case{"/v1/platforms/fcm", body(apns_credential()), "/serviceAccountKey required"},
             Case{"/v1/platforms/apns", body(apns), "/environment not_allowed\n/privateKey format"},
             Case{"/v1/platforms/apns", "{}",
                 "/keyId required\n/teamId required\n/bundleId required\n/environment required\n/privateKey "
                 "required"},
         }) {
        CAPTURE(path, request);
        auto const r = backend.put(path, request);
        CHECK(r.status == 400);
        CHECK(faults_of(r) == faults);
        CHECK(r.body.find("AAAA") == std::string::npos);
    }
    CHECK(backend.get("/v1/platforms").body == before);
    CHECK(backend.put("/v1/platforms/windows", body(fcm_credential())).status == 404);
    CHECK(backend.del("/v1/platforms/windows").status == 404);
    CHECK(world.as_app().get("/v1/platforms").status == 403);
    CHECK(world.as_app().put("/v1/platforms/fcm", body(fcm_credential())).status == 403);
    CHECK(world.as_user(ada, "admin").put("/v1/platforms/fcm", body(fcm_credential())).status == 200);
}

TEST_CASE("a pause is shown until it ends, and a new credential ends it", "[platforms]")
{
    World const world;
    auto backend = world.as_backend();
    world.put_fcm();
    world.put_apns();
    auto const until = core::to_rfc3339(world.clock.now() + 1h);
    auto const pause = [&] {
        world.postgres.query("UPDATE platforms SET paused_reason = 'PERMISSION_DENIED', paused_until = '" +
                             until + "' WHERE kind = 'fcm'");
    };
    pause();
    CHECK(text(shown(backend, "fcm"), "pausedReason") == "PERMISSION_DENIED");
    CHECK(text(shown(backend, "fcm"), "pausedUntil") == until);
    CHECK(shown(backend, "apns").at("pausedReason").is_null());
    world.put_apns();
    CHECK(text(shown(backend, "fcm"), "pausedReason") == "PERMISSION_DENIED");

    SECTION("the pause ends when its time has passed")
    {
        world.clock.advance(1h);
        CHECK(shown(backend, "fcm").at("pausedReason").is_null());
        CHECK(shown(backend, "fcm").at("pausedUntil").is_null());
    }
    SECTION("the pause ends when a credential is stored")
    {
        auto const put = backend.put("/v1/platforms/fcm", body(fcm_credential()));
        CHECK(put.json().at("pausedReason").is_null());
        CHECK(shown(backend, "fcm") == put.json());
        CHECK(world.postgres.query("SELECT count(*) FROM platforms WHERE paused_until IS NULL") == "2");
    }
}

TEST_CASE("a response shows that pruning has stopped, until a new credential is stored", "[platforms]")
{
    World const world;
    auto backend = world.as_backend();
    world.put_fcm();
    world.put_apns();
    auto const since = core::to_rfc3339(world.clock.now());
    world.postgres.query("UPDATE platforms SET pruning_stopped_at = '" + since + "' WHERE kind = 'fcm'");
    world.put_apns();
    world.clock.advance(1h);
    CHECK(text(shown(backend, "fcm"), "pruningStoppedAt") == since);
    CHECK(shown(backend, "apns").at("pruningStoppedAt").is_null());
    auto const put = backend.put("/v1/platforms/fcm", body(fcm_credential()));
    CHECK(put.json().at("pruningStoppedAt").is_null());
    CHECK(shown(backend, "fcm") == put.json());
}

TEST_CASE(
    "a sealed credential can be opened only for its scope and kind, with a key of the keyring", "[platforms]")
{
    Table table;
    core::Scope const production{core::ScopeId{2}, "demo"}, sandbox{core::ScopeId{3}, "demo"};
    auto const credential = Credential::parse(Carrier::apns, boost::json::value(apns_credential()));
    auto const before = crypto::Keyring::parse(old_key);
    auto const during = crypto::Keyring::parse(new_key + "," + old_key);
    auto const after = crypto::Keyring::parse(new_key);
    table.put(production, *credential, before);

    auto stored = table.load(core::ScopeId{2});
    CHECK(stored.carrier == Carrier::apns);
    CHECK(
        carrier_configs::open(before, core::ScopeId{2}, stored)->fingerprint() == credential->fingerprint());
    CHECK_THROWS_AS(carrier_configs::open(before, core::ScopeId{3}, stored), std::runtime_error);
    CHECK_THROWS_AS(carrier_configs::open(after, core::ScopeId{2}, stored), std::runtime_error);
    stored.carrier = Carrier::fcm;
    CHECK_THROWS_AS(carrier_configs::open(before, core::ScopeId{2}, stored), std::runtime_error);

    CHECK(table.reencrypt(sandbox, during) == 0);
    CHECK_THROWS_AS(table.reencrypt(production, after), std::runtime_error);
    CHECK(table.reencrypt(production, during) == 1);
    CHECK(table.reencrypt(production, during) == 0);
    auto const sealed_anew = table.load(core::ScopeId{2});
    CHECK(sealed_anew.updated_at == stored.updated_at);
    CHECK(carrier_configs::open(after, core::ScopeId{2}, sealed_anew)->fingerprint() ==
          credential->fingerprint());

    table.put(production, *credential, after);
    CHECK(table.load(core::ScopeId{2}).updated_at > stored.updated_at);
}
