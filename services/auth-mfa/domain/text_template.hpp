#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace auth_mfa {

/// The value of each placeholder, by its name.
using TemplateValues = std::map<std::string_view, std::string>;

/// A text with placeholders, parsed once. `{{name}}` is replaced with the value of that name.
/// `{{#name}}…{{/name}}` is left out if that value is empty; such sections may be nested. Placeholders in
/// values are not replaced.
class TextTemplate {
public:
    /// Throws std::invalid_argument that names the fault: a placeholder that is not in `names`, a placeholder
    /// without `}}`, or a section that does not end.
    TextTemplate(std::string_view text, std::span<std::string_view const> names);

    /// The text with `values` as they are. Throws std::out_of_range if a placeholder has no value.
    std::string render(TemplateValues const& values) const;

    /// As `render`, with the values escaped for HTML text and for quoted attributes.
    std::string render_html(TemplateValues const& values) const;

private:
    enum class Kind : std::uint8_t { text, value, section, section_end };

    struct Piece {
        Kind kind;
        std::string text;    ///< of other kinds than `text`: the placeholder's name
        std::size_t end = 0; ///< of a section: the index of its end
    };

    template <class Append> std::string render(TemplateValues const& values, Append const& append) const;

    std::vector<Piece> pieces_;
};

} // namespace auth_mfa
