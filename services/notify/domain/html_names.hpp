#pragma once

#include <string_view>

/// The elements and attributes of HTML that matter for placeholders. All names are in lower case.
/// Sources: the index of attributes (https://html.spec.whatwg.org/multipage/indices.html#attributes-3), the
/// obsolete features (https://html.spec.whatwg.org/multipage/obsolete.html), and SVG 2 and VML for
/// `xlink:href` and the like.
namespace notify::html_names {

/// Whether the text of the element has no tags: RCDATA, RAWTEXT and script.
bool is_raw(std::string_view element) noexcept;

/// Whether the text of the raw element has character references (RCDATA), so that a value can be escaped.
bool has_references(std::string_view raw_element) noexcept;

/// Whether raw elements may be ordinary elements in the content of this element, or be ignored there.
bool changes_raw(std::string_view element) noexcept;

/// Whether a value can be escaped in the quoted attribute. A prefix such as `xlink:` is ignored.
bool is_safe_attribute(std::string_view element, std::string_view attribute) noexcept;

/// Whether the attribute contains a URL. A prefix such as `xlink:` is ignored.
bool is_url(std::string_view attribute) noexcept;

/// Whether a spoiler in the same tag makes values of the attribute unsafe: `http-equiv` makes `content` of
/// `meta` an instruction, and `rel` makes `href` of `link` a style sheet.
bool is_spoilable(std::string_view element, std::string_view attribute) noexcept;
bool is_spoiler(std::string_view element, std::string_view attribute) noexcept;

} // namespace notify::html_names
