#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Text forms of bytes (RFC 4648). Decoding is strict: nullopt on any character outside the alphabet, white
/// space included, on a wrong length or padding, and on left-over bits that are not zero, so every value has
/// one text.

namespace crypto::hex {

/// Lower case.
std::string encode(std::string_view bytes);

/// Either case.
std::optional<std::string> decode(std::string_view text);

} // namespace crypto::hex

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

/// The alphabet `A-Z2-7` without padding, as authenticator apps take secrets.
namespace crypto::base32 {

std::string encode(std::string_view bytes);

} // namespace crypto::base32
