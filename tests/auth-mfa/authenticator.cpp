#include "authenticator.hpp"

#include "crypto/encoding.hpp"
#include "crypto/hash.hpp"
#include "crypto/random.hpp"

#include <boost/json.hpp>
#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <stdexcept>

namespace json = boost::json;
namespace base64url = crypto::base64url;

namespace cbor {

std::string head(unsigned major, std::uint64_t number)
{
    int const size = number < 24            ? 0
                     : number < 0x100       ? 1
                     : number < 0x10000     ? 2
                     : number < 0x100000000 ? 4
                                            : 8;
    unsigned const kind = size == 0   ? static_cast<unsigned>(number)
                          : size == 1 ? 24
                          : size == 2 ? 25
                          : size == 4 ? 26
                                      : 27;
    std::string out(1, static_cast<char>(major << 5 | kind));
    for (int i = size - 1; i >= 0; --i)
        out += static_cast<char>(number >> (8 * i));
    return out;
}

std::string number(std::int64_t value)
{
    return value < 0 ? head(1, static_cast<std::uint64_t>(-1 - value))
                     : head(0, static_cast<std::uint64_t>(value));
}

std::string bytes(std::string_view value)
{
    return head(2, value.size()).append(value);
}

std::string text(std::string_view value)
{
    return head(3, value.size()).append(value);
}

std::string boolean(bool value)
{
    return value ? "\xf5" : "\xf4";
}

std::string array(std::vector<std::string> const& items)
{
    std::string out = head(4, items.size());
    for (auto const& item : items)
        out += item;
    return out;
}

std::string map(Members const& members)
{
    std::string out = head(5, members.size());
    for (auto const& [key, value] : members)
        out.append(key).append(value);
    return out;
}

} // namespace cbor

namespace {

constexpr std::uint8_t user_present = 0x01, user_verified = 0x04, backup_eligible = 0x08, backed_up = 0x10,
                       has_credential = 0x40, has_extensions = 0x80;

void require(bool ok, std::string const& what)
{
    if (!ok) throw std::runtime_error("authenticator: " + what);
}

json::value const& member(json::object const& object, std::string_view name)
{
    auto const* value = object.if_contains(name);
    require(value != nullptr, "the options have no " + std::string(name));
    return *value;
}

std::string text_of(json::object const& object, std::string_view name)
{
    return std::string(member(object, name).as_string());
}

std::string bytes_of(json::object const& object, std::string_view name)
{
    auto bytes = base64url::decode(text_of(object, name));
    require(bytes.has_value(), std::string(name) + " is not base64url");
    return *bytes;
}

bool names(json::array const& descriptors, std::string_view id)
{
    return std::ranges::any_of(descriptors, [&](json::value const& descriptor) {
        auto const& object = descriptor.as_object();
        return text_of(object, "type") == "public-key" && bytes_of(object, "id") == id;
    });
}

std::string big_endian(std::uint64_t number, int size)
{
    std::string out;
    for (int i = size - 1; i >= 0; --i)
        out += static_cast<char>(number >> (8 * i));
    return out;
}

std::string hash(std::string_view data)
{
    return std::string(crypto::view(crypto::sha256(data)));
}

} // namespace

struct Authenticator::KeyPair {
    std::unique_ptr<EVP_PKEY, decltype([](EVP_PKEY* key) { EVP_PKEY_free(key); })> evp;

    static std::shared_ptr<KeyPair const> make(Key kind, std::size_t rsa_bits)
    {
        if (kind == Key::es256) return own(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
        if (kind == Key::eddsa) return own(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
        return own(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", rsa_bits));
    }

    std::string number(char const* name) const
    {
        BIGNUM* value = nullptr;
        require(EVP_PKEY_get_bn_param(evp.get(), name, &value) == 1, name);
        std::string bytes(static_cast<std::size_t>(BN_num_bytes(value)), '\0');
        BN_bn2bin(value, reinterpret_cast<unsigned char*>(bytes.data()));
        BN_free(value);
        return bytes;
    }

    std::string coordinate(char const* name) const
    {
        auto const bytes = number(name);
        return std::string(32 - bytes.size(), '\0') + bytes;
    }

    std::string raw() const
    {
        std::string bytes(32, '\0');
        std::size_t size = bytes.size();
        require(EVP_PKEY_get_raw_public_key(
                    evp.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size) == 1,
            "EVP_PKEY_get_raw_public_key");
        return bytes;
    }

private:
    static std::shared_ptr<KeyPair const> own(EVP_PKEY* key)
    {
        require(key != nullptr, "EVP_PKEY_Q_keygen");
        auto pair = std::make_shared<KeyPair>();
        pair->evp.reset(key);
        return pair;
    }
};

Authenticator::Authenticator(std::string rp_id, std::string origin, Key key)
    : rp_id_(std::move(rp_id)), origin_(std::move(origin)), kind_(key)
{
}

Authenticator::~Authenticator() = default;
Authenticator::Authenticator(Authenticator&&) noexcept = default;
Authenticator& Authenticator::operator=(Authenticator&&) noexcept = default;

Authenticator Authenticator::clone() const
{
    Authenticator copy(rp_id_, origin_, kind_);
    copy.verifies_user = verifies_user;
    copy.synchronised = synchronised;
    copy.counts = counts;
    copy.sign_count = sign_count;
    copy.key_ = key_;
    copy.id_ = id_;
    copy.user_handle_ = user_handle_;
    return copy;
}

json::object Authenticator::create(json::object const& options, Ceremony const& ceremony)
{
    require(text_of(member(options, "rp").as_object(), "id") == rp_id_, "the RP id is not that of the page");
    require(
        id_.empty() || !names(member(options, "excludeCredentials").as_array(), id_), "InvalidStateError");
    require(!member(options, "pubKeyCredParams").as_array().empty(), "no algorithms");
    auto const& user = member(options, "user").as_object();
    require(!text_of(user, "name").empty() && !text_of(user, "displayName").empty(), "the user has no name");
    user_handle_ = bytes_of(user, "id");
    require(!user_handle_.empty() && user_handle_.size() <= 64, "user.id must have 1 to 64 bytes");
    key_ = KeyPair::make(kind_, rsa_bits);
    id_ = next_id_.empty() ? crypto::random_bytes(32) : std::exchange(next_id_, {});
    sign_count = 0;

    auto const client = client_data("webauthn.create", options, ceremony);
    auto const data = authenticator_data(true, ceremony);
    std::string object = cbor::map({
        {cbor::text("fmt"), cbor::text(ceremony.format)},
        {cbor::text("attStmt"), statement(data + hash(client), ceremony)},
        {cbor::text("authData"), cbor::bytes(data)},
    });
    if (ceremony.attestation) ceremony.attestation(object);
    return credential({
        {"clientDataJSON", base64url::encode(client)},
        {"attestationObject", base64url::encode(object)},
        {"authenticatorData", base64url::encode(data)},
        {"transports", json::array(transports.begin(), transports.end())},
        {"publicKeyAlgorithm", -7},
    });
}

json::object Authenticator::get(json::object const& options, Ceremony const& ceremony)
{
    require(key_ != nullptr, "there is no passkey");
    require(text_of(options, "rpId") == rp_id_, "the RP id is not that of the page");
    auto const& allowed = member(options, "allowCredentials").as_array();
    require(
        allowed.empty() || names(allowed, id_), "NotAllowedError: the passkey is not among the allowed ones");

    auto const client = client_data("webauthn.get", options, ceremony);
    auto const data = authenticator_data(false, ceremony);
    json::object response{
        {"clientDataJSON", base64url::encode(client)},
        {"authenticatorData", base64url::encode(data)},
        {"signature", base64url::encode(sign(data + hash(client), ceremony.wrong_signature))},
    };
    if (ceremony.user_handle) response["userHandle"] = base64url::encode(user_handle_);
    return credential(std::move(response));
}

std::string Authenticator::cose_key() const
{
    using namespace cbor;
    constexpr int kty = 1, alg = 3, okp = 1, ec2 = 2, rsa = 3, p256 = 1, ed25519 = 6;
    switch (kind_) {
    case Key::es256:
        return map({{number(kty), number(ec2)}, {number(alg), number(-7)}, {number(-1), number(p256)},
            {number(-2), bytes(key_->coordinate(OSSL_PKEY_PARAM_EC_PUB_X))},
            {number(-3), bytes(key_->coordinate(OSSL_PKEY_PARAM_EC_PUB_Y))}});
    case Key::eddsa:
        return map({{number(kty), number(okp)}, {number(alg), number(-8)}, {number(-1), number(ed25519)},
            {number(-2), bytes(key_->raw())}});
    case Key::rs256:
        return map({{number(kty), number(rsa)}, {number(alg), number(-257)},
            {number(-1), bytes(key_->number(OSSL_PKEY_PARAM_RSA_N))},
            {number(-2), bytes(key_->number(OSSL_PKEY_PARAM_RSA_E))}});
    }
    throw std::logic_error("not a kind of key");
}

std::string Authenticator::client_data(
    std::string_view type, json::object const& options, Ceremony const& ceremony) const
{
    auto const challenge = bytes_of(options, "challenge");
    require(challenge.size() >= 16, "the challenge is too short");
    if (ceremony.client_data_json) return *ceremony.client_data_json;
    json::object data{
        {"type", ceremony.type.value_or(std::string(type))},
        {"challenge", ceremony.challenge.value_or(base64url::encode(challenge))},
        {"origin", ceremony.origin.value_or(origin_)},
        {"crossOrigin", false},
    };
    for (auto const& more : ceremony.client_data)
        data[more.key()] = more.value();
    return json::serialize(data);
}

std::string Authenticator::authenticator_data(bool with_credential, Ceremony const& ceremony)
{
    if (counts) ++sign_count;
    unsigned flags = user_present;
    if (verifies_user) flags |= user_verified;
    if (synchronised) flags |= backup_eligible | backed_up;
    if (with_credential) flags |= has_credential;
    if (ceremony.extensions) flags |= has_extensions;
    flags = (flags | ceremony.set_flags) & ~static_cast<unsigned>(ceremony.clear_flags);

    std::string data = hash(ceremony.rp_id.value_or(rp_id_));
    data += static_cast<char>(flags);
    data += big_endian(ceremony.sign_count.value_or(sign_count), 4);
    if (with_credential) {
        auto const id = ceremony.signed_id.value_or(id_);
        data.append(aaguid.begin(), aaguid.end()).append(big_endian(id.size(), 2)).append(id);
        data += ceremony.public_key.value_or(cose_key());
    }
    return data + ceremony.extensions.value_or("") + ceremony.after;
}

std::string Authenticator::sign(std::string_view data, bool wrong) const
{
    std::unique_ptr<EVP_MD_CTX, decltype([](EVP_MD_CTX* c) { EVP_MD_CTX_free(c); })> const context(
        EVP_MD_CTX_new());
    char const* const digest = kind_ == Key::eddsa ? nullptr : "SHA256";
    auto const* bytes = reinterpret_cast<unsigned char const*>(data.data());
    std::string signature(1'024, '\0');
    std::size_t size = signature.size();
    require(EVP_DigestSignInit_ex(
                context.get(), nullptr, digest, nullptr, nullptr, key_->evp.get(), nullptr) == 1 &&
                EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                    bytes, data.size()) == 1,
        "EVP_DigestSign");
    signature.resize(size);
    if (wrong) signature.back() ^= 1;
    return signature;
}

std::string Authenticator::statement(std::string_view signed_data, Ceremony const& ceremony) const
{
    if (ceremony.statement) return *ceremony.statement;
    if (ceremony.format != "packed") return cbor::map({});
    std::int64_t const algorithm = kind_ == Key::es256 ? -7 : kind_ == Key::eddsa ? -8 : -257;
    return cbor::map({
        {cbor::text("alg"), cbor::number(ceremony.statement_algorithm.value_or(algorithm))},
        {cbor::text("sig"), cbor::bytes(sign(signed_data, ceremony.wrong_signature))},
    });
}

json::object Authenticator::credential(json::object response) const
{
    auto const id = base64url::encode(id_);
    return {{"id", id}, {"rawId", id}, {"type", "public-key"}, {"authenticatorAttachment", "platform"},
        {"clientExtensionResults", json::object()}, {"response", std::move(response)}};
}
