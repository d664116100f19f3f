#pragma once

#include "blobs/store.hpp"
#include "core/secret.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobs {

/// The tokens in the addresses that LocalStore hands out: all that an address allows, signed, as one
/// base64url text. HMAC-SHA-256 under a key derived for this purpose alone; unlike a sealed value a token has
/// no nonce that could run out.
class Addresses {
public:
    /// The first secret signs, each of them verifies, so that one can be replaced. Throws
    /// std::invalid_argument when there is none, or one of fewer than 16 bytes.
    explicit Addresses(std::vector<core::Secret> const& secrets);

    std::string seal(Upload const& upload) const;
    std::string seal(Download const& download) const;

    /// nullopt when it is malformed, altered, of the other kind, or `expires` has come.
    std::optional<Upload> open_upload(std::string_view token, core::Time now) const;
    std::optional<Download> open_download(std::string_view token, core::Time now) const;

private:
    std::string sign(std::string_view payload) const;
    std::optional<std::string> verify(std::string_view token) const;

    std::vector<core::Secret> keys_;
};

} // namespace blobs
