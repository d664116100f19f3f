#include "crypto/compare.hpp"

#include <openssl/crypto.h>

namespace crypto {

bool equal_constant_time(std::string_view a, std::string_view b) noexcept
{
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace crypto
