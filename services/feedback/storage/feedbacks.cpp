#include "storage/feedbacks.hpp"

#include "core/json_writer.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "pg/uuids.hpp"
#include "storage/feedback_rows.hpp"
#include "storage/mail_requests.hpp"
#include "storage/search.hpp"

#include <map>
#include <tuple>

namespace feedback::feedbacks {

namespace {

std::optional<std::string> to_json(std::optional<AppContext> const& context)
{
    if (!context) return std::nullopt;
    core::JsonWriter w;
    w.begin_object();
    auto const member = [&](std::string_view name, std::optional<std::string> const& value) {
        if (value) w.member(name, *value);
    };
    member("appName", context->app_name);
    member("appVersion", context->app_version);
    member("os", context->os);
    member("osVersion", context->os_version);
    w.end_object();
    return std::move(w).str();
}

std::optional<std::string_view> priority_name(FeedbackInput const& input)
{
    return input.priority ? std::optional(to_string(*input.priority)) : std::nullopt;
}

// Arrays of arrays are passed as arrays of text, because unnest flattens two-dimensional arrays.
constexpr auto insert_sql = pg::sql<mail_requests::wants_staff_mail>(R"(
    WITH inserted AS (
        INSERT INTO feedbacks (
            scope_id, feedback_id, created_at, updated_at, status, category, priority, title, body,
            app_context, attachment_ids, tags, author_id, author_role, user_id, user_email,
            user_email_verified, visibility
        )
        SELECT n.scope_id, n.id, n.at, n.at, 'open', n.category, n.priority, n.title, n.body, n.app_context,
            n.attachment_ids::uuid[], n.tags::text[], n.author_id, n.author_role, n.user_id, n.user_email,
            n.user_email_verified, n.visibility
        FROM (
            SELECT *, clock_timestamp() AS at
            FROM unnest(
                $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[],
                $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::boolean[],
                $16::text[]
            ) AS u(
                scope_id, id, category, priority, title, body, app_context, attachment_ids, tags, author_id,
                author_role, user_id, user_email, user_email_verified, visibility
            )
        ) AS n
        WHERE n.scope_id = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])
            AND NOT (
                $1::boolean
                AND (
                    EXISTS (SELECT 1 FROM webhooks w WHERE w.scope_id = n.scope_id AND w.enabled)
                    OR {wants_staff_mail}
                )
            )
        RETURNING scope_id, feedback_id, created_at
    ), documents AS (
        INSERT INTO search_documents (scope_id, feedback_id, document_id, created_at, terms)
        SELECT i.scope_id, i.feedback_id, i.feedback_id, i.created_at, w.terms::tsvector
        FROM inserted i
        JOIN unnest($3::uuid[], $17::text[]) AS w(id, terms) ON w.id = i.feedback_id
    )
    SELECT feedback_id, created_at
    FROM inserted)");

std::vector<pg::Param> insert_params(std::span<NewFeedback const> rows, bool without_webhooks)
{
    auto const text_of = [](std::vector<std::string> const& texts) { return pg::Param(texts).text(); };
    return {
        without_webhooks,
        pg::column(rows, [](NewFeedback const& r) { return r.scope_id; }),
        pg::column(rows, [](NewFeedback const& r) { return r.id; }),
        pg::column(rows, [](NewFeedback const& r) { return to_string(r.input.category); }),
        pg::column(rows, [](NewFeedback const& r) { return priority_name(r.input); }),
        pg::column(rows, [](NewFeedback const& r) { return std::string_view(r.input.title); }),
        pg::column(rows, [](NewFeedback const& r) { return std::string_view(r.input.body); }),
        pg::column(rows, [](NewFeedback const& r) { return to_json(r.input.app_context); }),
        pg::column(rows, [&](NewFeedback const& r) { return text_of(r.input.attachment_ids); }),
        pg::column(rows, [&](NewFeedback const& r) { return text_of(r.input.tags); }),
        pg::column(rows, [](NewFeedback const& r) { return std::string_view(r.author.id); }),
        pg::column(rows, [](NewFeedback const& r) { return std::string_view(r.author.role); }),
        pg::column(rows, [](NewFeedback const& r) { return r.input.reporter.user_id; }),
        pg::column(rows, [](NewFeedback const& r) { return r.input.reporter.email; }),
        pg::column(rows, [](NewFeedback const& r) { return r.input.reporter.email_verified; }),
        pg::column(rows, [](NewFeedback const& r) { return to_string(r.input.visibility); }),
        pg::column(rows,
            [](NewFeedback const& r) {
                return search_documents::terms_of_thread(r.scope_id, r.input.title, r.input.body);
            }),
    };
}

} // namespace

Feedback created(NewFeedback const& row, core::Time created_at)
{
    Feedback f;
    f.id = row.id;
    f.created_at = f.updated_at = created_at;
    f.category = row.input.category;
    f.priority = row.input.priority;
    f.title = row.input.title;
    f.body = row.input.body;
    f.app_context = to_json(row.input.app_context);
    f.attachment_ids = row.input.attachment_ids;
    f.tags = row.input.tags;
    f.user_id = row.input.reporter.user_id;
    f.user_email = row.input.reporter.email;
    f.user_email_verified = row.input.reporter.email_verified;
    f.visibility = row.input.visibility;
    return f;
}

core::Time insert(pg::Tx& tx, NewFeedback const& row)
{
    pg::lock_scope(tx, row.scope_id);
    auto const result = tx.run(insert_sql, insert_params({&row, 1}, false));
    auto const inserted = result.front();
    return pg::RowReader(inserted, 1).time();
}

pg::Batch<std::optional<core::Time>> insert_batch(
    pg::BatchConnection& connection, std::span<NewFeedback const> rows)
{
    auto const result =
        co_await connection.run_with_scope_locks(pg::scopes_of(rows), insert_sql, insert_params(rows, true));
    std::map<core::Uuid, core::Time> times;
    for (auto const row : result) {
        pg::RowReader r(row);
        core::Uuid const id = r.uuid();
        times.emplace(id, r.time());
    }
    std::vector<std::optional<core::Time>> created;
    created.reserve(rows.size());
    for (auto const& row : rows) {
        auto const it = times.find(row.id);
        created.push_back(it == times.end() ? std::nullopt : std::optional(it->second));
    }
    co_return created;
}

pg::Batch<std::optional<Feedback>> get_batch(pg::BatchConnection& connection, std::span<Key const> keys)
{
    std::vector<pg::Param> const params{pg::column(keys, [](Key const& k) { return k.scope_id; }),
        pg::column(keys, [](Key const& k) { return k.id; })};
    // The LIMIT makes the planner look up the primary key once per row. With a plain join, the planner read
    // the whole scope when that scope had most rows of the table.
    static constexpr auto sql = pg::sql<columns>(R"(
        SELECT k.place, {columns}
        FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k(scope_id, feedback_id, place)
        CROSS JOIN LATERAL (
            SELECT *
            FROM feedbacks x
            WHERE x.scope_id = k.scope_id AND x.feedback_id = k.feedback_id
            LIMIT 1
        ) AS f)");
    auto const result = co_await connection.run(pg::scopes_of(keys), sql, params);
    co_return pg::read_in_input_order(result, keys.size(), read);
}

std::optional<Feedback> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM feedbacks f
        WHERE f.scope_id = $1 AND f.feedback_id = $2)"),
        {scope.id, id});
    return pg::read_first(result, read);
}

std::optional<Feedback> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM feedbacks f
        WHERE f.scope_id = $1 AND f.feedback_id = $2
        FOR NO KEY UPDATE)"),
        {scope.id, id});
    return pg::read_first(result, read);
}

std::vector<Feedback> lock_all(pg::Tx& tx, core::Scope const& scope, std::span<core::Uuid const> ids)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM feedbacks f
        WHERE f.scope_id = $1 AND f.feedback_id = ANY ($2::uuid[])
        ORDER BY f.feedback_id
        FOR NO KEY UPDATE)"),
        {scope.id, pg::uuids(ids)});
    return pg::read_rows(result, read);
}

void update(pg::Tx& tx, core::Scope const& scope, std::span<Feedback> threads)
{
    if (threads.empty()) return;
    auto const result = tx.run(R"(
        UPDATE feedbacks f
        SET status = n.status, priority = n.priority, assignee_id = n.assignee_id,
            assignee_email = n.assignee_email, tags = n.tags::text[],
            visibility = n.visibility,
            resolved_at = CASE
                WHEN n.status = f.status THEN f.resolved_at
                WHEN n.status IN ('resolved', 'closed') THEN clock_timestamp()
            END,
            version = f.version + 1, updated_at = clock_timestamp()
        FROM unnest(
            $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]
        ) WITH ORDINALITY AS n(
            feedback_id, status, priority, assignee_id, assignee_email, tags, visibility, place
        )
        WHERE f.scope_id = $1 AND f.feedback_id = n.feedback_id
        RETURNING n.place, f.version, f.updated_at)",
        {scope.id, pg::column(threads, [](Feedback const& f) { return f.id; }),
            pg::column(threads, [](Feedback const& f) { return to_string(f.status); }),
            pg::column(threads,
                [](Feedback const& f) {
                    return f.priority ? std::optional(to_string(*f.priority)) : std::nullopt;
                }),
            pg::column(threads, [](Feedback const& f) { return f.assignee_id; }),
            pg::column(threads, [](Feedback const& f) { return f.assignee_email; }),
            pg::column(threads, [](Feedback const& f) { return pg::Param(f.tags).text(); }),
            pg::column(threads, [](Feedback const& f) { return to_string(f.visibility); })});
    for (auto const row : result) {
        pg::RowReader r(row);
        Feedback& f = threads[static_cast<std::size_t>(r.integer() - 1)];
        f.version = r.integer();
        f.updated_at = r.time();
    }
}

void close_merged(pg::Tx& tx, core::Scope const& scope, Feedback& source, Feedback& target)
{
    auto const result = tx.run(R"(
        UPDATE feedbacks
        SET version = version + 1, updated_at = clock_timestamp(),
            status = CASE feedback_id WHEN $2 THEN 'closed' ELSE status END,
            merged_into = CASE feedback_id WHEN $2 THEN $3::uuid ELSE merged_into END
        WHERE scope_id = $1 AND feedback_id IN ($2::uuid, $3::uuid)
        RETURNING feedback_id, version, updated_at)",
        {scope.id, source.id, target.id});
    for (auto const row : result) {
        pg::RowReader r(row);
        Feedback& f = r.uuid() == source.id ? source : target;
        f.version = r.integer();
        f.updated_at = r.time();
    }
    source.status = Status::closed;
    source.merged_into = target.id;
}

void soft_delete(pg::Tx& tx, core::Scope const& scope, Feedback& f)
{
    auto const result = tx.run(R"(
        UPDATE feedbacks
        SET status = 'closed', version = version + 1, updated_at = clock_timestamp(),
            deleted_at = clock_timestamp()
        WHERE scope_id = $1 AND feedback_id = $2
        RETURNING version, updated_at, deleted_at)",
        {scope.id, f.id});
    auto const row = result.front();
    pg::RowReader r(row);
    f.status = Status::closed;
    f.version = r.integer();
    f.updated_at = r.time();
    f.deleted_at = r.time();
}

core::Time count_reply(pg::Tx& tx, core::Scope const& scope, Feedback& f, Reply const& reply)
{
    auto const result = tx.run(
        R"(
        UPDATE feedbacks
        SET reply_count = reply_count + 1, last_reply_at = n.at,
            public_reply_count = public_reply_count + CASE WHEN $3 THEN 0 ELSE 1 END,
            public_last_reply_at = CASE WHEN $3 THEN public_last_reply_at ELSE n.at END,
            first_response_at = CASE WHEN $5 THEN coalesce(first_response_at, n.at) ELSE first_response_at END
        FROM (SELECT greatest(clock_timestamp(), $4::timestamptz + interval '1 microsecond') AS at) AS n
        WHERE scope_id = $1 AND feedback_id = $2
        RETURNING reply_count, last_reply_at, public_reply_count, public_last_reply_at)",
        {scope.id, f.id, reply.internal, f.all_replies.last_at, reply.is_response()});
    auto const row = result.front();
    pg::RowReader r(row);
    f.all_replies = {r.integer(), r.optional_time()};
    f.public_replies = {r.integer(), r.optional_time()};
    return *f.all_replies.last_at;
}

void count_reply_change(
    pg::Tx& tx, core::Scope const& scope, Feedback& f, Reply const& reply, ReplyChange change)
{
    auto const result = tx.run(R"(
        UPDATE feedbacks
        SET reply_count = reply_count - $4::integer,
            public_reply_count = public_reply_count - CASE WHEN $3 THEN 0 ELSE $4::integer END,
            internal_changes = internal_changes + CASE WHEN $3 THEN 1 ELSE 0 END,
            version = version + CASE WHEN $3 THEN 0 ELSE 1 END,
            updated_at = CASE WHEN $3 THEN updated_at ELSE clock_timestamp() END,
            first_response_at = CASE
                WHEN $4::integer = 1 AND first_response_at = $5::timestamptz THEN (
                    SELECT min(r.created_at)
                    FROM replies r
                    WHERE r.scope_id = $1 AND r.feedback_id = $2 AND NOT r.internal AND r.author_role <> 'user'
                )
                ELSE first_response_at
            END
        WHERE scope_id = $1 AND feedback_id = $2
        RETURNING version, updated_at, reply_count, public_reply_count, internal_changes)",
        {scope.id, f.id, reply.internal, change == ReplyChange::deleted ? 1 : 0, reply.created_at});
    auto const row = result.front();
    pg::RowReader r(row);
    f.version = r.integer();
    f.updated_at = r.time();
    f.all_replies.count = r.integer();
    f.public_replies.count = r.integer();
    f.internal_changes = r.integer();
}

std::vector<GroupCount> stats(pg::Tx& tx, core::Scope const& scope)
{
    // The threads are counted once, by all three columns. PostgreSQL can do this in parallel, unlike grouping
    // sets.
    auto const result = tx.run(R"(
        SELECT CASE grouping(status, category, priority) WHEN 3 THEN 'status' WHEN 5 THEN 'category'
            WHEN 6 THEN 'priority' ELSE 'total' END, coalesce(status, category, priority, ''),
            coalesce(sum(threads), 0)::bigint
        FROM (
            SELECT status, category, priority, count(*) AS threads
            FROM feedbacks
            WHERE scope_id = $1 AND deleted_at IS NULL
            GROUP BY status, category, priority
        ) AS counts
        GROUP BY GROUPING SETS ((status), (category), (priority), ()))",
        {scope.id});
    return pg::read_rows(result, [](pg::RowReader& r) {
        return GroupCount{.group = r.text(), .value = r.text(), .count = r.integer()};
    });
}

Durations durations(pg::Tx& tx, core::Scope const& scope, Period const& period)
{
    auto const result = tx.run(R"(
        SELECT round(1000 * p.response[1])::bigint, round(1000 * p.response[2])::bigint,
            round(1000 * p.resolution[1])::bigint, round(1000 * p.resolution[2])::bigint
        FROM (
            SELECT percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (
                    ORDER BY extract(epoch FROM first_response_at - created_at)::float8
                ) AS response,
                percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (
                    ORDER BY extract(epoch FROM resolved_at - created_at)::float8
                ) FILTER (WHERE status IN ('resolved', 'closed')) AS resolution
            FROM feedbacks
            WHERE scope_id = $1 AND created_at >= $2 AND created_at < $3 AND deleted_at IS NULL
                AND merged_into IS NULL AND (first_response_at IS NOT NULL OR resolved_at IS NOT NULL)
        ) AS p)",
        {scope.id, period.created_after ? core::next_millisecond(*period.created_after) : core::Time::min(),
            period.created_before.value_or(core::Time::max())});
    auto const row = result.front();
    pg::RowReader r(row);
    auto const read_percentiles = [&r]() -> std::optional<Percentiles> {
        auto const p50 = r.optional_integer(), p90 = r.optional_integer();
        if (!p50 || !p90) return std::nullopt;
        return Percentiles{std::chrono::milliseconds(*p50), std::chrono::milliseconds(*p90)};
    };
    Durations durations;
    durations.first_response = read_percentiles();
    durations.resolution = read_percentiles();
    return durations;
}

} // namespace feedback::feedbacks
