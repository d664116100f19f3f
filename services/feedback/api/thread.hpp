#pragma once

#include "deps.hpp"
#include "domain/visibility.hpp"
#include "http/message.hpp"

namespace feedback {

/// What a caller is told of a thread that is not there, or not theirs.
[[noreturn]] void thread_not_found();

/// The thread of the path, locked, for a caller who may see it; NOT_FOUND otherwise.
Feedback lock_visible(pg::Tx& tx, http::Request const& req);

/// The same without the lock.
Feedback get_visible(pg::Tx& tx, http::Request const& req);

/// Throws CONFLICT for a deleted thread, which can be read but not changed.
void require_live(Feedback const& f);

} // namespace feedback
