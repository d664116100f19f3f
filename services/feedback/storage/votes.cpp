#include "storage/votes.hpp"

#include "pg/row.hpp"
#include "pg/uuids.hpp"

namespace feedback::votes {

namespace {

Vote read(pg::RowReader& r)
{
    Vote vote;
    vote.id = r.uuid();
    vote.feedback_id = r.uuid();
    vote.user_id = r.user_id();
    vote.created_at = r.time();
    vote.user_email = r.optional_text();
    return vote;
}

/// Adds `change` to the number of votes.
void count(pg::Tx& tx, core::Scope const& scope, Feedback& f, std::int64_t change)
{
    if (change == 0) return;
    auto const result = tx.run(R"(
        UPDATE feedbacks
        SET vote_count = vote_count + $3::integer, votes_changed_at = clock_timestamp()
        WHERE scope_id = $1 AND feedback_id = $2
        RETURNING vote_count)",
        {scope.id, f.id, change});
    auto const row = result.front();
    f.vote_count = pg::RowReader(row).integer();
}

void follow(pg::Tx& tx, core::Scope const& scope, core::Uuid const& feedback_id, Follower const& follower)
{
    tx.run(R"(
        INSERT INTO followers AS f (scope_id, feedback_id, user_id, email, email_verified, since)
        VALUES ($1, $2, $3, $4, $5, clock_timestamp())
        ON CONFLICT (scope_id, feedback_id, user_id) DO UPDATE
        SET email = excluded.email, email_verified = excluded.email_verified
        WHERE excluded.email IS NOT NULL
            AND (f.email, f.email_verified) IS DISTINCT FROM (excluded.email, excluded.email_verified))",
        {scope.id, feedback_id, follower.user_id, follower.email, follower.email_verified});
}

/// Copies the followers and the reporter of `source` to `target`. If a user follows both, a verified address
/// is kept, and else the address of the target.
void copy_followers(pg::Tx& tx, core::Scope const& scope, Feedback const& source, Feedback const& target)
{
    tx.run(R"(
        INSERT INTO followers AS f (scope_id, feedback_id, user_id, email, email_verified, reporter, since)
        SELECT $1::bigint, $3::uuid, u.user_id, (array_agg(u.email ORDER BY u.email_verified DESC))[1],
            bool_or(u.email_verified), bool_or(u.reporter), min(u.since)
        FROM (
            SELECT user_id, email, email_verified, reporter, since
            FROM followers
            WHERE scope_id = $1 AND feedback_id = $2
            UNION ALL
            SELECT user_id, user_email, coalesce(user_email_verified, false), true, clock_timestamp()
            FROM feedbacks
            WHERE scope_id = $1 AND feedback_id = $2 AND user_id IS NOT NULL
                AND user_id IS DISTINCT FROM $4::text
        ) AS u
        GROUP BY u.user_id
        ON CONFLICT (scope_id, feedback_id, user_id) DO UPDATE
        SET email = CASE WHEN f.email_verified THEN f.email ELSE coalesce(excluded.email, f.email) END,
            email_verified = f.email_verified OR excluded.email_verified,
            reporter = f.reporter OR excluded.reporter)",
        {scope.id, source.id, target.id, target.user_id});
}

} // namespace

void add(pg::Tx& tx, core::Scope const& scope, Feedback& f, Follower const& voter)
{
    pg::lock_scope(tx, scope.id);
    auto const added = tx.run(R"(
        INSERT INTO votes (scope_id, feedback_id, user_id, vote_id, created_at, counted_at)
        SELECT $1, $2, $3, $4, n.at, n.at
        FROM (SELECT clock_timestamp() AS at) AS n
        ON CONFLICT (scope_id, feedback_id, user_id) DO NOTHING)",
        {scope.id, f.id, voter.user_id, core::Uuid::v7()});
    count(tx, scope, f, static_cast<std::int64_t>(added.affected_rows()));
    follow(tx, scope, f.id, voter);
}

void remove(pg::Tx& tx, core::Scope const& scope, Feedback& f, core::UserId const& user_id)
{
    pg::lock_scope(tx, scope.id);
    auto const removed = tx.run(R"(
        DELETE FROM votes
        WHERE scope_id = $1 AND feedback_id = $2 AND user_id = $3)",
        {scope.id, f.id, user_id});
    if (removed.affected_rows() == 0) return;
    count(tx, scope, f, -static_cast<std::int64_t>(removed.affected_rows()));
    tx.run(R"(
        DELETE FROM followers
        WHERE scope_id = $1 AND feedback_id = $2 AND user_id = $3 AND NOT reporter)",
        {scope.id, f.id, user_id});
}

void move_all(pg::Tx& tx, core::Scope const& scope, Feedback& source, Feedback& target)
{
    pg::lock_scope(tx, scope.id);
    auto const added = tx.run(R"(
        INSERT INTO votes (scope_id, feedback_id, user_id, vote_id, created_at, counted_at)
        SELECT scope_id, $3::uuid, user_id, vote_id, created_at, clock_timestamp()
        FROM votes
        WHERE scope_id = $1 AND feedback_id = $2
        ON CONFLICT (scope_id, feedback_id, user_id) DO NOTHING)",
        {scope.id, source.id, target.id});
    tx.run("DELETE FROM votes WHERE scope_id = $1 AND feedback_id = $2", {scope.id, source.id});
    copy_followers(tx, scope, source, target);
    tx.run(R"(
        INSERT INTO thread_opt_outs (scope_id, feedback_id, address_hash)
        SELECT scope_id, $3::uuid, address_hash
        FROM thread_opt_outs
        WHERE scope_id = $1 AND feedback_id = $2
        ON CONFLICT DO NOTHING)",
        {scope.id, source.id, target.id});
    tx.run("DELETE FROM followers WHERE scope_id = $1 AND feedback_id = $2", {scope.id, source.id});
    count(tx, scope, target, static_cast<std::int64_t>(added.affected_rows()));
    count(tx, scope, source, -source.vote_count);
}

std::set<core::Uuid> voted(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::span<core::Uuid const> ids)
{
    if (ids.empty()) return {};
    auto const rows = tx.run(R"(
        SELECT feedback_id
        FROM votes
        WHERE scope_id = $1 AND user_id = $2 AND feedback_id = ANY ($3::uuid[]))",
        {scope.id, user_id, pg::uuids(ids)});
    auto const found = pg::read_rows(rows, &pg::RowReader::uuid);
    return {found.begin(), found.end()};
}

std::vector<Vote> list(pg::Tx& tx, core::Scope const& scope, core::Uuid const& feedback_id,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT v.vote_id, v.feedback_id, v.user_id, v.created_at, f.email
        FROM votes v
        LEFT JOIN followers f ON f.scope_id = v.scope_id AND f.feedback_id = v.feedback_id AND f.user_id = v.user_id
        WHERE v.scope_id = $1 AND v.feedback_id = $2
            AND (v.created_at, v.vote_id) < ($3::timestamptz, $4::uuid)
        ORDER BY v.created_at DESC, v.vote_id DESC
        LIMIT $5::bigint)",
        {scope.id, feedback_id, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(rows, read);
}

std::vector<Vote> list_of_user(pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id,
    core::Uuid const& after, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT vote_id, feedback_id, user_id, created_at, NULL::text
        FROM votes
        WHERE scope_id = $1 AND user_id = $2 AND feedback_id > $3::uuid
        ORDER BY feedback_id
        LIMIT $4::bigint)",
        {scope.id, user_id, after, limit});
    return pg::read_rows(rows, read);
}

} // namespace feedback::votes
