#pragma once
// Private to crypto: Argon2id over memory of our own.

#include "crypto/password.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace crypto {

/// The memory of one hash after the other. Pages come straight from the kernel: an allocator would share its
/// locks with the threads that serve requests, and give the pages back after each hash. One thread at a time.
class HashMemory {
public:
    HashMemory() = default;
    ~HashMemory();
    HashMemory(HashMemory const&) = delete;
    HashMemory& operator=(HashMemory const&) = delete;

    /// At least `size` bytes, of any content; null when there is no memory.
    std::uint8_t* reserve(std::size_t size) noexcept;

    /// Gives the pages back to the kernel, and with them what they contain.
    void release() noexcept;

private:
    std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
};

/// As `hash_password` and `verify_password`, in that memory. Both throw std::runtime_error when there is
/// none.
std::string hash_password(std::string const& secret, Argon2Cost const& cost, HashMemory& memory);
bool verify_password(std::string const& secret, std::string const& phc, HashMemory& memory);

/// A PHC string of Argon2id version 19, taken apart.
struct PhcString {
    Argon2Cost cost;
    std::string salt, hash; ///< bytes

    /// nullopt for anything else, and for a cost that Argon2 does not allow.
    static std::optional<PhcString> parse(std::string_view text);

    std::string str() const;
};

} // namespace crypto
