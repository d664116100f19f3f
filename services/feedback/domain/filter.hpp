#pragma once

#include "domain/feedback.hpp"

namespace feedback {

enum class Sort : std::uint8_t { created_at, last_reply_at };
inline constexpr std::array<std::string_view, 2> sorts{"createdAt", "lastReplyAt"};

/// Which threads a list shows, and in which order.
struct Filter {
    std::optional<Status> status;
    std::optional<Category> category;
    std::optional<Priority> priority;
    std::optional<std::string> user_id;
    std::optional<std::string> assignee_id;
    std::optional<std::string> tag;
    std::optional<std::string> text;                         ///< full-text query, web search syntax
    std::optional<core::Time> created_after, created_before; ///< both exclusive
    bool include_deleted = false;
    bool for_user = false; ///< replies are seen, and sorted by, without internal notes
    Sort sort = Sort::created_at;

    /// Everything that is not deleted, newest first: the page most clients ask for.
    bool plain() const noexcept
    {
        return !status && !category && !priority && !user_id && !assignee_id && !tag && !text &&
               !created_after && !created_before && !include_deleted && sort == Sort::created_at;
    }

    /// A cursor goes with the filter it was made for.
    std::uint64_t hash() const;
};

} // namespace feedback
