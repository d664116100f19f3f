#pragma once

#include "core/scope.hpp"
#include "domain/thread_mail.hpp"
#include "pg/tx.hpp"
#include "user_data/user_data.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// The table `thread_mails`: the emails of threads that are pending, and the recipients who got one in the
/// last 5 minutes (`mail_window`). A row exists as long as its job in `queue`. mail_requests.hpp and
/// mail_fan_outs.hpp add rows.
namespace feedback::thread_mails {

inline constexpr char const* queue = "thread_mails";

struct Key {
    core::ScopeId scope_id{};
    core::Uuid mail_id;
};

/// The emails, in the order of `keys`; nullopt if there is none. Decides by the settings of the scope, the
/// verified addresses and the visibility of the thread whether the recipient gets emails. Deleted threads
/// send none. Users who do not own the thread get them while they can see it on the board, or if a thread of
/// theirs was merged into it. These users see the title of their own thread.
std::vector<std::optional<ThreadMail>> find(pg::Tx& tx, std::span<Key const> keys);

/// An email whose changes are read.
struct Wanted {
    core::ScopeId scope_id{};
    ThreadMail const* mail = nullptr;
};

/// The changes since the last email, in the order of `mails`. Without internal notes, and without changes by
/// the recipient.
std::vector<MailChanges> changes_of(pg::Tx& tx, std::span<Wanted const> mails);

/// How a run ended.
struct End {
    enum class Kind {
        sent,    ///< or finally refused. Ends the recipient's pending changes and begins the next window.
        failed,  ///< may succeed later
        dropped, ///< nothing to send, or given up
    };

    Key key;
    std::int64_t version = 0; ///< ThreadMail::version when the run began
    Kind kind{};
    core::Time until{}; ///< if sent: the last change in the email
    bool more = false;  ///< if sent: MailChanges::more
};

/// Records the ends of runs whose claims have ended in this transaction. A sent email has a job at the end of
/// its window. A row with a change since the run began stays, with a job.
void record(pg::Tx& tx, std::span<End const> ends);

/// Removes a row whose job was given up.
void remove(pg::Tx& tx, Key const& key);

/// A step of the erasure of a user (user_data::Step): removes the emails to the user. Jobs without a row end.
std::size_t erase_user(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

} // namespace feedback::thread_mails
