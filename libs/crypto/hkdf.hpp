#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crypto {

/// HKDF with SHA-256 (RFC 5869), both steps. Derives `size` bytes from `secret`. `size` is 1 to 8160.
std::string hkdf_sha256(
    std::string_view secret, std::string_view salt, std::string_view info, std::size_t size);

} // namespace crypto
