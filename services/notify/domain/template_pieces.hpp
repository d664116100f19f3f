#pragma once

#include "core/text.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace notify {

/// Iterates over a text as literals, with a placeholder after each literal but the last. The text must
/// outlive the object.
class Pieces {
public:
    static constexpr std::string_view opening = "{{", closing = "}}";

    explicit Pieces(std::string_view text) : text_(text) { read(0); }

    /// Offset of the literal in the text.
    std::size_t begin() const noexcept { return begin_; }

    /// Offset of the end of the literal, where the placeholder begins.
    std::size_t end() const noexcept { return end_; }

    std::string_view literal() const noexcept { return text_.substr(begin_, end_ - begin_); }

    /// Whether no `{{` follows the literal.
    bool is_last() const noexcept { return end_ == text_.size(); }

    /// Name of the placeholder that follows the literal; empty if the placeholder is malformed.
    std::string_view name() const noexcept { return name_; }

    /// Precondition: `name()` is not empty.
    void next() { read(end_ + opening.size() + name_.size() + closing.size()); }

private:
    static constexpr bool is_name_character(char c) noexcept
    {
        return (c >= '0' && c <= '9') || (core::lower(c) >= 'a' && core::lower(c) <= 'z') || c == '_' ||
               c == '.';
    }

    void read(std::size_t at)
    {
        begin_ = at;
        end_ = std::min(text_.find(opening, at), text_.size());
        std::string_view const rest = text_.substr(std::min(end_ + opening.size(), text_.size()));
        auto const size =
            static_cast<std::size_t>(std::ranges::find_if_not(rest, is_name_character) - rest.begin());
        name_ = rest.substr(size).starts_with(closing) ? rest.substr(0, size) : std::string_view();
    }

    std::string_view text_, name_;
    std::size_t begin_ = 0, end_ = 0;
};

} // namespace notify
