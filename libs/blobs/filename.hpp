#pragma once

#include <string_view>

namespace blobs {

/// Whether `name` (UTF-8) is a safe file name on all systems. It must not be `.` or `..`, and must not
/// contain path separators (`/`, `\`), control characters, line separators or direction marks. A direction
/// mark changes the direction of the text after it, so that `fdp.exe` is shown as `exe.pdf`.
bool is_filename(std::string_view name) noexcept;

} // namespace blobs
