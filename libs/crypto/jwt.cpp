#include "crypto/jwt.hpp"

#include "core/json.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/p256.hpp"
#include "crypto/pem.hpp"
#include "crypto/rsa.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace crypto {

namespace json = boost::json;

namespace {

constexpr std::string_view es256 = "ES256";
constexpr std::string_view rs256 = "RS256";

bool is_absent_or(json::object const& object, std::string_view name, std::string_view expected)
{
    return !object.contains(name) || core::text_of(object, name) == expected;
}

/// Whether `key_ops` (RFC 7517, 4.3) is absent or contains `verify`.
bool may_verify(json::object const& jwk)
{
    auto const* value = jwk.if_contains("key_ops");
    if (value == nullptr) return true;
    auto const* operations = value->if_array();
    return operations != nullptr &&
           std::find(operations->begin(), operations->end(), "verify") != operations->end();
}

/// Whether the key has an id and is intended for signatures of this algorithm.
bool is_for(json::object const& jwk, std::string_view algorithm)
{
    return !core::text_of(jwk, "kid").empty() && is_absent_or(jwk, "use", "sig") &&
           is_absent_or(jwk, "alg", algorithm) && may_verify(jwk);
}

template <class Read> JwkSet read_jwk_set(std::string_view text, Read const& read)
{
    boost::system::error_code error;
    json::value const document = json::parse(text, error);
    auto const* object = error ? nullptr : document.if_object();
    auto const* member = object == nullptr ? nullptr : object->if_contains("keys");
    auto const* array = member == nullptr ? nullptr : member->if_array();
    if (array == nullptr) throw std::invalid_argument("not a JWK set");
    JwkSet set;
    for (json::value const& item : *array) {
        auto const* jwk = item.if_object();
        std::optional<PublicKey> key = jwk == nullptr ? std::nullopt : read(*jwk);
        if (key && set.find(key->kid()) == nullptr) set.keys.push_back(std::move(*key));
    }
    return set;
}

std::optional<json::object> decode_object(std::string_view part)
{
    auto const text = base64url::decode(part);
    if (!text) return std::nullopt;
    boost::system::error_code error;
    json::value value = json::parse(*text, error);
    if (error || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

} // namespace

std::optional<PublicKey> PublicKey::from_jwk(json::object const& jwk)
{
    if (core::text_of(jwk, "kty") != "EC" || core::text_of(jwk, "crv") != "P-256" || !is_for(jwk, es256))
        return std::nullopt;
    auto const x = base64url::decode(core::text_of(jwk, "x"));
    auto const y = base64url::decode(core::text_of(jwk, "y"));
    if (!x || !y) return std::nullopt;
    detail::Key made = detail::p256_public_key(*x, *y);
    if (made == nullptr) return std::nullopt;
    PublicKey key;
    key.kid_ = core::text_of(jwk, "kid");
    key.key_ = std::move(made);
    return key;
}

std::optional<PublicKey> PublicKey::from_rsa_jwk(json::object const& jwk)
{
    if (core::text_of(jwk, "kty") != "RSA" || !is_for(jwk, rs256)) return std::nullopt;
    auto const n = base64url::decode(core::text_of(jwk, "n"));
    auto const e = base64url::decode(core::text_of(jwk, "e"));
    if (!n || !e) return std::nullopt;
    detail::Key made = detail::rsa_public_key(*n, *e);
    if (made == nullptr) return std::nullopt;
    PublicKey key;
    key.kid_ = core::text_of(jwk, "kid");
    key.algorithm_ = SignatureAlgorithm::rs256;
    key.key_ = std::move(made);
    return key;
}

PublicKey const* JwkSet::find(std::string_view kid) const noexcept
{
    auto const it =
        std::find_if(keys.begin(), keys.end(), [kid](PublicKey const& key) { return key.kid() == kid; });
    return it == keys.end() ? nullptr : &*it;
}

JwkSet parse_jwk_set(std::string_view text)
{
    return read_jwk_set(text, [](json::object const& jwk) { return PublicKey::from_jwk(jwk); });
}

JwkSet parse_foreign_jwk_set(std::string_view text)
{
    return read_jwk_set(text, [](json::object const& jwk) {
        auto key = PublicKey::from_jwk(jwk);
        return key ? key : PublicKey::from_rsa_jwk(jwk);
    });
}

std::string_view Jws::kid() const noexcept
{
    return core::text_of(header, "kid");
}

std::optional<Jws> parse_jws(std::string_view token)
{
    auto const first = token.find('.');
    if (first == std::string_view::npos) return std::nullopt;
    auto const second = token.find('.', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    auto header = decode_object(token.substr(0, first));
    if (!header) return std::nullopt;
    auto payload = decode_object(token.substr(first + 1, second - first - 1));
    // A third dot is refused here, because it is not in the base64url alphabet.
    auto signature = base64url::decode(token.substr(second + 1));
    if (!payload || !signature || signature->empty()) return std::nullopt;
    return Jws{
        std::move(*header), std::move(*payload), std::string(token.substr(0, second)), std::move(*signature)};
}

bool verify_es256(PublicKey const& key, Jws const& jws)
{
    return key.algorithm() == SignatureAlgorithm::es256 && verify(key, jws);
}

bool verify(PublicKey const& key, Jws const& jws)
{
    bool const is_ec = key.algorithm_ == SignatureAlgorithm::es256;
    if (core::text_of(jws.header, "alg") != (is_ec ? es256 : rs256) || jws.header.contains("crit"))
        return false;
    auto const check = is_ec ? &detail::p256_verify : &detail::rsa_verify;
    return check(key.key_.get(), jws.signing_input, jws.signature);
}

SigningKey SigningKey::generate()
{
    return SigningKey(detail::p256_generate());
}

SigningKey SigningKey::from_pem(std::string_view pem)
{
    detail::Key key = detail::read_private_key(pem);
    if (!key || !detail::is_p256(key.get())) throw std::invalid_argument("not a P-256 private key in PEM");
    return SigningKey(std::move(key));
}

core::Secret SigningKey::to_pem() const
{
    return detail::write_private_key(key_.get());
}

json::object SigningKey::public_jwk(std::string_view kid) const
{
    detail::Point const point = detail::p256_point(key_.get());
    return {{"kty", "EC"}, {"crv", "P-256"}, {"x", base64url::encode(point.x)},
        {"y", base64url::encode(point.y)}, {"kid", kid}, {"use", "sig"}, {"alg", es256}};
}

std::string SigningKey::public_point() const
{
    return detail::p256_uncompressed(key_.get());
}

std::string SigningKey::thumbprint() const
{
    json::object const jwk = public_jwk({});
    // RFC 7638 hashes the required members in alphabetical order, without white space.
    json::object const required{
        {"crv", jwk.at("crv")}, {"kty", jwk.at("kty")}, {"x", jwk.at("x")}, {"y", jwk.at("y")}};
    return base64url::encode(view(sha256(json::serialize(required))));
}

std::string SigningKey::sign(json::object header, json::object const& payload) const
{
    header["alg"] = es256;
    std::string token =
        base64url::encode(json::serialize(header)) + "." + base64url::encode(json::serialize(payload));
    std::string const signature = detail::p256_sign(key_.get(), token);
    return token.append(".").append(base64url::encode(signature));
}

} // namespace crypto
