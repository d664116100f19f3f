#pragma once

#include "core/caller.hpp"
#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/id.hpp"
#include "core/user_id.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedback {

using core::to_string;

/// The status of a feedback. Staff may change any status to any other.
enum class Status : std::uint8_t { open, in_progress, resolved, closed };
enum class Category : std::uint8_t { bug, feature, general, support };
enum class Priority : std::uint8_t { low, medium, high, critical };

/// The readers of a thread besides staff and its reporter: none, or everyone through the board while the
/// board is on (FeedbackSettings::public_board).
enum class Visibility : std::uint8_t { private_, public_ };

constexpr auto enum_names(Status)
{
    return std::to_array<std::string_view>({"open", "in-progress", "resolved", "closed"});
}

constexpr auto enum_names(Category)
{
    return std::to_array<std::string_view>({"bug", "feature", "general", "support"});
}

constexpr auto enum_names(Priority)
{
    return std::to_array<std::string_view>({"low", "medium", "high", "critical"});
}

constexpr auto enum_names(Visibility)
{
    return std::to_array<std::string_view>({"private", "public"});
}

/// The app and the operating system that the report came from. Responses omit absent members.
struct AppContext {
    std::optional<std::string> app_name, app_version, os, os_version;
};

/// The author of a thread, reply or status change: the user of a JWT, an API key (id `key:<prefix>`, role
/// `admin`) or the master key (id `master`, role `owner`).
struct Author {
    std::string id;
    std::string role;                    ///< user | admin | owner
    std::optional<core::UserId> user_id; ///< set for a JWT
    std::optional<std::string> email;    ///< set for a JWT
    std::optional<bool> email_verified;  ///< set for a JWT: its claim

    static Author of(core::Caller const& caller);
};

/// Whether an author with this id is a user, and not an API key or the master key.
bool is_user(std::string_view author_id);

/// The user who reported a thread: the user of the JWT that created it, or the user that an API key or the
/// master key named.
struct Reporter {
    std::optional<core::UserId> user_id;
    std::optional<std::string> email;
    std::optional<bool> email_verified; ///< nullopt without a JWT
};

/// The parsed request to create a thread.
struct FeedbackInput {
    Category category{};
    std::string title;
    std::string body;
    std::optional<Priority> priority;
    std::optional<AppContext> app_context;
    std::vector<std::string> attachment_ids; ///< as sent by the client, until the files are attached
    std::vector<std::string> tags;
    Reporter reporter;
    Visibility visibility = Visibility::private_;
};

/// The number of replies, and the time of the last one. Internal notes are counted for staff only.
struct ReplySummary {
    std::int64_t count = 0;
    std::optional<core::Time> last_at;
};

/// A thread of feedback: a report, request or question with a status and replies.
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
    std::optional<core::UserId> user_id;
    std::optional<std::string> user_email;
    std::optional<bool> user_email_verified; ///< the claim of the reporter's JWT; nullopt without one
    Visibility visibility = Visibility::private_;
    std::int64_t vote_count = 0;
    std::optional<core::Uuid> merged_into; ///< the thread that continues this one
    std::optional<std::string> assignee_id, assignee_email;
    ReplySummary all_replies;          ///< counts replies and internal notes
    ReplySummary public_replies;       ///< counts replies only, as users see them
    std::int64_t internal_changes = 0; ///< the number of edits and deletions of internal notes

    bool deleted() const noexcept { return deleted_at.has_value(); }

    bool merged() const noexcept { return merged_into.has_value(); }

    /// Whether the board shows this thread by its id.
    bool on_board() const noexcept { return visibility == Visibility::public_ && !deleted(); }
};

struct Reply {
    core::Uuid id;
    core::Uuid feedback_id;
    core::Time created_at;
    std::optional<core::Time> edited_at; ///< the last edit
    std::string body;
    std::vector<std::string> attachment_ids;
    std::string author_id;
    std::string author_role;
    bool internal = false;

    /// Whether this is an answer of staff that the user can see.
    bool is_response() const { return !internal && author_role != "user"; }
};

/// A previous body of an edited reply.
struct ReplyEdit {
    core::Uuid id;
    core::Uuid feedback_id;
    core::Uuid reply_id;
    core::Time at; ///< the edit that replaced the body
    std::string body;
};

/// One change of a thread's status. `from` is absent for the thread's creation.
struct StatusChange {
    core::Uuid id;
    core::Time at;
    std::string actor_id;
    std::string actor_role;
    std::optional<std::string> from;
    std::string to;
    std::optional<core::Uuid> merged_into; ///< this change merged the thread into another one
    std::optional<core::Uuid> merged_from; ///< this change merged another thread into this one
};

} // namespace feedback
