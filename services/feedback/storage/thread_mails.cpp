#include "storage/thread_mails.hpp"

#include "pg/row.hpp"

#include <string>

namespace feedback::thread_mails {

namespace {

ThreadMail read(pg::RowReader& r)
{
    ThreadMail mail;
    mail.id = r.uuid();
    mail.feedback_id = r.uuid();
    mail.recipient = r.text();
    mail.since = r.time();
    mail.version = r.integer();
    mail.failures = r.integer();
    mail.requested = r.boolean();
    mail.age = std::chrono::seconds(r.integer());
    mail.wait = std::chrono::milliseconds(r.integer());
    mail.address = r.optional_text();
    mail.is_reporter = r.boolean();
    mail.on_board = r.boolean();
    mail.title = r.text();
    mail.category = r.text();
    mail.body = r.text();
    mail.user_email = r.optional_text();
    mail.is_user_email_verified = r.boolean();
    return mail;
}

pg::Param scopes_of(std::span<End const> ends)
{
    return pg::column(ends, [](End const& e) { return e.key.scope_id; });
}

pg::Param ids_of(std::span<End const> ends)
{
    return pg::column(ends, [](End const& e) { return e.key.mail_id; });
}

pg::Param versions_of(std::span<End const> ends)
{
    return pg::column(ends, [](End const& e) { return e.version; });
}

/// Locks the rows in the order in which mail_fan_outs::advance writes them, so that the two cannot deadlock.
void lock(pg::Tx& tx, std::span<End const> ends)
{
    tx.run(R"(
        SELECT 1
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, mail_id)
        JOIN thread_mails m ON m.scope_id = k.scope_id AND m.mail_id = k.mail_id
        ORDER BY m.scope_id, m.feedback_id, m.recipient
        FOR UPDATE OF m)",
        {scopes_of(ends), ids_of(ends)});
}

void record_sent(pg::Tx& tx, std::span<End const> ends)
{
    if (ends.empty()) return;
    tx.run(R"(
        WITH sent AS (
            UPDATE thread_mails m
            SET sent_at = jobs_now(), since = k.until, failures = 0,
                requested_at = CASE WHEN m.version = k.version AND NOT k.more THEN NULL ELSE m.requested_at END
            FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::timestamptz[], $5::boolean[]) AS k(
                scope_id, mail_id, version, until, more
            )
            WHERE m.scope_id = k.scope_id AND m.mail_id = k.mail_id
            RETURNING m.scope_id, m.mail_id
        )
        SELECT enqueue_jobs('thread_mails', array_agg(scope_id), array_agg(mail_id),
            array_agg(jobs_now() + $6::bigint * interval '1 second'))
        FROM sent
        HAVING count(*) > 0)",
        {scopes_of(ends), ids_of(ends), versions_of(ends),
            pg::column(ends, [](End const& e) { return e.until; }),
            pg::column(ends, [](End const& e) { return e.more; }),
            std::chrono::seconds(mail_window).count()});
}

void record_failed(pg::Tx& tx, std::span<End const> ends)
{
    if (ends.empty()) return;
    tx.run(R"(
        UPDATE thread_mails m
        SET failures = m.failures + 1
        FROM unnest($1::bigint[], $2::uuid[]) AS k(scope_id, mail_id)
        WHERE m.scope_id = k.scope_id AND m.mail_id = k.mail_id)",
        {scopes_of(ends), ids_of(ends)});
}

/// Deletes the rows without a change since the run began. The others get a job again.
void record_dropped(pg::Tx& tx, std::span<End const> ends)
{
    if (ends.empty()) return;
    tx.run(R"(
        WITH ended AS (
            SELECT m.scope_id, m.mail_id, m.version = k.version AS unchanged
            FROM unnest($1::bigint[], $2::uuid[], $3::bigint[]) AS k(scope_id, mail_id, version)
            JOIN thread_mails m ON m.scope_id = k.scope_id AND m.mail_id = k.mail_id
        ), gone AS (
            DELETE FROM thread_mails m
            USING ended e
            WHERE m.scope_id = e.scope_id AND m.mail_id = e.mail_id AND e.unchanged
        )
        SELECT enqueue_jobs(
            'thread_mails', array_agg(scope_id), array_agg(mail_id), array_agg(NULL::timestamptz)
        )
        FROM ended
        WHERE NOT unchanged
        HAVING count(*) > 0)",
        {scopes_of(ends), ids_of(ends), versions_of(ends)});
}

} // namespace

std::vector<std::optional<ThreadMail>> find(pg::Tx& tx, std::span<Key const> keys)
{
    auto const rows = tx.run(R"(
        SELECT k.place, m.mail_id, m.feedback_id, m.recipient, m.since, m.version, m.failures,
            m.requested_at IS NOT NULL,
            greatest(0, extract(epoch FROM jobs_now() - m.requested_at))::bigint,
            ceil(greatest(
                0, extract(epoch FROM m.sent_at + $3::bigint * interval '1 second' - jobs_now()) * 1000
            ))::bigint,
            CASE
                WHEN f.deleted_at IS NOT NULL THEN NULL
                WHEN m.recipient = '' THEN s.document ->> 'notifyEmail'
                WHEN s.document ->> 'notifyUsers' = 'false' THEN NULL
                WHEN f.user_id = m.recipient AND f.user_email_verified AND f.user_email IS NOT NULL THEN f.user_email
                WHEN NOT w.email_verified THEN NULL
                WHEN f.user_id = m.recipient OR t.on_board OR w.reporter THEN w.email
            END,
            f.user_id IS NOT DISTINCT FROM m.recipient, t.on_board AND f.merged_into IS NULL,
            CASE WHEN m.recipient = '' OR f.user_id = m.recipient OR t.on_board THEN f.title
                ELSE coalesce(own.title, 'Your feedback') END,
            f.category, CASE WHEN m.recipient = '' THEN f.body ELSE '' END, f.user_email,
            coalesce(f.user_email_verified, false)
        FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k(scope_id, mail_id, place)
        JOIN thread_mails m ON m.scope_id = k.scope_id AND m.mail_id = k.mail_id
        JOIN feedbacks f ON f.scope_id = m.scope_id AND f.feedback_id = m.feedback_id
        LEFT JOIN followers w
            ON w.scope_id = m.scope_id AND w.feedback_id = m.feedback_id AND w.user_id = m.recipient
        LEFT JOIN scope_settings s ON s.scope_id = m.scope_id
        CROSS JOIN LATERAL (
            SELECT f.visibility = 'public' AND coalesce(s.document ->> 'publicBoard' = 'true', false) AS on_board
        ) AS t
        LEFT JOIN LATERAL (
            SELECT x.title
            FROM feedbacks x
            WHERE x.scope_id = m.scope_id AND x.user_id = m.recipient AND x.merged_into = m.feedback_id
            ORDER BY x.created_at DESC, x.feedback_id DESC
            LIMIT 1
        ) AS own ON m.recipient <> '')",
        {pg::column(keys, [](Key const& k) { return k.scope_id; }),
            pg::column(keys, [](Key const& k) { return k.mail_id; }),
            std::chrono::seconds(mail_window).count()});
    return pg::read_in_input_order(rows, keys.size(), read);
}

std::vector<MailChanges> changes_of(pg::Tx& tx, std::span<Wanted const> mails)
{
    std::vector<MailChanges> changes(mails.size());
    if (mails.empty()) return changes;
    // One item more than an email may have, so that the last one shows whether there are more.
    auto const rows = tx.run(R"(
        SELECT k.place, c.at, c.kind, CASE WHEN c.before < $6::bigint THEN c.text ELSE '' END,
            c.before >= $6::bigint
        FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::timestamptz[]) WITH ORDINALITY AS k(
            scope_id, feedback_id, recipient, since, place
        )
        CROSS JOIN LATERAL (
            SELECT n.at, n.kind, n.text,
                sum(length(n.text)) OVER (ORDER BY n.at, n.kind, n.id) - length(n.text) AS before
            FROM (
                (
                    SELECT r.created_at AS at, 'reply' AS kind, r.body AS text, r.reply_id AS id
                    FROM replies r
                    WHERE r.scope_id = k.scope_id AND r.feedback_id = k.feedback_id AND r.created_at > k.since
                        AND NOT r.internal AND r.author_id <> k.recipient
                        AND (r.author_role = 'user') = (k.recipient = '')
                    ORDER BY r.created_at, r.reply_id
                    LIMIT $5::bigint
                )
                UNION ALL
                (
                    SELECT h.at, CASE WHEN h.merged_into IS NULL THEN 'status' ELSE 'merged' END, h.to_status,
                        h.move_id
                    FROM status_moves h
                    WHERE h.scope_id = k.scope_id AND h.feedback_id = k.feedback_id AND h.at > k.since
                        AND k.recipient <> '' AND h.actor_id <> k.recipient AND h.from_status <> h.to_status
                        AND h.merged_from IS NULL
                    ORDER BY h.at, h.move_id
                    LIMIT $5::bigint
                )
                UNION ALL
                SELECT f.created_at, 'created', '', f.feedback_id
                FROM feedbacks f
                WHERE f.scope_id = k.scope_id AND f.feedback_id = k.feedback_id AND f.created_at > k.since
                    AND k.recipient = ''
            ) AS n
            ORDER BY n.at, n.kind, n.id
            LIMIT $5::bigint
        ) AS c
        ORDER BY k.place, c.at)",
        {pg::column(mails, [](Wanted const& w) { return w.scope_id; }),
            pg::column(mails, [](Wanted const& w) { return w.mail->feedback_id; }),
            pg::column(mails, [](Wanted const& w) { return std::string_view(w.mail->recipient); }),
            pg::column(mails, [](Wanted const& w) { return w.mail->since; }), max_mail_changes + 1,
            max_mail_characters});
    for (auto const& row : rows) {
        pg::RowReader r(row);
        auto& of = changes[static_cast<std::size_t>(r.integer() - 1)];
        MailChange change{.at = r.time(), .kind = r.one_of<MailChangeKind>(), .text = r.text()};
        bool const is_full = r.boolean() || of.items.size() == max_mail_changes;
        if (of.more || is_full)
            of.more = true;
        else
            of.items.push_back(std::move(change));
    }
    return changes;
}

void record(pg::Tx& tx, std::span<End const> ends)
{
    if (ends.empty()) return;
    lock(tx, ends);
    auto const of = [&](End::Kind kind) {
        std::vector<End> some;
        some.reserve(ends.size());
        for (auto const& end : ends)
            if (end.kind == kind) some.push_back(end);
        return some;
    };
    record_sent(tx, of(End::Kind::sent));
    record_failed(tx, of(End::Kind::failed));
    record_dropped(tx, of(End::Kind::dropped));
}

void remove(pg::Tx& tx, Key const& key)
{
    tx.run("DELETE FROM thread_mails WHERE scope_id = $1 AND mail_id = $2", {key.scope_id, key.mail_id});
}

std::size_t erase_user(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit)
{
    auto const gone = tx.run(R"(
        DELETE FROM thread_mails m
        USING (
            SELECT mail_id
            FROM thread_mails
            WHERE scope_id = $1 AND recipient = $2
            ORDER BY feedback_id
            LIMIT $3::bigint
            FOR UPDATE
        ) AS found
        WHERE m.scope_id = $1 AND m.mail_id = found.mail_id)",
        {erasure.scope.id, erasure.user_id, limit});
    // The fan-outs that have come to this user begin again.
    tx.run("UPDATE mail_fan_outs SET after_user = '' WHERE scope_id = $1 AND after_user = $2",
        {erasure.scope.id, erasure.user_id});
    return gone.affected_rows();
}

} // namespace feedback::thread_mails
