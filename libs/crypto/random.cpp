#include "crypto/random.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace crypto {

static void fill(void* out, std::size_t size)
{
    constexpr std::size_t most = 1 << 20;
    auto* p = static_cast<unsigned char*>(out);
    while (size > 0) {
        std::size_t const step = std::min(size, most);
        if (RAND_bytes(p, static_cast<int>(step)) != 1)
            throw std::runtime_error("the random generator failed");
        p += step;
        size -= step;
    }
}

std::string random_bytes(std::size_t count)
{
    std::string bytes(count, '\0');
    fill(bytes.data(), bytes.size());
    return bytes;
}

std::string random_base62(std::size_t count)
{
    constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    // The largest multiple of 62 that is at most 256. Bytes from this value on are skipped, because they
    // would make the first characters more likely.
    constexpr unsigned fair = 256 / 62 * 62;
    std::string text;
    text.reserve(count);
    std::array<unsigned char, 64> pool{};
    while (text.size() < count) {
        fill(pool.data(), pool.size());
        for (unsigned char const byte : pool)
            if (byte < fair && text.size() < count) text += alphabet[byte % 62];
    }
    return text;
}

std::uint64_t random_u64()
{
    std::uint64_t number = 0;
    fill(&number, sizeof number);
    return number;
}

} // namespace crypto
