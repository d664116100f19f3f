#pragma once

#include <string>
#include <string_view>

namespace mail {

/// Converts an HTML document to text, for mail readers that do not show HTML. Paragraphs, lists and line
/// breaks become lines, links become `text (URL)`, images become their `alt` text, and character references
/// are decoded. Scripts, styles, comments and the head are left out. Accepts any text, well-formed or not,
/// and takes linear time. Input and output are UTF-8; lines end in LF.
std::string plain_text(std::string_view html);

} // namespace mail
