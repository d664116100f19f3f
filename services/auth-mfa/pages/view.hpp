#pragma once

#include "hosted_pages/template.hpp"
#include "pages/language.hpp"

#include <map>
#include <string>
#include <string_view>

namespace auth_mfa::pages {

using hosted_pages::Data, hosted_pages::set;

/// The template of a page: `pages/templates/layout.html` around the page's own file. It is a Mustache
/// template in which `[[key]]` stands for the text of this key in the user's language, and `[[>name]]` for
/// the file `part_*.html`. Values are escaped for HTML text and quoted attributes; the templates have no
/// unescaped values.
class View {
public:
    /// Throws std::invalid_argument if the template is malformed, or uses a text that the languages do not
    /// have, or an unknown part.
    explicit View(std::string_view file);

    /// Several threads may call it at the same time.
    std::string render(Language const& language, Data const& data) const;

private:
    std::map<std::string_view, hosted_pages::Template> templates_; ///< by the language's code
};

/// The view of a file of pages/templates/, which is parsed at the first call.
template <std::string_view const& file> View const& view_of()
{
    static View const view(file);
    return view;
}

} // namespace auth_mfa::pages
