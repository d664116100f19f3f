#include "crypto/jwt.hpp"

#include "core/hex.hpp"
#include "crypto/encoding.hpp"

#include <boost/json.hpp>
#include <openssl/err.h>

#include <stdexcept>

using crypto::parse_jws;
using crypto::PublicKey;
using crypto::verify_es256;
namespace json = boost::json;

namespace {

// RFC 7515, A.3.
constexpr std::string_view rfc_token =
    "eyJhbGciOiJFUzI1NiJ9"
    ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

json::object rfc_jwk()
{
    return {{"kty", "EC"}, {"crv", "P-256"}, {"kid", "rfc"},
        {"x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"},
        {"y", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}};
}

PublicKey rfc_key()
{
    return PublicKey::from_jwk(rfc_jwk()).value();
}

json::object with(json::object object, std::string_view name, json::value value)
{
    object[name] = std::move(value);
    return object;
}

std::string encode(std::string_view text)
{
    return crypto::base64url::encode(text);
}

} // namespace

TEST_CASE("the example of RFC 7515 verifies")
{
    auto const jws = parse_jws(rfc_token);
    REQUIRE(jws);
    CHECK(jws->header == json::object{{"alg", "ES256"}});
    CHECK(jws->payload ==
          json::object{{"iss", "joe"}, {"exp", 1300819380}, {"http://example.com/is_root", true}});
    CHECK(jws->signing_input == rfc_token.substr(0, rfc_token.rfind('.')));
    CHECK(jws->signature.size() == 64);
    CHECK(jws->kid().empty());
    CHECK(verify_es256(rfc_key(), *jws));
    CHECK(verify_es256(rfc_key(), *jws));
}

TEST_CASE("a change in any part of a token is detected")
{
    auto const key = rfc_key();
    auto const good = parse_jws(rfc_token).value();
    for (std::size_t i = 0; i < good.signature.size(); ++i) {
        auto changed = good;
        changed.signature[i] = static_cast<char>(changed.signature[i] ^ 1);
        CHECK_FALSE(verify_es256(key, changed));
    }
    auto changed = good;
    changed.signing_input.back() = 'R';
    CHECK_FALSE(verify_es256(key, changed));
    auto another = rfc_token.substr(0, 21);
    auto const forged = std::string(another) + encode(R"({"iss":"mallory"})") +
                        std::string(rfc_token.substr(rfc_token.rfind('.')));
    REQUIRE(parse_jws(forged));
    CHECK_FALSE(verify_es256(key, *parse_jws(forged)));
}

TEST_CASE("invalid signatures are refused and leave no error in OpenSSL's queue")
{
    auto const key = rfc_key();
    auto const order =
        core::hex::decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551").value();
    std::string const zero(32, '\0');
    auto const signature = GENERATE_COPY(as<std::string>(), "", std::string(64, '\0'),
        std::string(64, '\xff'), order + order, zero + order, std::string(63, 'x'), std::string(65, 'x'),
        std::string(32, 'x'), std::string(72, '0'));
    auto jws = parse_jws(rfc_token).value();
    jws.signature = signature;
    CHECK_FALSE(verify_es256(key, jws));
    CHECK(ERR_peek_error() == 0);
}

TEST_CASE("a DER signature is not accepted in place of the raw one")
{
    auto jws = parse_jws(rfc_token).value();
    std::string const r = jws.signature.substr(0, 32);
    std::string const s = jws.signature.substr(32);
    // The top bit of the example's `s` is set, so DER puts a zero byte before `s`.
    jws.signature = std::string("\x30\x45\x02\x20") + r + std::string("\x02\x21\x00", 3) + s;
    CHECK_FALSE(verify_es256(rfc_key(), jws));
}

TEST_CASE("only ES256 without critical extensions is verified")
{
    auto const key = rfc_key();
    auto const good = parse_jws(rfc_token).value();
    for (auto const* alg : {"none", "HS256", "RS256", "ES384", "es256", "ES256K", ""}) {
        auto jws = good;
        jws.header["alg"] = alg;
        CHECK_FALSE(verify_es256(key, jws));
    }
    auto without = good;
    without.header.erase("alg");
    CHECK_FALSE(verify_es256(key, without));
    auto number = good;
    number.header["alg"] = 256;
    CHECK_FALSE(verify_es256(key, number));
    auto critical = good;
    critical.header["crit"] = json::array{"b64"};
    CHECK_FALSE(verify_es256(key, critical));
}

TEST_CASE("a token must have three parts of base64url with two objects")
{
    std::string const object = encode(R"({"alg":"ES256"})");
    std::string const signature = encode(std::string(64, 'x'));
    REQUIRE(parse_jws(object + "." + object + "." + signature));
    auto const token = GENERATE_COPY(as<std::string>(), "", ".", "..", "...", object, object + "." + object,
        object + "." + object + ".", "." + object + "." + signature, object + ".." + signature,
        object + "." + object + "." + signature + ".",
        object + "." + object + "." + signature + "." + signature,
        object + "." + object + "." + signature + "==", object + "=." + object + "." + signature,
        object + "." + object + "." + signature + "\n", " " + object + "." + object + "." + signature,
        encode("[]") + "." + object + "." + signature, object + "." + encode("\"x\"") + "." + signature,
        object + "." + encode("{") + "." + signature, object + "." + encode("{} {}") + "." + signature,
        object + "." + encode("{\"a\":\"\xff\"}") + "." + signature,
        encode("") + "." + object + "." + signature,
        object + "." + encode(std::string(40, '[')) + "." + signature, object + "." + object + ".+/+/",
        "{\"alg\":\"ES256\"}." + object + "." + signature);
    CAPTURE(token);
    CHECK_FALSE(parse_jws(token));
}

TEST_CASE("a signature has exactly one encoding")
{
    // The last of the 86 characters has 4 unused bits, which must be zero.
    std::string token(rfc_token);
    REQUIRE(token.back() == 'Q');
    for (char const last : {'R', 'S', 'a', 'f'}) {
        token.back() = last;
        CHECK_FALSE(parse_jws(token));
    }
}

TEST_CASE("keys that cannot verify ES256 are refused")
{
    json::object const good = rfc_jwk();
    REQUIRE(PublicKey::from_jwk(good));
    CHECK(PublicKey::from_jwk(good)->kid() == "rfc");
    CHECK(PublicKey::from_jwk(with(good, "use", "sig")));
    CHECK(PublicKey::from_jwk(with(good, "alg", "ES256")));
    CHECK(PublicKey::from_jwk(with(good, "key_ops", json::array{"sign", "verify"})));
    CHECK(PublicKey::from_jwk(with(good, "x5t", "whatever")));
    auto const bad = GENERATE_COPY(with(good, "use", "enc"), with(good, "use", 1), with(good, "alg", "ES384"),
        with(good, "alg", "RS256"), with(good, "key_ops", json::array{"sign"}),
        with(good, "key_ops", "verify"), with(good, "kty", "RSA"), with(good, "kty", "oct"),
        with(good, "kty", nullptr), with(good, "crv", "P-384"), with(good, "crv", "secp256k1"),
        with(good, "kid", ""), with(good, "kid", 7), with(good, "x", 5), with(good, "y", nullptr),
        with(good, "x", ""), with(good, "x", "!"), json::object{});
    CAPTURE(json::serialize(bad));
    CHECK_FALSE(PublicKey::from_jwk(bad));
    for (auto const* name : {"kty", "crv", "kid", "x", "y"}) {
        json::object less = good;
        less.erase(name);
        CHECK_FALSE(PublicKey::from_jwk(less));
    }
}

TEST_CASE("points that are not on the curve are refused")
{
    json::object const good = rfc_jwk();
    std::string const x = crypto::base64url::decode(std::string_view(good.at("x").as_string())).value();
    std::string const y = crypto::base64url::decode(std::string_view(good.at("y").as_string())).value();
    std::string off = y;
    off.back() = static_cast<char>(off.back() ^ 1);
    std::string const zero(32, '\0');
    auto const prime =
        core::hex::decode("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff").value();

    struct Point {
        std::string x, y;
    };

    auto const p = GENERATE_COPY(Point{x, off}, Point{y, x}, Point{zero, zero}, Point{prime, y},
        Point{x, prime}, Point{x, std::string(32, '\xff')}, Point{x.substr(1), y}, Point{x, y.substr(0, 31)},
        Point{'\0' + x, y}, Point{x, y + '\0'}, Point{x + y, ""});
    json::object jwk = good;
    jwk["x"] = encode(p.x);
    jwk["y"] = encode(p.y);
    CHECK_FALSE(PublicKey::from_jwk(jwk));
    CHECK(ERR_peek_error() == 0);
}

TEST_CASE("a key set keeps the usable keys")
{
    json::object second = rfc_jwk();
    second["kid"] = "second";
    json::object duplicate = rfc_jwk();
    json::array const keys{rfc_jwk(),
        json::object{{"kty", "RSA"}, {"kid", "rsa"}, {"n", "AQAB"}, {"e", "AQAB"}}, nullptr, 5, "key",
        json::array{}, second, duplicate, json::object{}};
    auto const set = crypto::parse_jwk_set(json::serialize(json::object{{"keys", keys}, {"more", 1}}));
    REQUIRE(set.keys.size() == 2);
    REQUIRE(set.find("rfc") != nullptr);
    CHECK(set.find("second")->kid() == "second");
    CHECK(set.find("rsa") == nullptr);
    CHECK(set.find("") == nullptr);
    CHECK(verify_es256(*set.find("rfc"), parse_jws(rfc_token).value()));
    CHECK(crypto::parse_jwk_set(R"({"keys": []})").keys.empty());
}

TEST_CASE("an invalid key set is an error, and an empty key set is not")
{
    auto const* text = GENERATE(as<char const*>(), "", "{}", "[]", "null", R"({"keys": {}})",
        R"({"keys": null})", "<html>", R"({"keys": [)");
    CHECK_THROWS_AS(crypto::parse_jwk_set(text), std::invalid_argument);
}
