#pragma once

#include "domain/filter.hpp"
#include "domain/viewer.hpp"
#include "http/query.hpp"
#include "paging/cursor.hpp"

namespace feedback {

/// Reads the filters of a list or an export. Errors are collected in `query`. If the caller is a user, the
/// filter `userId` is always the caller's own id.
Filter read_filter(http::Query& query, core::Caller const& caller);

/// The cursor position of `f` in the filter's order, as this viewer sees it.
paging::Position position_of(Feedback const& f, Filter const& filter, Viewer const& viewer);

/// Whether the request has a full-text query (`q`).
bool searches(http::Request const& req);

} // namespace feedback
