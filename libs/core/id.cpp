#include "core/id.hpp"

#include "core/hex.hpp"

#include <boost/container_hash/hash.hpp>
#include <openssl/rand.h>

#include <chrono>
#include <cstring>
#include <stdexcept>

namespace core {

namespace {

constexpr std::uint64_t rand_b_mask = (std::uint64_t{1} << 62) - 1;

constexpr bool is_dash_place(std::size_t i) noexcept
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

/// The state from which one thread generates its ids. Random bytes are fetched in bulk, since each call of
/// the generator is expensive.
class Sequence {
public:
    Uuid next(std::uint64_t now_ms)
    {
        if (now_ms > ms_)
            restart(now_ms);
        else
            advance();
        return compose();
    }

private:
    void restart(std::uint64_t ms)
    {
        ms_ = ms;
        // The top bit of `rand_a_` starts at 0, so that many ids can be generated within the millisecond
        // before the value overflows.
        rand_a_ = static_cast<std::uint16_t>(random(sizeof rand_a_) & 0x7ff);
        rand_b_ = random(sizeof rand_b_) & rand_b_mask;
    }

    void advance()
    {
        rand_b_ += 1 + random(sizeof(std::uint32_t));
        if (rand_b_ <= rand_b_mask) return;
        rand_b_ &= rand_b_mask;
        if (++rand_a_ > 0xfff) restart(ms_ + 1);
    }

    Uuid compose() const noexcept
    {
        std::array<std::uint8_t, 16> bytes{};
        for (std::size_t i = 0; i < 6; ++i)
            bytes[i] = static_cast<std::uint8_t>(ms_ >> (8 * (5 - i)));
        bytes[6] = static_cast<std::uint8_t>(0x70 | (rand_a_ >> 8));
        bytes[7] = static_cast<std::uint8_t>(rand_a_);
        for (std::size_t i = 0; i < 8; ++i)
            bytes[8 + i] = static_cast<std::uint8_t>(rand_b_ >> (8 * (7 - i)));
        bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[8] & 0x3f));
        return Uuid::from_bytes(bytes);
    }

    std::uint64_t random(std::size_t size)
    {
        if (pool_.size() - used_ < size) {
            if (RAND_bytes(pool_.data(), static_cast<int>(pool_.size())) != 1)
                throw std::runtime_error("the random generator failed");
            used_ = 0;
        }
        std::uint64_t value = 0;
        std::memcpy(&value, pool_.data() + used_, size);
        used_ += size;
        return value;
    }

    std::uint64_t ms_ = 0;
    std::uint16_t rand_a_ = 0;
    std::uint64_t rand_b_ = 0;
    std::array<std::uint8_t, 512> pool_{};
    std::size_t used_ = pool_.size();
};

} // namespace

Uuid Uuid::v7()
{
    using namespace std::chrono;
    thread_local Sequence sequence;
    return sequence.next(static_cast<std::uint64_t>(
        duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()));
}

std::optional<Uuid> Uuid::parse(std::string_view text) noexcept
{
    if (text.size() != text_size) return std::nullopt;
    Uuid id;
    std::size_t byte = 0;
    for (std::size_t i = 0; i < text_size;) {
        if (is_dash_place(i)) {
            if (text[i++] != '-') return std::nullopt;
            continue;
        }
        int const high = hex::value(text[i]);
        int const low = hex::value(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        id.bytes_[byte++] = static_cast<std::uint8_t>(high * 16 + low);
        i += 2;
    }
    return id;
}

void Uuid::write(char* out) const noexcept
{
    std::size_t byte = 0;
    for (std::size_t i = 0; i < text_size;) {
        if (is_dash_place(i)) {
            out[i++] = '-';
            continue;
        }
        out[i++] = hex::digits[bytes_[byte] >> 4];
        out[i++] = hex::digits[bytes_[byte++] & 15];
    }
}

std::string Uuid::to_string() const
{
    std::string text(text_size, '\0');
    write(text.data());
    return text;
}

std::size_t hash_value(Uuid const& id) noexcept
{
    std::array<std::uint64_t, 2> halves{};
    std::memcpy(halves.data(), id.bytes_.data(), sizeof halves);
    std::size_t seed = 0;
    boost::hash_combine(seed, halves[0]);
    boost::hash_combine(seed, halves[1]);
    return seed;
}

} // namespace core
