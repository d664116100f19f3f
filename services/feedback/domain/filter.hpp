#pragma once

#include "domain/feedback.hpp"

namespace feedback {

enum class Sort : std::uint8_t { created_at, last_reply_at };

constexpr auto enum_names(Sort)
{
    return std::to_array<std::string_view>({"createdAt", "lastReplyAt"});
}

/// The filters and the order of a list of threads.
struct Filter {
    std::optional<Status> status;
    std::optional<Category> category;
    std::optional<Priority> priority;
    std::optional<core::UserId> user_id;
    std::optional<std::string> assignee_id;
    std::optional<std::string> tag;
    std::optional<std::string> text; ///< full-text query, syntax of websearch_to_tsquery
    std::optional<core::Time> created_after, created_before; ///< both exclusive
    bool include_deleted = false;
    bool for_user = false; ///< sort by the last reply that is not an internal note
    Sort sort = Sort::created_at;

    /// Whether this is the most frequent list: all threads that are not deleted, newest first.
    bool plain() const noexcept
    {
        return !status && !category && !priority && !user_id && !assignee_id && !tag && !text &&
               !created_after && !created_before && !include_deleted && sort == Sort::created_at;
    }

    /// A hash of the filter. Cursors contain it, so a cursor works only with the filter for which it was
    /// created.
    std::uint64_t hash() const;
};

} // namespace feedback
