#pragma once

#include "core/scope.hpp"
#include "domain/feedback.hpp"
#include "domain/filter.hpp"
#include "domain/vote_order.hpp"
#include "paging/cursor.hpp"
#include "pg/batch.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// Lists of the table `feedbacks`.
namespace feedback::feedbacks {

/// One page of all threads that are not deleted, newest first. Without `after`, the first page.
struct PlainPage {
    core::ScopeId scope_id{};
    std::optional<paging::Position> after;
    std::size_t limit = 0;
};

/// The pages of many callers in one statement.
pg::Batch<std::vector<Feedback>> list_batch(
    pg::BatchConnection& connection, std::span<PlainPage const> pages);

/// At most `limit` threads in the filter's order, starting after `after`. Not for Sort::votes.
std::vector<Feedback> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit);

/// At most `limit` threads, those with the most votes first, starting after `after` (see VotePosition).
std::vector<ByVotes> list_by_votes(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<VotePosition> const& after, std::size_t limit);

} // namespace feedback::feedbacks
