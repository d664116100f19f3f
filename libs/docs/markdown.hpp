#pragma once

#include <string>

/// For build tools.
namespace docs {

/// Converts CommonMark to HTML; raw HTML in the text is omitted. Relative links become plain text, and
/// relative images are left out, because their targets are files of the repository, which the service does
/// not serve.
std::string markdown_to_html(std::string const& markdown);

} // namespace docs
