#pragma once

#include <string>

namespace testing {

/// The content of the file; empty if the file cannot be read.
std::string read_file(std::string const& path);

/// Writes a new file and renames it to `path`, so that no reader sees a part of the text.
void write_file(std::string const& path, std::string const& text);

} // namespace testing
