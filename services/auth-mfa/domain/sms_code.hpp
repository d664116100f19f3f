#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace auth_mfa {

/// Where the codes for a phone go.
enum class CodeDestination : std::uint8_t {
    phone,   ///< to the phone
    sandbox, ///< a message of a sandbox does not leave
    nowhere, ///< a test phone gets no messages
};

/// A new random code: 6 digits, each of the million codes equally likely.
std::string make_sms_code();

/// Whether `text` has the form of a code: exactly 6 digits.
bool is_sms_code(std::string_view text) noexcept;

/// The maximum length of the provider's name in a message, in septets.
inline constexpr std::size_t max_provider_septets = 60;

/// The text message that contains a code. The message names the brand and the provider, the purpose of the
/// code, the frequency and cost of messages, and the keywords STOP and HELP. `brand` is transliterated to
/// GSM-7 and cut, so that the message fits into two segments. `fallback` (the tenant's slug) is used if
/// nothing of the brand is left. `provider` must be GSM-7.
std::string sms_code_text(
    std::string_view brand, std::string_view fallback, std::string_view provider, std::string_view code);

} // namespace auth_mfa
