#pragma once

#include "core/secret.hpp"
#include "crypto/keyring.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace auth_mfa {

/// What is kept in Redis of codes and tokens: an HMAC-SHA-256 under a key of this service, over everything
/// the value is bound to. Whoever reads Redis learns neither the value nor what to put in its place.
class KeyedHash {
public:
    explicit KeyedHash(crypto::Keyring const& keyring);

    /// Hex, 64 digits; different for every other list of parts.
    std::string operator()(std::initializer_list<std::string_view> parts) const;

private:
    core::Secret const key_;
};

} // namespace auth_mfa
