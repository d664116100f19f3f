#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/identity.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

/// A browser that a user does not want to be asked for the second factor on.
struct Device {
    core::Uuid id;
    core::Time created_at;
    core::Time last_used_at;
    core::Time expires_at;
    std::string user_agent;
};

/// What the cookie `mfa_device` holds: which browser it is, and the secret that shows it. Users that share a
/// browser share its token; each has a row of their own that says whether they trust it.
struct DeviceToken {
    core::Uuid id;
    std::string secret; ///< base64url of 32 bytes

    static DeviceToken make();

    /// Reads `id.secret`; nullopt when it is not that.
    static std::optional<DeviceToken> parse(std::string_view text);

    /// The token in a request's `Cookie` header (RFC 6265, 4.2); the first of several. nullopt when there is
    /// none.
    static std::optional<DeviceToken> from_cookies(std::string_view header);

    std::string text() const; ///< `id.secret`

    /// What is stored of it: SHA-256 over the scope, the id and the secret, which has 256 bits of its own;
    /// hex.
    std::string hash(core::Scope const& scope) const;
};

/// The value of `Set-Cookie` that makes a browser on `host` keep `token` for 30 days; it travels without TLS
/// on local hosts alone (auth::token::is_local).
std::string device_cookie(DeviceToken const& token, std::string_view host);

} // namespace auth_mfa
