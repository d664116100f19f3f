#pragma once

#include "user_data/export.hpp"

/// The export of a user's data. Each function is a user_data::ExportPart.
namespace feedback::user_export {

/// The user's threads, also deleted ones, as the user sees them.
user_data::ExportPage list_threads(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position);

/// The user's replies to all threads. The internal notes that the user wrote as a member of staff are
/// included.
user_data::ExportPage list_replies(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position);

/// The previous bodies of the user's edited replies.
user_data::ExportPage list_reply_edits(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position);

/// The user's votes.
user_data::ExportPage list_votes(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position);

/// The attachments that the user presigned, without download URLs.
user_data::ExportPage list_attachments(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position);

} // namespace feedback::user_export
