#pragma once

#include "domain/feedback.hpp"

namespace feedback {

enum class Sort : std::uint8_t { created_at, last_reply_at, votes, relevance };

constexpr auto enum_names(Sort)
{
    return std::to_array<std::string_view>({"createdAt", "lastReplyAt", "votes", "relevance"});
}

/// The filters and the order of a list of threads.
struct Filter {
    std::vector<Status> statuses;     ///< one of these; empty: any
    std::vector<Category> categories; ///< likewise
    std::vector<Priority> priorities; ///< likewise
    std::optional<core::UserId> user_id;
    std::optional<std::string> assignee_id;
    std::optional<bool> assigned; ///< whether the thread has an assignee
    std::optional<std::string> tag;
    std::optional<std::string> text;                         ///< search query (search_text::parse_query)
    std::optional<core::Time> created_after, created_before; ///< both exclusive
    bool include_deleted = false;
    bool for_user = false; ///< internal notes do not count, neither in the search nor in the order
    bool board = false;    ///< only threads that the board lists: public threads that were not merged
    Sort sort = Sort::created_at;

    /// All threads that the board lists, as its readers see them.
    static Filter of_board()
    {
        Filter filter;
        filter.board = filter.for_user = true;
        return filter;
    }

    /// Whether this is the most frequent list: all threads that are not deleted, newest first.
    bool plain() const noexcept
    {
        return statuses.empty() && categories.empty() && priorities.empty() && !user_id && !assignee_id &&
               !assigned && !tag && !text && !created_after && !created_before && !include_deleted &&
               !board && sort == Sort::created_at;
    }

    /// A hash of the filter. Cursors contain it, so a cursor works only with the filter for which it was
    /// created.
    std::uint64_t hash() const;
};

} // namespace feedback
