#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crypto {

/// 32 bytes: a SHA-256 hash or an HMAC-SHA-256.
using Digest = std::array<std::uint8_t, 32>;

/// 20 bytes: a SHA-1 hash or an HMAC-SHA-1.
using Sha1Digest = std::array<std::uint8_t, 20>;

/// SHA-256 (FIPS 180-4).
Digest sha256(std::string_view data);

/// SHA-1 (FIPS 180-4). Collisions can be computed. Use it only for protocols that require it and do not rely
/// on its resistance to collisions.
Sha1Digest sha1(std::string_view data);

/// The digest's bytes. Valid for the lifetime of `digest`.
template <std::size_t size> std::string_view view(std::array<std::uint8_t, size> const& digest) noexcept
{
    return {reinterpret_cast<char const*>(digest.data()), digest.size()};
}

} // namespace crypto
