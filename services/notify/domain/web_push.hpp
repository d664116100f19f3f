#pragma once

#include "crypto/ecdh.hpp"
#include "domain/web_subscription.hpp"

#include <string>
#include <string_view>

/// The encryption of Web Push messages: content coding `aes128gcm` (RFC 8188) with the keys of RFC 8291.
namespace notify::web_push {

/// The record size of the coding. Push services must accept messages of this size (RFC 8030, 7.2).
inline constexpr std::size_t record_size = 4'096;

inline constexpr std::size_t salt_size = 16; ///< bytes

/// The values that differ for each message: a new key pair, and `salt_size` random bytes.
struct Ephemeral {
    crypto::EcdhKey key = crypto::EcdhKey::generate();
    std::string salt;

    static Ephemeral generate();
};

/// The body of the request: the header of the coding, and one record. `plaintext` has at most
/// `max_web_push_bytes` bytes and is not padded. Throws std::invalid_argument if it is longer, or if the
/// subscription's key is not a point on P-256.
std::string encrypt(std::string_view plaintext, WebSubscription const& subscription,
    Ephemeral const& ephemeral = Ephemeral::generate());

} // namespace notify::web_push
