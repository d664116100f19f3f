#include "mail/html_style.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <string>

namespace mail {

namespace {

/// Whether a value is zero, as a number or with a unit: `0`, `0px`, `.0em`, `0%`.
bool is_zero(std::string_view value)
{
    auto const end = std::min(value.find_first_not_of("0123456789."), value.size());
    auto const number = value.substr(0, end);
    return number.find('0') != std::string_view::npos &&
           number.find_first_of("123456789") == std::string_view::npos;
}

/// Whether a font size depends on the size of the parent, as `80%` and `1.2em` do.
bool is_relative(std::string_view size)
{
    return size.ends_with('%') || (size.ends_with("em") && !size.ends_with("rem")) || size.ends_with("ex") ||
           size == "inherit" || size == "larger" || size == "smaller";
}

class StyleReader {
public:
    HtmlStyle read(std::string_view style)
    {
        while (!style.empty()) {
            auto const declaration = style.substr(0, style.find(';'));
            style.remove_prefix(std::min(declaration.size() + 1, style.size()));
            auto const colon = declaration.find(':');
            if (colon == std::string_view::npos) continue;
            auto value = core::lower(declaration.substr(colon + 1));
            value.resize(std::min(value.find('!'), value.size())); // `!important`
            declare(core::lower(core::trim(declaration.substr(0, colon))), core::trim(value));
        }
        style_.hidden = style_.hidden || (no_size_ && cut_off_);
        return style_;
    }

private:
    void declare(std::string_view name, std::string_view value)
    {
        if (value.empty()) return;
        if (name == "display")
            set_display(value);
        else if (name == "visibility")
            style_.invisible = value == "hidden" || value == "collapse";
        else if (name == "font-size")
            set_font_size(value);
        else if (name == "white-space")
            style_.preformatted = value.starts_with("pre");
        else if (name == "mso-hide")
            style_.hidden_in_word = value == "all";
        else if (name == "overflow")
            cut_off_ = value == "hidden" || value == "clip";
        else if (is_zero(value))
            set_zero(name);
    }

    void set_display(std::string_view value)
    {
        style_.hidden = style_.hidden || value == "none";
        style_.block = value == "block" || value == "table" || value == "flex" || value == "list-item";
    }

    void set_font_size(std::string_view value)
    {
        if (is_zero(value))
            style_.no_font = true;
        else if (!is_relative(value))
            style_.no_font = false;
    }

    void set_zero(std::string_view name)
    {
        if (name == "max-height" || name == "opacity") style_.hidden = true;
        if (name == "height" || name == "width" || name == "max-width") no_size_ = true;
    }

    HtmlStyle style_;
    bool no_size_ = false;
    bool cut_off_ = false; ///< content outside of the element's box is not shown
};

} // namespace

HtmlStyle read_style(std::string_view style)
{
    return StyleReader().read(style);
}

} // namespace mail
