#include "crypto/jwt.hpp"

#include <boost/json.hpp>
#include <openssl/err.h>

using crypto::parse_jws;
using crypto::PublicKey;
namespace json = boost::json;

namespace {

// Signed with another library (Node's crypto): `{"alg":"RS256","kid":"rsa"}` over `{"iss":"joe"}`.
constexpr std::string_view token =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYSJ9.eyJpc3MiOiJqb2UifQ.qKHFzyRHSoZyl6rEJYRC4tsqjla2zUMN"
    "EEh9JxvDfXr_Efex4bDYhUZI8koI5qGhF_RvloUjErcnbxug00gtfpOAmPnN1X1lwZl-sCx8NUSBQsoGw3eAv_gU"
    "hFoW2RWdSu8W24nVWAvWIhK034MOIBkDFczYMF8zl8NBaVbO8R2tLdOvh22l4HYCgsXQsk-nkYDadcQS0hLv5U4w"
    "CeCfZnadDhkMg4Z2tQaFVoRsDi-LQk_t6my6lUvaTpgcaSu6N2iOOMAKv-vMJj-_-vo4BfGfDDbR6GuUh-9mn22j"
    "gdK1g4SzeHj_s38vamBq4Wxa3Oxl84lcyJZ2raXCKG-dtQ";
constexpr std::string_view modulus =
    "sGgpZxHVZijt-h2ZDVeqXD4qgzSw8UJkIvWBKU6kaLDcYYBUPoaLlf7U38c-BUdck1DPRSJjXXxEnSm4umMGXO7O"
    "wOgFZhS0zMNsWkBy0B_DRmIyRIcJOval4QSwkq3KLI9fpWxCFetbSMCB1dHmj4kDlpvr3XaY7jod4cMOnDKrtNbF"
    "YnNNotm0x5pOUom5CO0alTMoX8Akva_sC6Ke7rAp0dxVetDo-kw7E7mmSAfJ1Lwr0vVgyGPfUsojdFE1S0lC3Aa2"
    "xqsSkNcopFM6at-yryEJUGa5NI8fabnKopFYVtVC1MU0psi8O_4fswhE32vbfKM9k33xHxA5ogabPQ";
constexpr char const* small_modulus = // 1024 bits
    "x69YpDR92qlabXotgFy_77Y8EvQ-HYIvTwZW51IhhTy4Vas0LCVOMRZbJexign4eJ_eRB4GcPq4XgK6o65rrGshK"
    "y0sCDeqh4dtqVng6pK4ftOn9lunrFCJoQPPakS-OCMbjT7z3VbHcgpvzAD-L4YVMTORKzH-Ir7JdUKvwGmE";

json::object rsa_jwk()
{
    return {{"kty", "RSA"}, {"kid", "rsa"}, {"n", modulus}, {"e", "AQAB"}};
}

json::object with(json::object object, std::string_view name, json::value value)
{
    object[name] = std::move(value);
    return object;
}

} // namespace

TEST_CASE("an RS256 token verifies only with its own key")
{
    auto const key = PublicKey::from_rsa_jwk(rsa_jwk());
    auto jws = parse_jws(token);
    REQUIRE(key);
    REQUIRE(jws);
    CHECK(key->algorithm() == crypto::SignatureAlgorithm::rs256);
    CHECK(crypto::verify(*key, *jws));
    CHECK_FALSE(crypto::verify_es256(*key, *jws)); // tokens of auth-mfa never use RS256
    jws->signing_input += 'x';
    CHECK_FALSE(crypto::verify(*key, *jws));
    CHECK(ERR_peek_error() == 0);
}

TEST_CASE("a token cannot select the algorithm that verifies it")
{
    auto const key = PublicKey::from_rsa_jwk(rsa_jwk()).value();
    auto jws = parse_jws(token).value();
    for (char const* const algorithm : {"ES256", "HS256", "RS512", "PS256", "none"}) {
        jws.header["alg"] = algorithm;
        CHECK_FALSE(crypto::verify(key, jws));
    }
    jws.header["alg"] = "RS256";
    CHECK(crypto::verify(key, jws));
    jws.header["crit"] = json::array{"exp"};
    CHECK_FALSE(crypto::verify(key, jws));
}

TEST_CASE("RSA keys that are not for RS256 signatures are refused")
{
    CHECK_FALSE(PublicKey::from_rsa_jwk(with(rsa_jwk(), "kty", "EC")));
    CHECK_FALSE(PublicKey::from_rsa_jwk(with(rsa_jwk(), "alg", "RS512")));
    CHECK_FALSE(PublicKey::from_rsa_jwk(with(rsa_jwk(), "use", "enc")));
    CHECK_FALSE(PublicKey::from_rsa_jwk(with(rsa_jwk(), "kid", "")));
    CHECK_FALSE(PublicKey::from_rsa_jwk(with(rsa_jwk(), "n", small_modulus)));
    CHECK_FALSE(PublicKey::from_rsa_jwk(with(rsa_jwk(), "n", "")));
    CHECK_FALSE(PublicKey::from_rsa_jwk(with(rsa_jwk(), "e", "AQ"))); // 1
    CHECK_FALSE(PublicKey::from_rsa_jwk(with(rsa_jwk(), "e", "Ag"))); // 2
    CHECK(PublicKey::from_rsa_jwk(with(rsa_jwk(), "alg", "RS256")));
    CHECK_FALSE(PublicKey::from_jwk(rsa_jwk()));
}

TEST_CASE("only key sets of other issuers may contain RSA keys")
{
    std::string const set = json::serialize(json::object{{"keys", json::array{rsa_jwk()}}});
    CHECK(crypto::parse_jwk_set(set).keys.empty());
    CHECK(crypto::parse_foreign_jwk_set(set).find("rsa") != nullptr);
    CHECK_THROWS_AS(crypto::parse_foreign_jwk_set("[]"), std::invalid_argument);
}
