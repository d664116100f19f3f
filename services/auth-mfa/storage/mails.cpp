#include "storage/mails.hpp"

#include "core/text.hpp"
#include "jobs/queue.hpp"
#include "pg/row.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace auth_mfa::mails {

namespace {

Mail read(pg::RowReader& r)
{
    Mail mail;
    mail.id = r.uuid();
    mail.kind = r.one_of<MailKind>();
    if (auto const user_id = r.optional_uuid()) mail.user_id = UserId(*user_id);
    mail.email = r.text();
    mail.locale = r.text();
    mail.details = boost::json::parse(r.view()).as_object();
    mail.traceparent = r.optional_text();
    mail.created_at = r.time();
    mail.has_token = r.boolean();
    return mail;
}

} // namespace

void enqueue(pg::Tx& tx, core::Scope const& scope, Mail const& mail)
{
    tx.run(R"(
        WITH mail AS (
            INSERT INTO mails (
                scope_id, mail_id, kind, user_id, email, locale, details, traceparent, created_at
            )
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())
            RETURNING scope_id, mail_id
        )
        SELECT enqueue_jobs('mails', array_agg(scope_id), array_agg(mail_id), ARRAY[NULL]::timestamptz[])
        FROM mail)",
        {scope.id, mail.id, to_string(mail.kind), mail.user_id, mail.email, mail.locale,
            boost::json::serialize(mail.details), mail.traceparent});
}

pg::Batch<bool> enqueue_batch(pg::BatchConnection& connection, std::span<Requested const> rows)
{
    std::vector<pg::Param> const params{pg::column(rows, [](Requested const& r) { return r.scope_id; }),
        pg::column(rows, [](Requested const& r) { return r.mail.id; }),
        pg::column(rows, [](Requested const& r) { return to_string(r.mail.kind); }),
        pg::column(rows, [](Requested const& r) { return r.mail.user_id; }),
        pg::column(rows, [](Requested const& r) { return std::string_view(r.mail.email); }),
        pg::column(rows, [](Requested const& r) { return std::string_view(r.mail.locale); }),
        pg::column(rows, [](Requested const& r) { return boost::json::serialize(r.mail.details); }),
        pg::column(rows, [](Requested const& r) { return r.mail.traceparent; })};
    co_await connection.run(pg::scopes_of(rows),
        R"(
        WITH mail AS (
            INSERT INTO mails (
                scope_id, mail_id, kind, user_id, email, locale, details, traceparent, created_at
            )
            SELECT *, clock_timestamp()
            FROM unnest(
                $1::bigint[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::jsonb[],
                $8::text[]
            )
            RETURNING scope_id, mail_id
        )
        SELECT enqueue_jobs('mails', array_agg(scope_id), array_agg(mail_id), array_agg(NULL::timestamptz))
        FROM mail)",
        params);
    co_return std::vector<bool>(rows.size(), true);
}

std::optional<Mail> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    auto const result = tx.run(R"(
        SELECT mail_id, kind, user_id, email, locale, details, traceparent, created_at, has_token
        FROM mails
        WHERE scope_id = $1 AND mail_id = $2)",
        {scope_id, id});
    return pg::read_first(result, read);
}

void set_has_token(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    tx.run("UPDATE mails SET has_token = true WHERE scope_id = $1 AND mail_id = $2", {scope_id, id});
}

void remove(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    tx.run("DELETE FROM mails WHERE scope_id = $1 AND mail_id = $2", {scope_id, id});
}

void remove_of(pg::Tx& tx, core::Scope const& scope, User const& user)
{
    tx.run("DELETE FROM mails WHERE scope_id = $1 AND (user_id = $2 OR email_key = $3)",
        {scope.id, user.id, core::lower(user.email)});
}

std::vector<Mail> list(pg::Tx& tx, core::Scope const& scope, User const& user,
    std::optional<core::Uuid> const& after, std::size_t limit)
{
    auto const result = tx.run(R"(
        SELECT mail_id, kind, user_id, email, locale, details, traceparent, created_at, has_token
        FROM mails
        WHERE scope_id = $1 AND (user_id = $2 OR email_key = $3) AND ($4::uuid IS NULL OR mail_id > $4)
        ORDER BY mail_id
        LIMIT $5::bigint)",
        {scope.id, user.id, core::lower(user.email), after, limit});
    return pg::read_rows(result, read);
}

} // namespace auth_mfa::mails
