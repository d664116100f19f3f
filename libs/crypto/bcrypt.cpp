#include "crypto/bcrypt.hpp"

#include "core/secret.hpp"
#include "crypto/compare.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <crypt.h>
#include <memory>
#include <stdexcept>

namespace crypto {

namespace {

constexpr std::size_t max_secret = 72; ///< bcrypt ignores further bytes
constexpr std::size_t head_size = 7;   ///< `$2b$12$`
constexpr std::size_t hash_size = 31;

constexpr bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// The alphabet of bcrypt's own Base64.
constexpr bool is_base64(char c)
{
    return c == '.' || c == '/' || is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// Wipes and frees the working memory of crypt_r(3), which contains the secret.
struct Wiped {
    void operator()(crypt_data* data) const noexcept
    {
        OPENSSL_cleanse(data, sizeof *data);
        std::default_delete<crypt_data>()(data);
    }
};

} // namespace

std::optional<BcryptString> BcryptString::parse(std::string_view text)
{
    if (text.size() != size || !(text.starts_with("$2b$") || text.starts_with("$2y$"))) return std::nullopt;
    if (!is_digit(text[4]) || !is_digit(text[5]) || text[6] != '$') return std::nullopt;
    BcryptString const parsed{.cost = static_cast<unsigned>((text[4] - '0') * 10 + (text[5] - '0'))};
    bool const is_valid = parsed.cost >= min_cost && parsed.cost <= max_cost &&
                          std::ranges::all_of(text.substr(head_size), is_base64);
    return is_valid ? std::optional(parsed) : std::nullopt;
}

bool verify_bcrypt(std::string_view secret, std::string const& hash)
{
    if (!BcryptString::parse(hash) || secret.find('\0') != std::string_view::npos) return false;
    // crypt_r refuses secrets of 512 bytes and more.
    core::Secret const key(std::string(secret.substr(0, max_secret)));
    std::unique_ptr<crypt_data, Wiped> const data(new crypt_data{});
    char const* const made = ::crypt_r(key.reveal().c_str(), hash.c_str(), data.get());
    std::string_view const text = made == nullptr ? "" : made;
    if (text.size() != BcryptString::size) throw std::runtime_error("crypt_r: no bcrypt hash");
    // Only the hash is compared: unused bits of the salt's last character may differ.
    return equal_constant_time(
        text.substr(text.size() - hash_size), std::string_view(hash).substr(hash.size() - hash_size));
}

} // namespace crypto
