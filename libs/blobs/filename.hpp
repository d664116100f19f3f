#pragma once

#include <string_view>

namespace blobs {

/// Whether `name` (UTF-8) may name a file on anybody's machine: not `.` or `..`, and without path separators
/// (`/`, `\`), control characters, line separators, or marks that turn the direction of the text behind them
/// (with which `fdp.exe` is shown as `exe.pdf`).
bool is_filename(std::string_view name) noexcept;

} // namespace blobs
