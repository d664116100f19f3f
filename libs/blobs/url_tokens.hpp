#pragma once

#include "blobs/store.hpp"
#include "core/secret.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobs {

/// The tokens in LocalStore's URLs. A token is a base64url text that contains the permissions of the URL and
/// a signature. The signature is an HMAC-SHA-256 with a key that is derived for this purpose only. Tokens are
/// signed, not sealed with `Keyring`, because a sealed value needs a random nonce and the number of safe
/// nonces per key is limited.
class UrlTokens {
public:
    /// Signs with the first secret and verifies with all of them, so that a secret can be replaced. Throws
    /// std::invalid_argument if `secrets` is empty or if a secret has fewer than 16 bytes.
    explicit UrlTokens(std::vector<core::Secret> const& secrets);

    std::string sign(Upload const& upload) const;
    std::string sign(Download const& download) const;

    /// nullopt if the token is malformed or altered, was made for the other kind of URL, or has expired.
    std::optional<Upload> verify_upload(std::string_view token, core::Time now) const;
    std::optional<Download> verify_download(std::string_view token, core::Time now) const;

private:
    std::string sign_payload(std::string_view payload) const;
    std::optional<std::string> verify_payload(std::string_view token) const;

    std::vector<core::Secret> keys_;
};

} // namespace blobs
