#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/identity.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedback {

/// Values as interfaces.md names them; an enum's number is its place in the list.
enum class Status : std::uint8_t { open, in_progress, resolved, closed };
enum class Category : std::uint8_t { bug, feature, general, support };
enum class Priority : std::uint8_t { low, medium, high, critical };

inline constexpr std::array<std::string_view, 4> statuses{"open", "in-progress", "resolved", "closed"};
inline constexpr std::array<std::string_view, 4> categories{"bug", "feature", "general", "support"};
inline constexpr std::array<std::string_view, 4> priorities{"low", "medium", "high", "critical"};

constexpr std::string_view to_string(Status s) noexcept
{
    return statuses[static_cast<std::size_t>(s)];
}

constexpr std::string_view to_string(Category c) noexcept
{
    return categories[static_cast<std::size_t>(c)];
}

constexpr std::string_view to_string(Priority p) noexcept
{
    return priorities[static_cast<std::size_t>(p)];
}

/// The value of that name. Throws std::invalid_argument: names come from the database or were validated.
Status parse_status(std::string_view name);
Category parse_category(std::string_view name);
Priority parse_priority(std::string_view name);

/// The part of the app a report came from; absent keys are not shown.
struct AppContext {
    std::optional<std::string> app_name, app_version, os, os_version;
};

/// Who wrote something: a JWT's user, a backend's key (`key:<prefix>`, admin) or the operator (`master`,
/// owner).
struct Author {
    std::string id;
    std::string role;                   ///< user | admin | owner
    std::optional<std::string> user_id; ///< set for a JWT
    std::optional<std::string> email;   ///< set for a JWT

    static Author of(core::Caller const& caller);
};

/// What somebody sends to start a thread.
struct Draft {
    Category category{};
    std::string title;
    std::string body;
    std::optional<Priority> priority;
    std::optional<AppContext> app_context;
    std::vector<std::string> attachment_ids; ///< as sent until they are claimed
    std::vector<std::string> tags;
};

/// Replies as one kind of reader sees them.
struct ReplyTally {
    std::int64_t count = 0;
    std::optional<core::Time> last_at;
};

struct Feedback {
    core::Uuid id;
    core::Time created_at;
    core::Time updated_at;
    std::optional<core::Time> deleted_at;
    std::int64_t version = 1;
    Status status = Status::open;
    Category category{};
    std::optional<Priority> priority;
    std::string title;
    std::string body;
    std::optional<std::string> app_context; ///< JSON object
    std::vector<std::string> attachment_ids;
    std::vector<std::string> tags;
    std::optional<std::string> user_id, user_email;
    std::optional<std::string> assignee_id, assignee_email;
    ReplyTally all_replies;    ///< internal notes included
    ReplyTally public_replies; ///< what a user sees

    bool deleted() const noexcept { return deleted_at.has_value(); }
};

struct Reply {
    core::Uuid id;
    core::Uuid feedback_id;
    core::Time created_at;
    std::string body;
    std::vector<std::string> attachment_ids;
    std::string author_id;
    std::string author_role;
    bool internal = false;
};

/// One move of a thread's status; `from` is absent for its creation.
struct StatusMove {
    core::Uuid id;
    core::Time at;
    std::string actor_id;
    std::string actor_role;
    std::optional<std::string> from;
    std::string to;
};

} // namespace feedback
