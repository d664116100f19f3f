#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mail {

/// Bytes of HTML that are converted to text, at most. The text of the rest is left out.
inline constexpr std::size_t max_html_bytes = 1'048'576;

/// Converts an HTML document to text, for mail readers that do not show HTML. Input and output are UTF-8.
/// Lines end in LF and have no limit of length; at most one empty line stands between two others.
///
/// - Paragraphs, headings and blocks become lines; `> ` marks the lines of quotations.
/// - Items of lists have bullets (`- `) or their numbers.
/// - A row of a table with data becomes a line, with ` | ` between the cells. A table for the layout becomes
/// lines
///   and paragraphs.
/// - A link becomes `text [URL]`, or only the URL if both are the same. Images become their `alt` text.
/// - Scripts, styles, comments, the head, and elements that their attributes hide (such as `display:none` and
///   `font-size:0`) are left out, and so are invisible characters. Style sheets have no effect.
///
/// Accepts any bytes, well-formed or not, and loads nothing. Time and memory are proportional to the length
/// of `html`; the depth of the stack is constant.
std::string plain_text(std::string_view html);

} // namespace mail
