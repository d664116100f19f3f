#include "domain/recovery_code.hpp"

#include "crypto/random.hpp"

#include <algorithm>

namespace auth_mfa {

namespace {

constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t group = 4;
constexpr std::size_t length = 4 * group;

/// The character of the alphabet that `c` stands for; `\0` when `c` stands for none.
char normalise(char c) noexcept
{
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == 'O') return '0';
    if (c == 'I' || c == 'L') return '1';
    return alphabet.find(c) != alphabet.npos ? c : '\0';
}

RecoveryCode make_recovery_code()
{
    std::string characters = crypto::random_bytes(length);
    for (char& c : characters)
        c = alphabet[static_cast<unsigned char>(c) % alphabet.size()]; // 256 is a multiple of 32
    return {characters.substr(0, group), characters.substr(group)};
}

} // namespace

std::optional<RecoveryCode> RecoveryCode::parse(std::string_view text)
{
    std::string characters;
    for (char const c : text) {
        if (c == '-' || c == ' ') continue;
        characters += normalise(c);
    }
    if (characters.size() != length || characters.find('\0') != std::string::npos) return std::nullopt;
    return RecoveryCode{characters.substr(0, group), characters.substr(group)};
}

std::string RecoveryCode::text() const
{
    std::string text = locator;
    for (std::size_t at = 0; at < secret.size(); at += group)
        text.append("-").append(secret, at, group);
    return text;
}

std::vector<RecoveryCode> make_recovery_codes()
{
    std::vector<RecoveryCode> codes;
    while (codes.size() < recovery_code_count) {
        RecoveryCode code = make_recovery_code();
        if (std::ranges::find(codes, code.locator, &RecoveryCode::locator) == codes.end())
            codes.push_back(std::move(code));
    }
    return codes;
}

} // namespace auth_mfa
