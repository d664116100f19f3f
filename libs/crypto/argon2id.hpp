#pragma once
// For the sources of this library only: Argon2id in memory that this library manages.

#include "crypto/password.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace crypto {

/// Memory for Argon2id, which is reused for later hashes. The memory comes directly from the kernel, because
/// an allocator would share its locks with the threads that serve requests, and would release the memory
/// after each hash. Only one thread at a time may use this object.
class HashMemory {
public:
    HashMemory() = default;
    ~HashMemory();
    HashMemory(HashMemory const&) = delete;
    HashMemory& operator=(HashMemory const&) = delete;

    /// Returns at least `size` bytes with unspecified content. Returns null if the kernel has no memory.
    std::uint8_t* reserve(std::size_t size) noexcept;

    /// Returns the memory to the kernel, which discards its content.
    void release() noexcept;

    /// Frees the memory if it is larger than `limit` bytes.
    void shrink(std::size_t limit) noexcept;

    /// The size in bytes of the memory, which the kernel may have back.
    std::size_t size() const noexcept { return size_; }

private:
    std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Like the functions of the same name in password.hpp, but with the given memory for Argon2id. Both throw
/// std::runtime_error if the kernel has no memory.
std::string hash_password(std::string const& secret, Argon2Cost const& cost, HashMemory& memory);
bool verify_password(std::string const& secret, std::string const& hash, HashMemory& memory);

/// A parsed PHC string of Argon2id version 19.
struct PhcString {
    Argon2Cost cost;
    std::string salt, hash; ///< raw bytes

    /// Returns nullopt for any other text, and for a cost, salt or hash size that Argon2 does not allow. The
    /// text has one form: numbers without leading zeros, no optional parameters. So `str()` returns it again.
    static std::optional<PhcString> parse(std::string_view text);

    std::string str() const;
};

} // namespace crypto
