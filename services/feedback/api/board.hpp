#pragma once

#include "api/vote_page.hpp"
#include "deps.hpp"
#include "domain/filter.hpp"
#include "domain/viewer.hpp"
#include "http/message.hpp"
#include "http/query.hpp"
#include "paging/cursor.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

/// The board: public threads, for everyone. It never shows ids and emails of users, assignees, internal notes
/// and attachments.
namespace feedback::board {

/// Throws NOT_FOUND while the board of the request's scope is off.
asio::awaitable<void> require_on(http::Request const& req, Deps& deps);

/// Reads the filters and the order of a list: `status`, `category`, `q` and `sort`.
Filter read_filter(http::Query& query);

/// One page of the threads that the board lists. `cursor` of `query` continues a list. Throws
/// VALIDATION_ERROR if a parameter of `query` is invalid.
asio::awaitable<paging::Page<Feedback>> list(http::Request const& req, Deps& deps, http::Query& query);

/// A public thread with a page of its public replies, oldest first.
struct Thread {
    Feedback feedback;
    paging::Page<Reply> replies;
};

/// The thread in the path. Throws NOT_FOUND if the board does not show it.
asio::awaitable<Thread> get(http::Request const& req, Deps& deps);

} // namespace feedback::board

namespace feedback {

/// GET /board/threads
asio::awaitable<http::Response> list_board_threads(http::Request const& req, Deps& deps);
/// GET /board/threads/{feedbackId}
asio::awaitable<http::Response> get_board_thread(http::Request const& req, Deps& deps);

} // namespace feedback
