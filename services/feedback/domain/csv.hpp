#pragma once

#include <string>
#include <string_view>

/// Comma-separated values (RFC 4180).
namespace feedback::csv {

/// Appends a cell and, unless it is the first of its row, a comma before it. A cell that a spreadsheet would
/// read as a formula, because it begins with `=`, `+`, `-`, `@`, a tab or a carriage return, gets a leading
/// `'`.
void add_cell(std::string& row, std::string_view text, bool first = false);

/// Ends a row.
void end_row(std::string& row);

} // namespace feedback::csv
