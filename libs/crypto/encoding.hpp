#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Text forms of bytes (RFC 4648). Decoding is strict, so that each value has exactly one text. Decoding
/// returns nullopt for characters outside the alphabet (including white space), for a wrong length or
/// padding, and for unused bits that are not zero.

/// The standard alphabet (`+`, `/`) with padding.
namespace crypto::base64 {

std::string encode(std::string_view bytes);
std::optional<std::string> decode(std::string_view text);

} // namespace crypto::base64

/// The alphabet for URLs and file names (`-`, `_`) without padding.
namespace crypto::base64url {

std::string encode(std::string_view bytes);
std::optional<std::string> decode(std::string_view text);

} // namespace crypto::base64url

/// The alphabet `A-Z2-7` without padding, as authenticator apps expect secrets.
namespace crypto::base32 {

std::string encode(std::string_view bytes);

} // namespace crypto::base32
