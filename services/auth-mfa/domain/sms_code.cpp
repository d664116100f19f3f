#include "domain/sms_code.hpp"

#include "crypto/random.hpp"
#include "sms/gsm7.hpp"

#include <algorithm>
#include <limits>

namespace auth_mfa {

namespace gsm7 = sms::gsm7;

std::string make_sms_code()
{
    constexpr std::uint64_t codes = 1'000'000;
    constexpr std::uint64_t fair = std::numeric_limits<std::uint64_t>::max() / codes * codes;
    std::uint64_t number = crypto::random_u64();
    while (number >= fair)
        number = crypto::random_u64();
    return std::to_string(codes + number % codes).substr(1);
}

bool is_sms_code(std::string_view text) noexcept
{
    return text.size() == 6 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string sms_code_text(
    std::string_view brand, std::string_view fallback, std::string_view provider, std::string_view code)
{
    std::string rest = ": ";
    rest.append(code)
        .append(" is your verification code, sent by ")
        .append(provider)
        .append(". Msg frequency varies. Msg & data rates may apply. Reply STOP to opt out, HELP for help.");
    std::string name = gsm7::transliterate(brand);
    if (name.empty()) name = fallback;
    // One septet stays free, because a two-septet character must not be split between the segments.
    std::size_t const room = gsm7::capacity(2) - 1 - gsm7::septets(rest);
    return std::string(gsm7::cut(name, room)) + rest;
}

} // namespace auth_mfa
