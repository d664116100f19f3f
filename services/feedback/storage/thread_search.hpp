#pragma once

#include "domain/filter.hpp"
#include "domain/vote_order.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// Lists of threads that match a search query (`filter.text`). The query is found if every required term is
/// found in one of the thread's documents, and no excluded term in any of them. For `filter.for_user`,
/// internal notes are left out.
///
/// Two ways find the threads. Frequent words: walk the threads in the order of the list, and check each of
/// them. Rare words: read the index (function search_threads of migration 0004) for the rarest term, and
/// check its threads. Which one is fast depends on the words, so the first threads of the order are walked in
/// any case, and the index is read only if they do not fill the page.
namespace feedback::thread_search {

/// As feedbacks::list and feedbacks::list_by_votes, for a filter with a text.
std::vector<Feedback> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit);
std::vector<ByVotes> list_by_votes(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<VotePosition> const& after, std::size_t limit);

/// A thread with its relevance for the query.
struct ByRank {
    Feedback thread;
    paging::Position position; ///< the rank as a time, and the id
};

/// At most `limit` threads, most relevant first, starting after `after`. Ranks at most the newest 1,000
/// threads that match. Of words that are frequent in the newest 5,000 threads, it ranks only the matches
/// among these.
std::vector<ByRank> list_by_rank(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit);

} // namespace feedback::thread_search
