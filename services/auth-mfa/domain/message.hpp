#pragma once

#include <string>
#include <string_view>

namespace auth_mfa {

/// A new code: 6 digits, every one of the million equally likely.
std::string make_code();

/// The longest name of the provider that messages have room for, in septets.
inline constexpr std::size_t max_provider_septets = 60;

/// The text message that carries a code: names the brand and the provider, says what the code is, how often
/// messages come, what they cost, and how to stop them and get help (interfaces.md, B.2). It is sent as two
/// segments at most: a brand outside the alphabet of text messages is transliterated, one that is too long
/// cut; `fallback` (the tenant's slug) takes the place of one of which nothing is left. `provider` fits the
/// alphabet.
std::string message_text(
    std::string_view brand, std::string_view fallback, std::string_view provider, std::string_view code);

} // namespace auth_mfa
