#include "auth/api_key_format.hpp"

#include "crypto/checksum.hpp"
#include "crypto/random.hpp"

#include <algorithm>

namespace auth::api_key_format {

namespace {

constexpr bool is_base62(char c) noexcept
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

} // namespace

std::string generate(std::string_view prefix)
{
    std::string key(prefix);
    key += crypto::random_base62(random_length);
    key += crypto::crc32_base62(key);
    return key;
}

bool is_well_formed(std::string_view raw, std::string_view prefix)
{
    if (raw.size() != prefix.size() + random_length + checksum_length || !raw.starts_with(prefix))
        return false;
    if (!std::ranges::all_of(raw.substr(prefix.size()), is_base62)) return false;
    std::size_t const body = raw.size() - checksum_length;
    return crypto::crc32_base62(raw.substr(0, body)) == raw.substr(body);
}

} // namespace auth::api_key_format
