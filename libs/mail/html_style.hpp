#pragma once

#include <optional>
#include <string_view>

namespace mail {

/// The declarations of a `style` attribute that decide whether and how text is shown. A nullopt is inherited.
struct HtmlStyle {
    bool hidden = false;         ///< the element and its content are not shown, in any mail reader
    bool hidden_in_word = false; ///< Outlook, which shows HTML with Word, does not show the element
    bool block = false;          ///< the element begins a line
    std::optional<bool> no_font; ///< text has the size 0; images are still shown
    std::optional<bool> invisible;
    std::optional<bool> preformatted; ///< white space is kept
};

/// Reads the value of a `style` attribute. Declarations of other properties and malformed ones have no
/// effect.
HtmlStyle read_style(std::string_view style);

} // namespace mail
