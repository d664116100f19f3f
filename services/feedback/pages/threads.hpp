#pragma once

#include "core/scope.hpp"
#include "domain/feedback.hpp"
#include "domain/filter.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The queries of the board's pages.
namespace feedback::pages::threads {

using Page = paging::Page<Feedback>;

/// At most `limit` threads of the board in the filter's order (Sort::votes or Sort::created_at), after the
/// cursor, which is empty for the first page. Cursors are those of the API's list. Throws VALIDATION_ERROR if
/// the cursor does not belong to the filter.
Page list(
    pg::Tx& tx, core::Scope const& scope, Filter const& filter, std::string_view cursor, std::size_t limit);

struct Thread {
    Feedback post;
    std::vector<Reply> replies; ///< public ones, oldest first
    bool has_more = false;      ///< whether there are further replies
};

/// The thread with at most `max_replies` of its public replies; nullopt if the board does not show it. If it
/// was merged into a thread that the board shows: that one, without replies.
std::optional<Thread> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id, std::size_t max_replies);

} // namespace feedback::pages::threads
