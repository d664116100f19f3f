#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace crypto {

/// `count` bytes from the system-seeded generator, fit for keys. As the others here, throws
/// std::runtime_error when the generator fails.
std::string random_bytes(std::size_t count);

/// `count` characters, each of `0-9A-Za-z` equally likely: 5.95 bits a character.
std::string random_base62(std::size_t count);

/// Any 64-bit number, equally likely.
std::uint64_t random_u64();

} // namespace crypto
