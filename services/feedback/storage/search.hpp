#pragma once

#include "domain/feedback.hpp"
#include "pg/tx.hpp"

#include <cstddef>
#include <string>
#include <string_view>

/// The table `search_documents`: the searchable words of threads and replies (domain/search_text.hpp). The
/// documents of threads are inserted together with the threads (feedbacks::insert, insert_batch). Triggers
/// (migration 0004) delete documents with their thread or reply.
namespace feedback::search_documents {

/// The column `terms` of a thread's document, as text.
std::string terms_of_thread(core::ScopeId scope, std::string_view title, std::string_view body);

/// Stores the words of the reply, or replaces its words after a change of `body` or `internal`. Reads only
/// the ids, `body` and `internal`. The thread must be locked.
void replace_reply(pg::Tx& tx, core::Scope const& scope, Reply const& reply);

/// The position of `index_missing` in a scope.
struct Progress {
    core::Uuid thread;       ///< the last indexed thread
    core::Uuid reply_thread; ///< the thread of the last indexed reply
    core::Uuid reply;        ///< the last indexed reply
};

/// Stores the words of at most `limit` threads without a document after `after`, in the order of their ids.
/// If no such thread is left, does the same for replies. Locks the threads. Advances `after`. Returns the
/// number of stored documents; 0 means that no thread or reply without a document follows.
std::size_t index_missing(pg::Tx& tx, core::Scope const& scope, Progress& after, std::size_t limit);

} // namespace feedback::search_documents
