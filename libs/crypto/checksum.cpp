#include "crypto/checksum.hpp"

#include <boost/crc.hpp>

#include <cstdint>

namespace crypto {

std::string crc32_base62(std::string_view text)
{
    constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    boost::crc_32_type crc;
    crc.process_bytes(text.data(), text.size());
    std::uint32_t rest = crc.checksum();
    std::string digits(6, '0');
    for (std::size_t i = digits.size(); i-- > 0; rest /= 62)
        digits[i] = alphabet[rest % 62];
    return digits;
}

} // namespace crypto
