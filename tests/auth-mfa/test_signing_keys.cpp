#include "crypto/encoding.hpp"
#include "crypto/jwt.hpp"
#include "storage/signing_keys.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace {

using Kids = std::set<std::string>;
using enum crypto::SignatureAlgorithm;

/// The signing keys of a replica, with its own database.
struct Replica {
    /// Creates the next keys, like `auth-mfa rotate-signing-key`.
    void rotate(std::chrono::seconds overlap)
    {
        core::Time const now = clock.now();
        database.transact_blocking(pg::Scopes(),
            [&](pg::Tx& tx) { auth_mfa::signing_keys::rotate(tx, keyring, now, now + overlap); });
    }

    /// Reads the keys and returns the ids of the published ones of this algorithm.
    Kids published()
    {
        Kids kids;
        auto const set = crypto::parse_foreign_jwk_set(cache.load(database, keyring));
        for (auto const& key : set.keys)
            if (key.algorithm() == algorithm) kids.insert(key.kid());
        return kids;
    }

    std::string signs() const { return cache.current(algorithm)->kid; }

    /// The id of the only published key that is not in `before`.
    std::string new_since(Kids const& before)
    {
        Kids now = published();
        for (auto const& kid : before)
            CHECK(now.erase(kid) == 1);
        REQUIRE(now.size() == 1);
        return *now.begin();
    }

    crypto::SignatureAlgorithm algorithm = es256; ///< of the keys that the functions return
    testing::Postgres const postgres = testing::Postgres::migrated(auth_mfa::App::components(), "auth_mfa");
    pg::Database database{{.url = postgres.service_url(), .threads = 1, .queue_timeout = 30s}};
    crypto::Keyring const keyring = crypto::Keyring::parse(testing::encryption_keys);
    testing::FakeClock clock;
    auth_mfa::SigningKeyCache cache{clock};
};

} // namespace

TEST_CASE("keys and metadata are published on every host", "[signing_keys]")
{
    World const world;
    auto const ada = world.new_account();
    testing::HttpClient base("http://127.0.0.1:" + std::to_string(world.host->port()));
    base.set("Host", "auth.localhost");
    auto const jwks = base.get("/.well-known/jwks.json");
    REQUIRE(jwks.status == 200);
    CHECK(world.client("other").get("/.well-known/jwks.json").body == jwks.body);
    auto const key = jwks.json().at("keys").at(0);
    for (auto const& each : jwks.json().at("keys").as_array())
        for (auto const* const secret : {"d", "p", "q", "dp", "dq", "qi"})
            CHECK_FALSE(each.as_object().contains(secret));
    auto const header = boost::json::parse(
        *crypto::base64url::decode(ada.access_token.substr(0, ada.access_token.find('.'))));
    CHECK(header.at("kid") == key.at("kid"));
    CHECK(text(header, "typ") == "at+jwt");

    auto const discovery = world.client().get("/.well-known/openid-configuration").json();
    CHECK(text(discovery, "issuer") == text(claims_of(ada.access_token), "iss"));
    CHECK(text(discovery, "jwks_uri").ends_with("/.well-known/jwks.json"));
    CHECK(base.get("/.well-known/openid-configuration").status == 200);
}

TEST_CASE("access tokens are signed with ES256, and a key of each algorithm is published", "[signing_keys]")
{
    Replica replica;
    REQUIRE(replica.published().size() == 1);
    CHECK(replica.cache.current()->algorithm() == es256);
    replica.algorithm = rs256;
    REQUIRE(replica.published().size() == 1);
    CHECK(replica.cache.current(rs256)->algorithm() == rs256);
    auto const jws = crypto::parse_jws(replica.cache.current(rs256)->sign({{"typ", "JWT"}}, {{"sub", "a"}}));
    REQUIRE(jws);
    CHECK(jws->kid() == replica.signs());
    auto const set = crypto::parse_foreign_jwk_set(replica.cache.jwks());
    REQUIRE(set.find(jws->kid()) != nullptr);
    CHECK(crypto::verify(*set.find(jws->kid()), *jws));
    // Services that verify access tokens skip the RSA keys.
    CHECK(crypto::parse_jwk_set(replica.cache.jwks()).keys.size() == 1);
}

TEST_CASE(
    "a key of an algorithm that lacks one is made at the next load, as after an upgrade", "[signing_keys]")
{
    Replica replica;
    Kids const first = replica.published();
    replica.postgres.query("DELETE FROM rsa_signing_keys");
    CHECK(replica.published() == first);
    replica.algorithm = rs256;
    CHECK(replica.published().size() == 1);
}

TEST_CASE("a new encryption key seals the keys of both algorithms", "[signing_keys]")
{
    Replica replica;
    Kids const first = replica.published();
    auto const keyring =
        crypto::Keyring::parse("next:B" + std::string(42, 'A') + "=," + testing::encryption_keys);
    auto const changed = replica.database.transact_blocking(
        pg::Scopes(), [&](pg::Tx& tx) { return auth_mfa::signing_keys::reencrypt(tx, keyring); });
    CHECK(changed == 2);
    CHECK_THROWS(replica.published()); // it lacks the new encryption key
    CHECK_FALSE(replica.cache.load(replica.database, keyring).empty());
}

TEST_CASE("a new key is published before it signs, and the old key stays published until its tokens expire",
    "[signing_keys]")
{
    Replica replica;
    replica.algorithm = GENERATE(es256, rs256);
    Kids const first = replica.published();
    REQUIRE(first.size() == 1);
    CHECK(replica.published() == first); // no second key is made
    CHECK(replica.signs() == *first.begin());

    replica.rotate(15min);
    auto const second = replica.new_since(first);
    replica.clock.advance(15min - 1us);
    CHECK(replica.signs() == *first.begin());
    replica.clock.advance(1us);
    CHECK(replica.signs() == second);
    // A token lives for 15 minutes. 5 minutes are added for clock skew and late replicas.
    replica.clock.advance(20min - 1us);
    CHECK(replica.published().size() == 2);
    replica.clock.advance(1us);
    CHECK(replica.published() == Kids{second});
    CHECK(replica.signs() == second);
}

TEST_CASE(
    "a key that is created for immediate use signs at once, even if another key waits", "[signing_keys]")
{
    Replica replica;
    replica.algorithm = GENERATE(es256, rs256);
    Kids known = replica.published();
    replica.rotate(15min);
    known.insert(replica.new_since(known));
    replica.clock.advance(1min);
    replica.rotate(0s);
    auto const latest = replica.new_since(known);
    CHECK(replica.signs() == latest);

    SECTION("the waiting key never signs, and is retired together with the old key")
    {
        for (int minute = 1; minute < 20; ++minute) {
            replica.clock.advance(1min);
            CHECK(replica.published().size() == 3);
            CHECK(replica.signs() == latest);
        }
        replica.clock.advance(1min);
        CHECK(replica.published() == Kids{latest});
    }
    SECTION("both retired keys can be removed from the published keys, for example after a leak")
    {
        for (std::string const table : {"signing_keys", "rsa_signing_keys"})
            replica.postgres.query("DELETE FROM " + table + " WHERE retired_at IS NOT NULL");
        CHECK(replica.published() == Kids{latest});
        CHECK(replica.signs() == latest);
    }
    SECTION("the next key waits before it signs")
    {
        known.insert(latest);
        replica.rotate(15min);
        auto const next = replica.new_since(known);
        CHECK(replica.signs() == latest);
        replica.clock.advance(15min);
        CHECK(replica.signs() == next);
    }
}
