#include "storage/mail_fan_outs.hpp"

#include "core/clock.hpp"
#include "pg/row.hpp"

#include <optional>
#include <string>

namespace feedback::mail_fan_outs {

namespace {

struct State {
    core::Time since;
    std::string after_user;
};

/// Locks the thread before the rows that belong to it, as requests do.
std::optional<State> lock(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& feedback_id)
{
    tx.run("SELECT 1 FROM feedbacks WHERE scope_id = $1 AND feedback_id = $2 FOR KEY SHARE",
        {scope_id, feedback_id});
    auto const rows = tx.run(R"(
        SELECT since, after_user
        FROM mail_fan_outs
        WHERE scope_id = $1 AND feedback_id = $2
        FOR UPDATE)",
        {scope_id, feedback_id});
    return pg::read_first(rows, [](pg::RowReader& r) {
        auto const since = r.time();
        return State{since, r.text()};
    });
}

struct Added {
    std::size_t count = 0;
    std::string last; ///< the last recipient; empty if there is none
};

/// Only a new row needs a job: a row that exists has one.
Added add(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& feedback_id, State const& state, std::size_t limit)
{
    auto const rows = tx.run(R"(
        WITH recipients AS (
            SELECT user_id
            FROM (
                SELECT f.user_id
                FROM feedbacks f
                WHERE f.scope_id = $1 AND f.feedback_id = $2 AND f.user_id > $4::text AND f.user_email_verified
                    AND f.user_email IS NOT NULL
                UNION
                (
                    SELECT w.user_id
                    FROM followers w
                    WHERE w.scope_id = $1 AND w.feedback_id = $2 AND w.user_id > $4::text AND w.email_verified
                        AND w.email IS NOT NULL
                    ORDER BY w.user_id
                    LIMIT $5::bigint
                )
            ) AS u
            ORDER BY user_id
            LIMIT $5::bigint
        ), requested AS (
            INSERT INTO thread_mails (
                scope_id, feedback_id, recipient, mail_id, since, version, requested_at
            )
            SELECT $1, $2, user_id, gen_random_uuid(), $3::timestamptz, 1, jobs_now()
            FROM recipients
            ORDER BY user_id
            ON CONFLICT (scope_id, feedback_id, recipient) DO UPDATE
            SET version = thread_mails.version + 1, requested_at = excluded.requested_at
            RETURNING scope_id, mail_id, version
        )
        SELECT (SELECT count(*) FROM recipients),
            (SELECT coalesce(max(user_id), '') FROM recipients),
            (
                SELECT enqueue_jobs(
                    'thread_mails', array_agg(scope_id), array_agg(mail_id), array_agg(NULL::timestamptz)
                )
                FROM requested
                WHERE version = 1
                HAVING count(*) > 0
            ))",
        {scope_id, feedback_id, state.since, state.after_user, limit});
    auto const row = rows.front();
    pg::RowReader r(row);
    auto const count = static_cast<std::size_t>(r.integer());
    return {count, r.text()};
}

} // namespace

bool advance(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& feedback_id, std::size_t limit)
{
    auto const state = lock(tx, scope_id, feedback_id);
    if (!state) return false;
    auto const added = add(tx, scope_id, feedback_id, *state, limit);
    if (added.count < limit) {
        tx.run("DELETE FROM mail_fan_outs WHERE scope_id = $1 AND feedback_id = $2", {scope_id, feedback_id});
        return false;
    }
    tx.run("UPDATE mail_fan_outs SET after_user = $3 WHERE scope_id = $1 AND feedback_id = $2",
        {scope_id, feedback_id, added.last});
    return true;
}

} // namespace feedback::mail_fan_outs
