#include "storage/feedback_rows.hpp"

namespace feedback::feedbacks {

Feedback read(pg::RowReader& r)
{
    Feedback f;
    f.id = r.uuid();
    f.created_at = r.time();
    f.updated_at = r.time();
    f.deleted_at = r.optional_time();
    f.version = r.integer();
    f.status = r.one_of<Status>();
    f.category = r.one_of<Category>();
    if (auto const priority = r.optional_text()) f.priority = core::stored_enum<Priority>(*priority);
    f.title = r.text();
    f.body = r.text();
    f.app_context = r.optional_text();
    f.attachment_ids = r.texts();
    f.tags = r.texts();
    f.user_id = r.optional_user_id();
    f.user_email = r.optional_text();
    f.user_email_verified = r.optional_boolean();
    f.visibility = r.one_of<Visibility>();
    f.vote_count = r.integer();
    f.merged_into = r.optional_uuid();
    f.assignee_id = r.optional_text();
    f.assignee_email = r.optional_text();
    f.all_replies = {r.integer(), r.optional_time()};
    f.public_replies = {r.integer(), r.optional_time()};
    f.internal_changes = r.integer();
    return f;
}

} // namespace feedback::feedbacks
