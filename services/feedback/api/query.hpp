#pragma once

#include "domain/filter.hpp"
#include "http/query.hpp"

namespace feedback {

/// Reads the filters of a list or export; faults gather in `query`. A user's own id takes the place of
/// `userId`.
Filter read_filter(http::Query& query, core::Caller const& caller);

} // namespace feedback
