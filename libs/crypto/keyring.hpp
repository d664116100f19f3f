#pragma once

#include "core/secret.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crypto {

/// Encrypts secrets for storage with AES-256-GCM (NIST SP 800-38D) under named keys. The first key encrypts;
/// all keys decrypt. To replace a key: add a new key at the end, move the new key to the front when all
/// processes have it, and re-encrypt each value for which `is_current` is false.
///
/// A sealed value is ASCII: `<key id>:<base64url of nonce, ciphertext and tag>`. The 96-bit nonce is random,
/// which is safe for 2^32 values per key. Thread-safe.
class Keyring {
public:
    /// Parses `id:base64,id:base64,...`. Ids match `[A-Za-z0-9_-]{1,32}` and are unique; keys have 32 bytes.
    /// Throws std::invalid_argument if an entry is invalid. The message gives the number of the entry and
    /// does not contain its text.
    static Keyring parse(std::string_view text);

    /// `aad` identifies the owner of the value (its scope and field name). `open` needs the same `aad`, so a
    /// sealed value that is copied to another row or field cannot be opened there.
    std::string seal(std::string_view plaintext, std::string_view aad) const;

    /// Returns nullopt if the value is malformed or was modified, or if its `aad` differs or its key is
    /// unknown.
    std::optional<std::string> open(std::string_view sealed, std::string_view aad) const;

    /// Whether the current (first) key sealed this value.
    bool is_current(std::string_view sealed) const;

    /// Derives a 32-byte key for `purpose` from each key of the ring, in the order of the ring. A derived key
    /// is the HMAC-SHA-256 of `purpose` under the ring's key. Use derived keys for values that are signed
    /// instead of sealed.
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
