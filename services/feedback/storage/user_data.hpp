#pragma once

#include "core/user_id.hpp"
#include "pg/tx.hpp"
#include "user_data/user_data.hpp"

#include <cstddef>

/// The steps that erase a user from the tables of this service. Each is a user_data::Step. They must run in
/// this order: the first step deletes or pseudonymises the user's threads, the others process the rest of the
/// scope.
namespace feedback::user_rows {

/// Whether rows may name a user with this id as their author. API keys (`key:<prefix>`) and the master key
/// (`master`) are authors, too. Rows with such an author are not a user's, even if a backend chose the same
/// id for a user.
bool can_be_author(core::UserId const& user_id);

/// Deletes the user's threads with their replies, changes of status and attachments, of any author. With
/// `anonymizes`: keeps the threads without user, email and app context, and with the pseudonym.
std::size_t erase_threads(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Deletes the user's replies to other threads and their attachments, and lowers the threads' counters. The
/// times of the last reply stay. With `anonymizes`: keeps all replies of the user with the pseudonym, without
/// their previous bodies.
std::size_t erase_replies(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Deletes the attachments that the user presigned, and removes their ids from threads and replies.
std::size_t erase_attachments(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Ends the assignment of threads to the user.
std::size_t erase_assignments(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Deletes the user's votes, also when the erasure anonymises.
std::size_t erase_votes(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Deletes the user's rows of `followers`.
std::size_t erase_following(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

/// Replaces the user by the pseudonym in the changes of status.
std::size_t erase_status_changes(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit);

} // namespace feedback::user_rows
