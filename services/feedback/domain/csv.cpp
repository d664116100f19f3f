#include "domain/csv.hpp"

namespace feedback::csv {

namespace {

bool begins_like_a_formula(std::string_view text)
{
    return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

} // namespace

void add_cell(std::string& row, std::string_view text, bool first)
{
    if (!first) row += ',';
    bool const is_formula = begins_like_a_formula(text);
    if (text.find_first_of("\",;\r\n") == std::string_view::npos) {
        if (is_formula) row += '\'';
        row += text;
        return;
    }
    row += is_formula ? "\"'" : "\"";
    for (char const c : text) {
        if (c == '"') row += '"';
        row += c;
    }
    row += '"';
}

void end_row(std::string& row)
{
    row += "\r\n";
}

} // namespace feedback::csv
