#pragma once

#include "core/secret.hpp"
#include "crypto/keyring.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// What is kept in Redis of codes and tokens: an HMAC-SHA-256 under a key of this service, over everything
/// the value is bound to. Whoever reads Redis learns neither the value nor what to put in its place.
class KeyedHash {
public:
    explicit KeyedHash(crypto::Keyring const& keyring);

    /// Hex, 64 digits; different for every other list of parts. Under the first key of the ring.
    std::string operator()(std::initializer_list<std::string_view> parts) const;

    /// The same under each key of the ring, in its order: for what another replica may have written, while
    /// keys are changed, with another one first.
    std::vector<std::string> under_each(std::initializer_list<std::string_view> parts) const;

private:
    std::vector<core::Secret> const keys_; ///< never empty
};

} // namespace auth_mfa
