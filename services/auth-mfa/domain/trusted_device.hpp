#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

/// A browser that a user trusts: sign-ins from it skip the second factor.
struct TrustedDevice {
    core::Uuid id;
    core::Time created_at;
    core::Time last_used_at;
    core::Time expires_at;
    std::string user_agent;
};

/// The value of the cookie `mfa_device`: the browser's id and its secret. All users of a browser share its
/// token, but each user who trusts the browser has a separate row.
struct DeviceToken {
    core::Uuid id;
    std::string secret; ///< base64url of 32 bytes

    static DeviceToken make();

    /// Reads `id.secret`; nullopt when `text` is malformed.
    static std::optional<DeviceToken> parse(std::string_view text);

    /// The token in a request's `Cookie` header (RFC 6265, 4.2). If the cookie occurs several times, the
    /// first one counts. nullopt when the cookie is absent or malformed.
    static std::optional<DeviceToken> from_cookies(std::string_view header);

    std::string text() const; ///< `id.secret`

    /// The stored form: SHA-256 over the scope, the id and the secret, in hex. The secret has 256 random
    /// bits, so a fast hash suffices.
    std::string hash(core::Scope const& scope) const;
};

/// The value of a `Set-Cookie` header that stores `token` for 30 days. `host`: the host of the request.
/// `cross_site`: whether the request came from a page of another site (is_cross_site). Browsers send the
/// cookie to such a page's requests only with `SameSite=None; Secure`, and many only with `Partitioned`: then
/// the browser keeps one cookie for each site whose pages call the service. Otherwise the cookie is
/// `SameSite=Lax`, and `Secure` unless `host` is a local host (auth::token::is_local).
std::string device_cookie(DeviceToken const& token, std::string_view host, bool cross_site);

} // namespace auth_mfa
