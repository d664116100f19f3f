#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "domain/feedback.hpp"
#include "pg/sql.hpp"
#include "pg/tx.hpp"

#include <span>

/// Requests for emails about a thread. Call them in the transaction of the change, after the change was
/// written. They read the scope's settings, and do nothing if no email is wanted. Emails are sent after
/// the commit. Their content is read from the database when they are sent (workers/thread_mails.hpp).
namespace feedback::mail_requests {

/// SQL: whether the scope of the row `n` has the setting `notifyEmail`.
inline constexpr auto wants_staff_mail = pg::sql(R"(EXISTS (
            SELECT
            FROM scope_settings s
            WHERE s.scope_id = n.scope_id AND s.document ->> 'notifyEmail' IS NOT NULL
        ))");

/// After a new thread: an email to the scope's `notifyEmail`, unless this is the address of `author`.
void created(pg::Tx& tx, core::Scope const& scope, core::Uuid const& feedback_id, Author const& author);

/// After a reply. A reply by a user: an email to `notifyEmail`, as for a new thread. A public reply by staff:
/// emails to the reporter and the followers, except its author. An internal note: nothing.
void replied(pg::Tx& tx, core::Scope const& scope, Reply const& reply, Author const& author);

/// After changes of the status, including the reopening by a reply and the closing by a merge: emails to the
/// reporters and the followers of these threads, except the user who changed the status. Deleted threads are
/// skipped.
void status_changed(pg::Tx& tx, core::Scope const& scope, std::span<core::Uuid const> feedback_ids);

} // namespace feedback::mail_requests
