#pragma once

#include "core/clock.hpp"
#include "core/secret.hpp"
#include "crypto/jwt.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Voluntary Application Server Identification (VAPID) for Web Push, RFC 8292: a push service accepts a push
/// only if it is signed with the key under which the browser has subscribed.
namespace notify {

/// A signing key of a scope.
struct VapidKey {
    crypto::SigningKey key;
    core::Secret pem;
    std::string public_key; ///< the uncompressed point, base64url (`applicationServerKey` of browsers)

    static VapidKey generate();

    /// Throws std::invalid_argument if `pem` is not a P-256 private key.
    static VapidKey restore(std::string_view pem);
};

/// The keys of a scope, and the contact that push services get.
struct VapidKeys {
    /// Maximum number of keys. Earlier keys are kept, because devices keep the key that they registered
    /// under.
    static constexpr std::size_t max_keys = 10;

    std::string subject;
    std::vector<VapidKey> keys; ///< never empty; first the current key, then earlier keys, newest first

    VapidKey const& current() const noexcept { return keys.front(); }

    /// The key with this public key; null if there is none.
    VapidKey const* find(std::string_view public_key) const noexcept;
};

inline constexpr std::size_t max_vapid_subject = 300; ///< bytes

/// Whether `text` is a contact for push services: `mailto:` with an email address, or an https URL.
bool is_vapid_subject(std::string const& text);

/// The value of the header `Authorization` for requests to `origin` (`https://host` or `https://host:port`).
/// It is valid until `expires`, which must be at most 24 hours away.
std::string vapid_authorization(
    VapidKey const& key, std::string_view subject, std::string_view origin, core::Time expires);

} // namespace notify
