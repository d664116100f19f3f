#include "support/issuer.hpp"

#include "support.hpp"
#include "support/process.hpp"

#include <filesystem>

namespace json = boost::json;

TEST_CASE("a key file is created once, and only its owner can read it")
{
    testing::TemporaryDirectory const dir;
    std::string const path = dir.path() + "/key.pem";
    testing::FakeClock const clock;
    testing::Issuer const first(clock, "auth.localhost", testing::Issuer::key_from_file(path));
    testing::Issuer const second(clock, "auth.localhost", testing::Issuer::key_from_file(path));
    CHECK(first.kid() == second.kid());
    CHECK(first.jwks() == second.jwks());
    CHECK(std::filesystem::status(path).permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));

    auto const jws = crypto::parse_jws(second.token({}));
    REQUIRE(jws);
    auto const keys = crypto::parse_jwk_set(first.jwks());
    REQUIRE(keys.find(first.kid()) != nullptr);
    CHECK(crypto::verify_es256(*keys.find(first.kid()), *jws));
}

TEST_CASE("claims can be replaced and removed")
{
    testing::FakeClock const clock;
    testing::Issuer const issuer(clock);
    auto const jws = crypto::parse_jws(issuer.token({.tenant = "acme"}, {{"exp", 7}, {"email", nullptr}}));
    REQUIRE(jws);
    CHECK(jws->payload.at("exp") == 7);
    CHECK_FALSE(jws->payload.contains("email"));
    CHECK(jws->payload.at("iss") == "https://acme-sandbox.auth.localhost");
    CHECK(jws->header.at("typ") == "at+jwt");
    CHECK(jws->header.at("alg") == "ES256");
}

TEST_CASE("a rotated issuer publishes old keys until they are retired")
{
    testing::FakeClock const clock;
    testing::Issuer issuer(clock);
    auto const count = [&] { return json::parse(issuer.jwks()).at("keys").as_array().size(); };
    std::string const old = issuer.kid();
    issuer.rotate();
    CHECK(issuer.kid() != old);
    CHECK(count() == 2);
    issuer.retire_old();
    CHECK(count() == 1);
}
