#pragma once

#include "domain/feedback.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

/// How statements read rows of the table `feedbacks`. Only the files of storage/ use this header.
namespace feedback::feedbacks {

/// The columns of the row `f`, in the order of `read`.
inline constexpr auto columns = pg::sql(R"(
    f.feedback_id, f.created_at, f.updated_at, f.deleted_at, f.version, f.status, f.category,
    f.priority, f.title, f.body, f.app_context, f.attachment_ids, f.tags, f.user_id, f.user_email,
    f.user_email_verified, f.visibility, f.vote_count, f.merged_into, f.assignee_id, f.assignee_email,
    f.reply_count, f.last_reply_at, f.public_reply_count, f.public_last_reply_at, f.internal_changes)");

Feedback read(pg::RowReader& r);

} // namespace feedback::feedbacks
