#pragma once

#include <string>
#include <string_view>

/// Colours of the hosted pages that can be read, made from a tenant's accent colour. A colour is the text
/// `#rrggbb` in lower case. The functions are pure.
namespace hosted_pages::brand_colors {

/// The least contrast of text (WCAG 2.2, 1.4.3, level AA).
inline constexpr double min_contrast = 4.5;

/// Whether `text` is `#` and six hexadecimal digits in lower case.
bool is_color(std::string_view text);

/// An accent colour in one mode of the pages.
struct Accent {
    std::string accent;    ///< for text, links and outlines on the page and its cards, and for buttons
    std::string on_accent; ///< for text on the accent: `#ffffff` or `#000000`
};

struct Accents {
    Accent light, dark;
};

/// The accents for `color`. Each has at least `min_contrast` to the page and the cards of its mode. It is
/// `color` if that has the contrast. Otherwise it is darker (light mode) or lighter (dark mode), as little as
/// possible, with the hue and saturation (HSL) of `color`. Throws std::invalid_argument if `color` is no
/// colour.
Accents accents_of(std::string_view color);

/// The style sheet that sets the custom properties `--accent` and `--on-accent` for both modes:
/// `:root{…}@media (prefers-color-scheme:dark){:root{…}}`. Throws the errors of `accents_of`.
std::string style_of(std::string_view accent);

} // namespace hosted_pages::brand_colors
