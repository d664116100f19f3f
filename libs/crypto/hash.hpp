#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace crypto {

/// 32 bytes: a SHA-256 hash or an HMAC-SHA-256.
using Digest = std::array<std::uint8_t, 32>;

/// SHA-256 (FIPS 180-4).
Digest sha256(std::string_view data);

/// The digest's bytes. Valid for the lifetime of `digest`.
inline std::string_view view(Digest const& digest) noexcept
{
    return {reinterpret_cast<char const*>(digest.data()), digest.size()};
}

} // namespace crypto
