#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace core {

/// Appends `text` to the file `path`, under an exclusive lock (flock), so that the texts of several threads
/// and processes do not mix. Creates the file, readable by its owner only, if it does not exist. Blocking.
/// Returns the error, if any. After an error, a regular file is cut back to its previous size.
std::error_code append_to_file(std::string const& path, std::string_view text);

} // namespace core
