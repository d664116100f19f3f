#include "domain/totp.hpp"

#include "core/text.hpp"
#include "crypto/compare.hpp"
#include "crypto/encoding.hpp"
#include "crypto/hmac.hpp"

#include <array>

namespace auth_mfa::totp {

std::int64_t step_at(core::Time time) noexcept
{
    return core::unix_seconds(time) / step_seconds;
}

std::string code_at(std::string_view seed, std::int64_t step)
{
    std::array<char, 8> counter{};
    for (std::size_t i = 0; i < counter.size(); ++i)
        counter[i] = static_cast<char>(static_cast<std::uint64_t>(step) >> (56 - 8 * i) & 0xff);
    auto const mac = crypto::hmac_sha1(seed, {counter.data(), counter.size()});
    std::size_t const offset = mac.back() & 0xf;
    std::uint32_t const binary = (mac[offset] & 0x7fU) << 24 |
                                 static_cast<std::uint32_t>(mac[offset + 1]) << 16 |
                                 static_cast<std::uint32_t>(mac[offset + 2]) << 8 | mac[offset + 3];
    std::string const digits = std::to_string(binary % 1'000'000);
    return std::string(6 - digits.size(), '0') + digits;
}

std::optional<std::int64_t> match(
    std::string_view seed, std::string_view code, core::Time now, std::int64_t last_step)
{
    std::optional<std::int64_t> matched;
    std::int64_t const current = step_at(now);
    for (std::int64_t step = current - 1; step <= current + 1; ++step) {
        bool const same = crypto::equal_constant_time(code_at(seed, step), code);
        if (same && step > last_step && !matched) matched = step;
    }
    return matched;
}

std::string key_uri(std::string_view seed, std::string_view brand, std::string_view account)
{
    return key_uri_of_secret(crypto::base32::encode(seed), brand, account);
}

std::string key_uri_of_secret(std::string_view secret, std::string_view brand, std::string_view account)
{
    std::string const issuer = core::percent_encode(brand);
    return "otpauth://totp/" + issuer + ':' + core::percent_encode(account) +
           "?secret=" + std::string(secret) + "&issuer=" + issuer + "&algorithm=SHA1&digits=6&period=30";
}

bool is_secret(std::string_view text)
{
    constexpr std::size_t length = seed_bytes * 8 / 5;
    return text.size() == length &&
           text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == std::string_view::npos;
}

} // namespace auth_mfa::totp
