// Checks two API keys: the input itself, and a key with the input as its random part and the right checksum.
#include "auth/api_key_format.hpp"
#include "crypto/checksum.hpp"
#include "fuzz.hpp"

#include <algorithm>
#include <array>
#include <string>

using fuzz::require;
namespace key_format = auth::api_key_format;

namespace {

constexpr std::array<std::string_view, 4> prefixes{"fbk_", "ntf_", "pk_", "bil_"};

bool is_base62(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// A key is valid only with the prefix of its service. A change of any single character makes the key
/// invalid.
void check_accepted(std::string const& key, std::string_view prefix)
{
    require(key.size() == prefix.size() + key_format::random_length + key_format::checksum_length);
    require(std::ranges::all_of(key.substr(prefix.size()), is_base62));
    require(key.starts_with(key_format::shown(key)));
    for (auto const other : prefixes)
        require(other == prefix || !key_format::is_well_formed(key, other));
    for (std::size_t i = 0; i < key.size(); ++i) {
        std::string mistyped = key;
        mistyped[i] = key[i] == 'a' ? 'b' : 'a';
        require(!key_format::is_well_formed(mistyped, prefix));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string const text(reinterpret_cast<char const*>(data), size);
    for (auto const prefix : prefixes) {
        if (key_format::is_well_formed(text, prefix)) check_accepted(text, prefix);
        std::string key = std::string(prefix) + text;
        key += crypto::crc32_base62(key);
        bool const is_key = size == key_format::random_length && std::ranges::all_of(text, is_base62);
        require(key_format::is_well_formed(key, prefix) == is_key);
        if (is_key) check_accepted(key, prefix);
    }
    return 0;
}
