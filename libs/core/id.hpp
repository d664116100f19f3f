#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace core {

/// A UUID (RFC 9562). Ordered by its bytes, as in PostgreSQL.
class Uuid {
public:
    constexpr Uuid() = default; ///< the nil UUID

    /// A new version 7 UUID: 48 bits of Unix milliseconds, then 74 random bits. The ids of one thread are
    /// strictly increasing, even if the system clock is set back. Within a millisecond, each id adds a random
    /// 32-bit number to the previous id (RFC 9562, 6.2, method 2). Ids may be predictable, so do not use them
    /// as secrets.
    static Uuid v7();

    static constexpr Uuid from_bytes(std::array<std::uint8_t, 16> const& bytes) noexcept
    {
        Uuid id;
        id.bytes_ = bytes;
        return id;
    }

    /// Accepts the 36-character form in upper or lower case. Returns nullopt for other text.
    static std::optional<Uuid> parse(std::string_view text) noexcept;

    /// Lower case, 36 characters.
    std::string to_string() const;

    /// Writes the text of `to_string` to `out[0..text_size)`.
    void write(char* out) const noexcept;

    static constexpr std::size_t text_size = 36;

    std::array<std::uint8_t, 16> const& bytes() const noexcept { return bytes_; }

    friend auto operator<=>(Uuid const&, Uuid const&) = default;

    /// For boost::hash, which core::Cache uses.
    friend std::size_t hash_value(Uuid const& id) noexcept;

private:
    std::array<std::uint8_t, 16> bytes_{};
};

} // namespace core

template <> struct std::hash<core::Uuid> {
    std::size_t operator()(core::Uuid const& id) const noexcept { return hash_value(id); }
};
