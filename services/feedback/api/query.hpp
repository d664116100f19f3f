#pragma once

#include "domain/filter.hpp"
#include "domain/visibility.hpp"
#include "http/query.hpp"
#include "paging/cursor.hpp"

namespace feedback {

/// Reads the filters of a list or export; faults gather in `query`. A user's own id takes the place of
/// `userId`.
Filter read_filter(http::Query& query, core::Caller const& caller);

/// Where a page that ends with `f` ends, as this viewer sees it.
paging::Position position_of(Feedback const& f, Filter const& filter, Viewer const& viewer);

/// Whether the list searches (`q`).
bool searches(http::Request const& req);

} // namespace feedback
