// The input is read as a telephone number and as the text of a message.
#include "sms/phone.hpp"

#include "core/fields.hpp"
#include "fuzz.hpp"
#include "sms/gsm7.hpp"

#include <algorithm>
#include <array>
#include <string>

using fuzz::require;
using sms::PhoneNumber;

namespace {

void check_number(std::string_view text)
{
    auto const number = PhoneNumber::parse(text);
    if (!number) return;
    require(number->text() == text && text.size() >= 6 && text.size() <= 16 && text[0] == '+');
    require(std::ranges::all_of(text.substr(1), [](char c) { return c >= '0' && c <= '9'; }));
    require(text[1] != '0');
    require(number->country().empty() || sms::is_country(number->country()));
    require(!number->country().empty() || sms::is_premium(*number)); // numbers without a country are premium
    std::array const countries{std::string(number->country())};
    require(sms::is_among(*number, countries) && sms::is_among(*number, {}));
    auto const masked = number->masked();
    require(masked.size() == text.size() && std::ranges::count(masked, '*') >= 2);
    require(PhoneNumber::parse(number->text()) == number);
}

void check_message(std::string_view text)
{
    if (!core::is_utf8(text)) return;
    auto const message = sms::gsm7::transliterate(text);
    auto const septets = sms::gsm7::septets(message);
    require(septets != sms::gsm7::none && core::is_utf8(message));
    require(message.find_first_of("\r\n\t") == std::string::npos);
    require(message.empty() || (message.front() != ' ' && message.back() != ' '));
    require(sms::gsm7::transliterate(message) == message);
    for (std::size_t const limit : {std::size_t{0}, std::size_t{1}, std::size_t{20}}) {
        auto const cut = sms::gsm7::cut(message, limit);
        require(message.starts_with(cut) && sms::gsm7::septets(cut) <= limit);
        require(cut.size() == message.size() || septets > limit);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size)
{
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    check_number(text);
    check_number("+" + std::string(text));
    check_message(text);
    return 0;
}
