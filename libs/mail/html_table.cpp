#include "mail/html_table.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

namespace mail {

namespace {

using Node = HtmlTree::Node;

constexpr std::size_t short_text = 78; // RFC 5322, 2.1.1: a line that every reader can show
constexpr int max_columns = 1'000;     // HTML 4.9.11

constexpr std::array<std::string_view, 21> blocks{"address", "article", "blockquote", "center", "div", "dl",
    "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "p", "pre", "section", "table", "ul"};
static_assert(std::ranges::is_sorted(blocks));

bool is_cell(std::string_view tag)
{
    return tag == "td" || tag == "th";
}

int columns_of(HtmlTree const& tree, Node cell)
{
    auto const text = tree.attribute(cell, "colspan").value_or("1");
    int columns = 1;
    std::from_chars(text.data(), text.data() + text.size(), columns);
    return std::clamp(columns, 1, max_columns);
}

/// Whether the element has no blocks and at most `short_text` bytes of text.
bool is_short(HtmlTree const& tree, Node top)
{
    std::size_t size = 0;
    for (auto node = tree.next_within(top, top); node != HtmlTree::none && size <= short_text;
        node = tree.next_within(top, node)) {
        if (std::ranges::binary_search(blocks, tree.tag(node))) return false;
        if (tree.tag(node).empty()) size += core::trim(tree.text(node)).size();
    }
    return size <= short_text;
}

/// The rows of a table, as numbers of columns.
struct Shape {
    std::vector<int> rows;
    bool has_header = false;
    bool nested = false;
    bool short_cells = true;
};

Shape shape_of(HtmlTree const& tree, Node table)
{
    Shape shape;
    for (auto node = tree.next_within(table, table); node != HtmlTree::none;
        node = tree.next_within(table, node)) {
        auto const tag = tree.tag(node);
        shape.nested = tag == "table";
        if (shape.nested) break;
        shape.has_header = shape.has_header || tag == "th" || tag == "thead" || tag == "caption";
        if (tag == "tr") shape.rows.push_back(0);
        if (!is_cell(tag)) continue;
        if (!shape.rows.empty())
            shape.rows.back() = std::min(shape.rows.back() + columns_of(tree, node), max_columns);
        shape.short_cells = shape.short_cells && is_short(tree, node);
    }
    return shape;
}

} // namespace

bool is_data_table(HtmlTree const& tree, Node table)
{
    auto const role = core::lower(tree.attribute(table, "role").value_or(""));
    if (role == "presentation" || role == "none") return false;
    auto const shape = shape_of(tree, table);
    if (shape.nested) return false;
    if (shape.has_header) return true;
    bool const grid = shape.rows.size() > 1 && shape.rows.front() > 1 &&
                      std::ranges::adjacent_find(shape.rows, std::not_equal_to()) == shape.rows.end();
    return grid && shape.short_cells;
}

bool is_short_row(HtmlTree const& tree, Node row)
{
    return is_short(tree, row);
}

} // namespace mail
