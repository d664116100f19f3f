#pragma once

#include "mail/html_tree.hpp"

namespace mail {

/// Whether a `table` element shows data, so that its rows and cells have a meaning; otherwise it is for the
/// layout of a page. A table of data has no other table inside and no `role="presentation"`. It has header
/// cells, a caption or a `thead`; or at least two rows of the same number of short cells, at least two.
bool is_data_table(HtmlTree const& tree, HtmlTree::Node table);

/// Whether all cells of a `tr` element of a layout fit one line of text.
bool is_short_row(HtmlTree const& tree, HtmlTree::Node row);

} // namespace mail
