#pragma once

#include "core/secret.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {
class Fields;
}

namespace notify {

/// The hosts to which Web Push may send (WEB_PUSH_HOSTS). An app chooses the endpoint of its subscription, so
/// without this list it could make the service send requests to any host.
class WebPushHosts {
public:
    /// The push services of Google, Mozilla, Apple and Microsoft.
    static constexpr std::string_view defaults =
        "fcm.googleapis.com,android.googleapis.com,updates.push.services.mozilla.com,web.push.apple.com,"
        "*.push.apple.com,*.notify.windows.com";

    /// Parses `host,host:port,*.domain,...`. `*.domain` stands for all subdomains. A host without a port
    /// stands for port 443. Returns nullopt if an entry is not valid.
    static std::optional<WebPushHosts> parse(std::string_view text);

    /// Whether the host may be used. `host` is in lower case, without brackets.
    bool allows(std::string_view host, std::uint16_t port) const noexcept;

private:
    struct Entry {
        std::string host; ///< without `*`: `.domain` for all subdomains
        std::optional<std::uint16_t> port;
    };

    std::vector<Entry> entries_;
};

/// The subscription of a browser (the Push API's PushSubscription).
struct WebSubscription {
    std::string endpoint;
    std::string p256dh;    ///< the browser's public key: an uncompressed point on P-256, 65 bytes
    std::string auth;      ///< 16 secret bytes, shared with the browser
    std::string vapid_key; ///< the public key that the device registered under (`VapidKey::public_key`)

    /// The JSON form that `restore` reads, without `vapid_key`. For sealing and storing.
    core::Secret to_secret() const;

    /// Throws std::invalid_argument if `secret` is not the output of `to_secret`. The exception contains no
    /// part of the text.
    static WebSubscription restore(std::string_view secret, std::string vapid_key);
};

inline constexpr std::size_t max_web_endpoint = 2'048; ///< characters
inline constexpr std::size_t web_auth_size = 16;       ///< bytes

/// Reads the member `subscription` of a registration: `{endpoint, keys: {p256dh, auth}}`. Further members,
/// such as the browser's `expirationTime`, are ignored. Records errors in `fields`, such as
/// `/subscription/keys/p256dh`. The result has no `vapid_key` and is valid only if there was no error.
WebSubscription read_web_subscription(core::Fields& fields, WebPushHosts const& hosts);

/// The token of a web device with this endpoint: its SHA-256 in lower-case hexadecimal.
std::string web_token(std::string_view endpoint);

/// An endpoint's server.
struct WebOrigin {
    std::string host; ///< in lower case, without brackets
    std::uint16_t port = 0;
    std::string text; ///< RFC 6454, 6.2: `https://host`, with `:port` unless the port is 443
};

/// Returns nullopt if the endpoint is not an https URL without credentials, of visible ASCII characters.
std::optional<WebOrigin> web_origin(std::string const& endpoint);

} // namespace notify
