#pragma once

#include "domain/client.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace auth_mfa {

/// The longest redirect URI in bytes.
inline constexpr std::size_t max_redirect_uri = 2'000;

/// Why a redirect URI is refused: the code and the detail of a FieldError.
struct RedirectUriFault {
    std::string_view code; ///< `format`, `scheme`, `host` or `fragment`
    std::string_view detail;
};

/// The fault of a redirect URI, or of a post-logout redirect URI, of a client of this type; nullopt if there
/// is none. The URI must be
/// - an absolute URI of visible ASCII (RFC 3986) without a fragment, and
/// - `https` with a host, `http` with a loopback host (127.0.0.1, [::1] or localhost), or, for public clients
///   only, a private-use scheme with a dot, such as `com.example.app` (RFC 8252, 7.1).
/// `uri` is untrusted text.
std::optional<RedirectUriFault> redirect_uri_fault(std::string const& uri, ClientType type);

/// Whether the client registered this redirect URI. The texts must be equal. If the registered URI of a
/// public client has the scheme `http` and a loopback host, the port may be any other (RFC 8252, 7.3). For
/// the built-in clients, this also applies to hosts below `localhost`, because a local run may use other
/// ports. `uri` is untrusted text.
bool redirect_uri_matches(Client const& client, std::string_view uri);

/// As `redirect_uri_matches`, for post-logout redirect URIs.
bool post_logout_redirect_uri_matches(Client const& client, std::string_view uri);

} // namespace auth_mfa
