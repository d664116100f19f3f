#pragma once

#include "core/secret.hpp"
#include "crypto/keyring.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// HMAC-SHA-256 under a key of this service. Redis stores codes and tokens only in this form. The hash covers
/// the value and its context, such as the scope and the user. A person with access
/// to Redis can neither learn the value nor forge another one.
class KeyedHash {
public:
    explicit KeyedHash(crypto::Keyring const& keyring);

    /// The hash under the keyring's first key, as 64 hex digits. Different lists of parts have different
    /// hashes.
    std::string operator()(std::initializer_list<std::string_view> parts) const;

    /// The hash under each key of the keyring, in the keyring's order. During a rotation of ENCRYPTION_KEYS,
    /// another replica may have stored a hash under another key.
    std::vector<std::string> under_each(std::initializer_list<std::string_view> parts) const;

private:
    std::vector<core::Secret> const keys_; ///< never empty
};

} // namespace auth_mfa
