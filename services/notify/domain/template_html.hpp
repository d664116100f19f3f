#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify {

/// The position of a placeholder in an HTML text. It decides how the value is escaped.
struct HtmlSlot {
    /// In a conditional comment of Outlook. `-` is then escaped too, so that no value ends the comment.
    bool in_comment = false;

    /// In a URL attribute: the quote that ends the attribute's value. Otherwise U+0000.
    char quote = '\0';
    /// In a URL attribute: whether this is the first placeholder of the attribute's value.
    bool is_first = false;
    /// If `is_first`: the text of the attribute's value before the placeholder. Refers to the HTML text.
    std::string_view before;

    /// Whether the value is checked and not percent-encoded, because the URL begins with it.
    bool begins_url() const noexcept;
};

/// An error in an HTML text: a placeholder where no value is safe.
struct HtmlFault {
    std::size_t at; ///< offset of the placeholder
    std::string what;
};

/// The positions of all placeholders in an HTML text, or the first error.
struct HtmlLayout {
    std::vector<HtmlSlot> slots;    ///< one for each placeholder, in the order of the text
    std::optional<HtmlFault> fault; ///< if set, `slots` is incomplete
};

/// Reads an HTML text with the states of the WHATWG tokenizer
/// (https://html.spec.whatwg.org/multipage/parsing.html#tokenization), in linear time. Precondition: the
/// placeholders are well-formed.
///
/// A placeholder may be in the text of an element, also of `title` and `textarea`, and in a quoted value of
/// an attribute. In URL attributes, the URL must begin with a placeholder, be relative, or have a permitted
/// scheme (see `UrlScheme`). A placeholder is an error in these places, because no way to escape a value is
/// safe there:
///
/// - in `style`, `script` and other elements whose text has no character references, in comments,
///   declarations and end tags
/// - in the name of a tag or an attribute, and in an attribute's value without quotes
/// - in attributes whose value is code or markup: `on…`, `style`, `srcdoc`, `srcset`, `http-equiv`, and names
///   that only scripts use (`@click`, `[href]`)
/// - in attributes of `script`, `style` and of SVG's animations; in `content` of a `meta` with `http-equiv`,
///   and in `href` of a `link` with `rel`
/// - after markup that HTML parsers read in different ways, such as `<![CDATA[`
///
/// A conditional comment (`<!--[if mso]> … <![endif]-->`) is a comment for browsers and HTML for Outlook. A
/// placeholder in it must be permitted in that HTML.
HtmlLayout read_html(std::string_view text);

/// Appends the value for the placeholder at `slot`. The value of a URL attribute is not checked: see
/// `refused_urls`.
void append_value(std::string& out, HtmlSlot const& slot, std::string_view value);

} // namespace notify
