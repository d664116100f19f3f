#pragma once

#include "domain/filter.hpp"
#include "domain/vote_order.hpp"
#include "paging/cursor.hpp"
#include "pg/param.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Parts of the statements that list threads. Only the files of storage/ use this header.
namespace feedback::feedbacks {

/// Which threads a statement reads for a search (storage/thread_search.cpp).
struct Restriction {
    std::vector<core::Uuid> const* among = nullptr; ///< if set, only these threads
    /// If set, the statement stops after this number of threads that match all conditions besides the search.
    std::optional<std::size_t> walk;
};

/// The expression by which a list is sorted, descending. Not for Sort::votes.
std::string_view sort_key(Filter const& filter);

/// The conditions of a filter on the row `f`, without `filter.text`, each after ` AND `. The text depends
/// only on which filters are set.
std::string conditions(Filter const& filter, Restriction const& restriction, pg::ParamList& params);

/// The number of documents of a thread that a search reads: the thread's own and those of its first replies.
/// So a thread with many replies does not make every search of its scope slow.
inline constexpr int max_documents = 500;

/// The condition of `filter.text` on the row `f`, after ` AND `; empty without a text. Reads the documents of
/// each thread, without the index over their words. The text depends on the number of the searched words.
std::string text_condition(core::ScopeId scope, Filter const& filter, pg::ParamList& params);

/// As `list` and `list_by_votes` (storage/feedback_lists.hpp), within the restriction. `restriction.walk` is
/// for the first only.
std::vector<Feedback> list_restricted(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    Restriction const& restriction, std::optional<paging::Position> const& after, std::size_t limit);
/// The ids of the threads that list_restricted returns without `after`.
std::vector<core::Uuid> ids_restricted(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    Restriction const& restriction, std::size_t limit);
std::vector<ByVotes> list_by_votes_restricted(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    Restriction const& restriction, std::optional<VotePosition> const& after, std::size_t limit);

} // namespace feedback::feedbacks
