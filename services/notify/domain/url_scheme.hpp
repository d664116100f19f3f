#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace notify {

/// The URLs that an attribute with a placeholder may contain.
inline constexpr std::string_view permitted_urls =
    "begin with `http:`, `https:`, `mailto:` or `tel:`, or be relative";

/// Checks how a URL begins, while the URL is read in parts. The rule is stricter than the WHATWG URL parser,
/// which ignores tabs, line breaks and leading control characters: a colon before the first `/`, `?` or `#`
/// must follow exactly `http`, `https`, `mailto` or `tel`. Blanks before the URL are ignored. A backslash
/// before the first `/`, `?` or `#` is refused, because browsers read it as `/`, and Outlook reads `\\` as
/// the name of a file server.
class UrlScheme {
public:
    /// Reads text of a template. A character reference before the end of the scheme is refused, because the
    /// scheme could contain it.
    void read_literal(std::string_view text) { read(text, true); }

    /// Reads a value.
    void read_value(std::string_view value) { read(value, false); }

    /// Whether further text can change the result.
    bool is_open() const noexcept { return state_ == State::open; }

    bool is_refused() const noexcept { return state_ == State::refused; }

private:
    enum class State : std::uint8_t { open, permitted, refused };

    void read(std::string_view text, bool literal);
    State after(char c, bool literal);

    State state_ = State::open;
    std::string scheme_; ///< the text so far, shortened if it is longer than any permitted scheme
};

} // namespace notify
