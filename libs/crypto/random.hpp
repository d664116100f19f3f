#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace crypto {

/// Returns `count` random bytes that are suitable for keys. All functions here throw std::runtime_error if
/// the system's generator fails.
std::string random_bytes(std::size_t count);

/// Returns `count` characters of `0-9A-Za-z`, uniformly distributed. Each has 5.95 bits of entropy.
std::string random_base62(std::size_t count);

/// Returns a uniformly distributed 64-bit number.
std::uint64_t random_u64();

} // namespace crypto
