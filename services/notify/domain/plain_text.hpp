#pragma once

#include <string>
#include <string_view>

namespace notify {

/// What an HTML document says, for readers that show none: paragraphs, lists and line breaks as lines, links
/// as `text (address)`, pictures as what they say of themselves, character references decoded. Scripts,
/// styles, comments and the head are left out. Any text is read, well-formed or not, in linear time; UTF-8
/// in, UTF-8 out, lines end in LF.
std::string plain_text(std::string_view html);

} // namespace notify
