#include "storage/mail_requests.hpp"

#include "pg/uuids.hpp"

namespace feedback::mail_requests {

namespace {

/// Requests an email to `notifyEmail`. Only a new row needs a job: a row that exists has one.
void mail_staff(pg::Tx& tx, core::Scope const& scope, core::Uuid const& feedback_id, Author const& author)
{
    tx.run(R"(
        WITH requested AS (
            INSERT INTO thread_mails (
                scope_id, feedback_id, recipient, mail_id, since, version, requested_at
            )
            SELECT s.scope_id, $2::uuid, '', gen_random_uuid(), now() - interval '1 microsecond', 1, jobs_now()
            FROM scope_settings s
            WHERE s.scope_id = $1 AND s.document ->> 'notifyEmail' IS NOT NULL
                AND lower(s.document ->> 'notifyEmail') IS DISTINCT FROM lower($3::text)
            ON CONFLICT (scope_id, feedback_id, recipient) DO UPDATE
            SET version = thread_mails.version + 1, requested_at = excluded.requested_at
            RETURNING scope_id, mail_id, version
        )
        SELECT enqueue_jobs(
            'thread_mails', array_agg(scope_id), array_agg(mail_id), array_agg(NULL::timestamptz)
        )
        FROM requested
        WHERE version = 1
        HAVING count(*) > 0)",
        {scope.id, feedback_id, author.email});
}

/// Requests emails to the reporters and the followers, if an address is verified. Recipients are added in the
/// order of their ids, so a further change begins again with the first one.
void mail_users(pg::Tx& tx, core::Scope const& scope, std::span<core::Uuid const> feedback_ids)
{
    tx.run(R"(
        WITH requested AS (
            INSERT INTO mail_fan_outs (scope_id, feedback_id, since)
            SELECT f.scope_id, f.feedback_id, now() - interval '1 microsecond'
            FROM feedbacks f
            WHERE f.scope_id = $1 AND f.feedback_id = ANY ($2::uuid[]) AND f.deleted_at IS NULL
                AND (
                    f.user_email_verified
                    OR EXISTS (
                        SELECT
                        FROM followers w
                        WHERE w.scope_id = f.scope_id AND w.feedback_id = f.feedback_id AND w.email_verified
                    )
                )
                AND NOT EXISTS (
                    SELECT
                    FROM scope_settings s
                    WHERE s.scope_id = $1 AND s.document ->> 'notifyUsers' = 'false'
                )
            ORDER BY f.feedback_id
            ON CONFLICT (scope_id, feedback_id) DO UPDATE
            SET after_user = ''
            RETURNING scope_id, feedback_id
        )
        SELECT enqueue_jobs(
            'mail_fan_outs', array_agg(scope_id), array_agg(feedback_id), array_agg(NULL::timestamptz)
        )
        FROM requested
        HAVING count(*) > 0)",
        {scope.id, pg::uuids(feedback_ids)});
}

} // namespace

void created(pg::Tx& tx, core::Scope const& scope, core::Uuid const& feedback_id, Author const& author)
{
    mail_staff(tx, scope, feedback_id, author);
}

void replied(pg::Tx& tx, core::Scope const& scope, Reply const& reply, Author const& author)
{
    if (reply.is_response())
        mail_users(tx, scope, {&reply.feedback_id, 1});
    else if (!reply.internal)
        mail_staff(tx, scope, reply.feedback_id, author);
}

void status_changed(pg::Tx& tx, core::Scope const& scope, std::span<core::Uuid const> feedback_ids)
{
    if (!feedback_ids.empty()) mail_users(tx, scope, feedback_ids);
}

} // namespace feedback::mail_requests
