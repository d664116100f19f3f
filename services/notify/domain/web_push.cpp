#include "domain/web_push.hpp"

#include "crypto/aes_gcm.hpp"
#include "crypto/hkdf.hpp"
#include "crypto/random.hpp"
#include "domain/push_payload.hpp"

#include <array>
#include <stdexcept>

namespace notify::web_push {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t key_size = 16;
constexpr std::size_t secret_size = 32;
constexpr char last_record = '\x02'; // RFC 8188, 2: the delimiter of the last record

/// RFC 8291, 3.4: the input keying material.
std::string input_key(WebSubscription const& subscription, Ephemeral const& ephemeral)
{
    auto const shared = ephemeral.key.agree(subscription.p256dh);
    if (!shared) throw std::invalid_argument("the key of a subscription is not a point on P-256");
    std::string info("WebPush: info\0"sv);
    info.append(subscription.p256dh).append(ephemeral.key.public_point());
    return crypto::hkdf_sha256(*shared, subscription.auth, info, secret_size);
}

/// RFC 8188, 2.1: salt, record size, and the key id, which is the ephemeral public key here.
std::string header(Ephemeral const& ephemeral)
{
    constexpr std::array size{static_cast<char>(record_size >> 24),
        static_cast<char>(record_size >> 16 & 0xFF), static_cast<char>(record_size >> 8 & 0xFF),
        static_cast<char>(record_size & 0xFF)};
    std::string const key_id = ephemeral.key.public_point();
    std::string text = ephemeral.salt;
    text.append(size.data(), size.size()).append(1, static_cast<char>(key_id.size())).append(key_id);
    return text;
}

} // namespace

Ephemeral Ephemeral::generate()
{
    return {.salt = crypto::random_bytes(salt_size)};
}

std::string encrypt(
    std::string_view plaintext, WebSubscription const& subscription, Ephemeral const& ephemeral)
{
    if (plaintext.size() > max_web_push_bytes)
        throw std::invalid_argument("a web push message exceeds its record");
    std::string const secret = input_key(subscription, ephemeral);
    auto const derive = [&](std::string_view info, std::size_t size) {
        return crypto::hkdf_sha256(secret, ephemeral.salt, info, size);
    };
    std::string const key = derive("Content-Encoding: aes128gcm\0"sv, key_size);
    std::string const nonce = derive("Content-Encoding: nonce\0"sv, crypto::aes_gcm::nonce_size);
    std::string record(plaintext);
    record += last_record;
    return header(ephemeral) + crypto::aes_gcm::encrypt(key, nonce, record);
}

} // namespace notify::web_push
