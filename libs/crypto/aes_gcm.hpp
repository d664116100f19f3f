#pragma once

#include <optional>
#include <string>
#include <string_view>

/// AES in Galois/Counter Mode (NIST SP 800-38D), with a 96-bit nonce and a 128-bit tag.
namespace crypto::aes_gcm {

inline constexpr std::size_t nonce_size = 12; ///< in bytes
inline constexpr std::size_t tag_size = 16;   ///< in bytes

/// Returns the ciphertext, followed by the tag. `key` has 16 bytes (AES-128) or 32 bytes (AES-256); `nonce`
/// has `nonce_size` bytes and must be used only once per key. `aad` is authenticated and not encrypted.
std::string encrypt(
    std::string_view key, std::string_view nonce, std::string_view plaintext, std::string_view aad = {});

/// The inverse of `encrypt`. Returns nullopt if `box` is too short or was modified, or if the key, the nonce
/// or `aad` differs.
std::optional<std::string> decrypt(
    std::string_view key, std::string_view nonce, std::string_view box, std::string_view aad = {});

} // namespace crypto::aes_gcm
