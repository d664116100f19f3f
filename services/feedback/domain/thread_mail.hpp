#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/id.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedback {

/// A thread's recipient gets at most one email in this time. Later changes are sent together, at its end.
inline constexpr std::chrono::minutes mail_window{5};

/// The kind of a change that an email reports.
enum class MailChangeKind : std::uint8_t {
    created, ///< the thread is new
    reply,   ///< to `notifyEmail`: by a user; to users: by staff
    status,  ///< the status changed
    merged,  ///< the thread was merged into another one
};

constexpr auto enum_names(MailChangeKind)
{
    return std::to_array<std::string_view>({"created", "reply", "status", "merged"});
}

struct MailChange {
    core::Time at;
    MailChangeKind kind{};
    std::string text; ///< the body of the reply, or the name of the new status
};

/// The changes of a thread that one email reports, oldest first.
struct MailChanges {
    std::vector<MailChange> items;
    bool more = false; ///< there are later changes, for which this email has no room
};

/// Limits of the changes in one email.
inline constexpr int max_mail_changes = 20;
inline constexpr int max_mail_characters = 60'000; ///< after which no further change is added

/// The email of a thread to one recipient, without its changes.
struct ThreadMail {
    core::Uuid id; ///< of the recipient's row
    core::Uuid feedback_id;
    std::string recipient; ///< the user's id; empty: the address `notifyEmail`
    core::Time since;      ///< it reports changes after this time
    std::int64_t version = 0;
    std::int64_t failures = 0;          ///< attempts that failed since the last email
    bool requested = false;             ///< whether there was a change since the last email
    std::chrono::seconds age{};         ///< of the last change
    std::chrono::milliseconds wait{};   ///< until the next email may be sent; 0: now
    std::optional<std::string> address; ///< nullopt: the recipient gets no emails
    bool is_reporter = false;           ///< whether the recipient reported the thread
    bool on_board = false;              ///< whether the board shows the thread
    std::string title;                  ///< that the recipient may see

    // Only for `notifyEmail`.
    std::string category, body;
    std::optional<std::string> user_email; ///< of the reporter
    bool is_user_email_verified = false;

    bool is_for_staff() const noexcept { return recipient.empty(); }
};

/// The id of the email that reports the changes of `mail` up to `until`. A repeated attempt has the same id,
/// and every other email has another one. So mail servers can recognise a repeated email.
core::Uuid message_id_of(ThreadMail const& mail, core::Time until);

} // namespace feedback
