#pragma once

#include "deps.hpp"
#include "domain/viewer.hpp"
#include "http/message.hpp"
#include "pg/tx.hpp"

namespace feedback {

/// Throws NOT_FOUND. The error is the same for an unknown thread and for a thread that the caller may not
/// read.
[[noreturn]] void feedback_not_found();

/// The thread with the `feedbackId` of the path, locked until the transaction ends. Throws NOT_FOUND when
/// the thread does not exist or the caller may not read it.
Feedback lock_readable(pg::Tx& tx, http::Request const& req);

/// Like lock_readable, but does not lock the thread.
Feedback get_readable(pg::Tx& tx, http::Request const& req);

/// Throws CONFLICT for a deleted or merged thread, which can be read but not changed.
void require_changeable(Feedback const& f);

} // namespace feedback
