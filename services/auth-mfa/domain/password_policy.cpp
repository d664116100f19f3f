#include "domain/password_policy.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>
#include <zxcvbn.h>

namespace auth_mfa {

namespace {

constexpr std::size_t piece = 32; ///< bytes that libzxcvbn gets at once
constexpr std::size_t most_pieces = 4;
constexpr std::size_t min_word = 3;
constexpr std::size_t max_words = 16;

constexpr bool is_word_character(char c)
{
    return (c >= '0' && c <= '9') || (core::lower(c) >= 'a' && core::lower(c) <= 'z');
}

/// The email, its part before `@`, the domain, and the words of both.
std::vector<std::string> words_of(std::string_view email)
{
    std::vector<std::string> words;
    auto const add = [&](std::string_view word) {
        if (word.size() >= min_word && words.size() < max_words) words.emplace_back(word);
    };
    add(email);
    auto const at = email.find('@');
    add(email.substr(0, at));
    if (at != std::string_view::npos) add(email.substr(at + 1));
    for (auto first = email.begin(); first != email.end();) {
        auto const last = std::find_if_not(first, email.end(), is_word_character);
        add({first, last});
        first = std::find_if(last, email.end(), is_word_character);
    }
    return words;
}

/// The length of the shortest unit of which `text` is a repetition, whose last unit may be incomplete.
std::size_t period_of(std::string_view text)
{
    std::vector<std::size_t> borders(text.size()); // Knuth, Morris and Pratt's failure function
    for (std::size_t i = 1, length = 0; i < text.size(); ++i) {
        while (length > 0 && text[i] != text[length])
            length = borders[length - 1];
        if (text[i] == text[length]) ++length;
        borders[i] = length;
    }
    return text.size() - borders.back();
}

} // namespace

double password_bits(std::string const& password, std::string_view email)
{
    auto const words = words_of(email);
    std::vector<char const*> dictionary(words.size() + 1); // ends with a null pointer
    std::ranges::transform(words, dictionary.begin(), [](std::string const& word) { return word.c_str(); });
    auto const bits_of = [&](std::string const& text) {
        return ::ZxcvbnMatch(text.c_str(), dictionary.data(), nullptr);
    };
    if (password.size() <= piece) return bits_of(password);
    if (auto const period = period_of(password); period <= piece / 2) {
        // Whole units only: libzxcvbn would count an incomplete word as random letters.
        std::size_t const size = piece / period * period;
        return bits_of(password.substr(0, size)) +
               std::log2(static_cast<double>(password.size()) / static_cast<double>(size));
    }
    double bits = 0;
    std::size_t const end = std::min(password.size(), piece * most_pieces);
    for (std::size_t at = 0; at < end && bits < min_password_bits; at += piece)
        bits = std::max(bits, bits_of(password.substr(at, piece)));
    return bits;
}

std::optional<PasswordFault> password_fault(
    std::string const& password, std::string_view email, std::string const* current)
{
    if (!email.empty() && (core::equal_ignoring_case(password, email) ||
                              core::equal_ignoring_case(password, email.substr(0, email.find('@')))))
        return PasswordFault{
            "same_as_email", "must not be the email of the account; choose another password"};
    if (current != nullptr && password == *current)
        return PasswordFault{"same_as_current", "must not be the current password; choose another password"};
    if (password_bits(password, email) < min_password_bits) return weak_password();
    return std::nullopt;
}

PasswordFault weak_password() noexcept
{
    return {"too_weak", "is easy to guess; choose a longer password of several uncommon words, without the "
                        "email, names, dates or keyboard patterns"};
}

} // namespace auth_mfa
