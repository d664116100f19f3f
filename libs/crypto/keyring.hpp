#pragma once

#include "core/secret.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crypto {

/// Seals secrets for storage with AES-256-GCM (NIST SP 800-38D) under one of several named keys: the first
/// one seals, each of them opens, so a key is replaced by adding a new one, putting it in front once every
/// process has it, and sealing again what `is_current` denies.
///
/// A sealed value is ASCII, `<key id>:<base64url of nonce, ciphertext and tag>`. The 96-bit nonce is random,
/// which holds for 2^32 values a key. Safe to share between threads.
class Keyring {
public:
    /// Reads `id:base64,id:base64,...`: ids match `[A-Za-z0-9_-]{1,32}` and differ, keys are 32 bytes.
    /// Throws std::invalid_argument that says which entry is wrong and never holds any of its text.
    static Keyring parse(std::string_view text);

    /// `aad` is what the value belongs to (its scope and field name): it must be the same when the value is
    /// opened, so a sealed value cannot be moved elsewhere.
    std::string seal(std::string_view plaintext, std::string_view aad) const;

    /// nullopt when the value is malformed, was changed, belongs to another `aad` or to a key that is not
    /// held.
    std::optional<std::string> open(std::string_view sealed, std::string_view aad) const;

    /// Whether the key that writes now sealed this value.
    bool is_current(std::string_view sealed) const;

    /// A 32-byte key for `purpose` alone from each key of the ring, in its order: HMAC-SHA-256 of the
    /// purpose. For what is signed rather than sealed.
    std::vector<core::Secret> derive(std::string_view purpose) const;

private:
    struct Key {
        std::string id;
        core::Secret secret;
    };

    Keyring() = default;

    Key const* find(std::string_view id) const noexcept;

    std::vector<Key> keys_; ///< never empty
};

} // namespace crypto
