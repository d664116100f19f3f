#include "storage/feedbacks.hpp"

#include "core/json_writer.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

#include <map>
#include <tuple>

namespace feedback::feedbacks {

namespace {

constexpr auto columns = pg::sql(R"(
    f.feedback_id, f.created_at, f.updated_at, f.deleted_at, f.version, f.status, f.category,
    f.priority, f.title, f.body, f.app_context, f.attachment_ids, f.tags, f.user_id, f.user_email,
    f.assignee_id, f.assignee_email, f.reply_count, f.last_reply_at, f.public_reply_count,
    f.public_last_reply_at)");

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
    f.assignee_id = r.optional_text();
    f.assignee_email = r.optional_text();
    f.all_replies = {r.integer(), r.optional_time()};
    f.public_replies = {r.integer(), r.optional_time()};
    return f;
}

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
constexpr std::string_view insert_sql = R"(
    INSERT INTO feedbacks (
        scope_id, feedback_id, created_at, updated_at, status, category, priority, title, body,
        app_context, attachment_ids, tags, author_id, author_role, user_id, user_email
    )
    SELECT n.scope_id, n.id, n.at, n.at, 'open', n.category, n.priority, n.title, n.body, n.app_context,
        n.attachment_ids::uuid[], n.tags::text[], n.author_id, n.author_role, n.user_id, n.user_email
    FROM (
        SELECT *, clock_timestamp() AS at
        FROM unnest(
            $2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[],
            $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[]
        ) AS u(
            scope_id, id, category, priority, title, body, app_context, attachment_ids, tags, author_id,
            author_role, user_id, user_email
        )
    ) AS n
    WHERE n.scope_id = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])
        AND NOT (
            $1::boolean
            AND EXISTS (SELECT 1 FROM webhooks w WHERE w.scope_id = n.scope_id AND w.enabled)
        )
    RETURNING feedback_id, created_at)";

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
        pg::column(rows, [](NewFeedback const& r) { return r.author.user_id; }),
        pg::column(rows, [](NewFeedback const& r) { return r.author.email; }),
    };
}

std::string_view sort_key(Filter const& filter)
{
    if (filter.sort == Sort::created_at) return "f.created_at";
    return filter.for_user ? "coalesce(f.public_last_reply_at, '-infinity')"
                           : "coalesce(f.last_reply_at, '-infinity')";
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
    f.user_id = row.author.user_id;
    f.user_email = row.author.email;
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

pg::Batch<std::vector<Feedback>> list_batch(pg::BatchConnection& connection, std::span<PlainPage const> pages)
{
    std::vector<pg::Param> const params{pg::column(pages, [](PlainPage const& p) { return p.scope_id; }),
        pg::column(pages, [](PlainPage const& p) { return paging::time_of(p.after); }),
        pg::column(pages, [](PlainPage const& p) { return paging::id_of(p.after); }),
        pg::column(pages, [](PlainPage const& p) { return p.limit; })};
    static constexpr auto sql = pg::sql<columns>(R"(
        SELECT k.place, {columns}
        FROM unnest($1::bigint[], $2::timestamptz[], $3::uuid[], $4::bigint[]) WITH ORDINALITY AS k(
            scope_id, at, id, page_limit, place
        )
        CROSS JOIN LATERAL (
            SELECT *
            FROM feedbacks x
            WHERE x.scope_id = k.scope_id AND (x.created_at, x.feedback_id) < (k.at, k.id)
                AND x.deleted_at IS NULL
            ORDER BY x.created_at DESC, x.feedback_id DESC
            LIMIT k.page_limit
        ) AS f)");
    auto const result = co_await connection.run(pg::scopes_of(pages), sql, params);
    std::vector<std::vector<Feedback>> lists(pages.size());
    for (auto const row : result) {
        pg::RowReader r(row);
        auto const place = static_cast<std::size_t>(r.integer() - 1);
        if (lists[place].empty()) lists[place].reserve(pages[place].limit);
        lists[place].push_back(read(r));
    }
    // The join returns the rows of each page in order, but SQL does not guarantee this order. Checking the
    // order here is cheaper than an ORDER BY.
    auto const newer = [](Feedback const& a, Feedback const& b) {
        return std::tie(a.created_at, a.id) > std::tie(b.created_at, b.id);
    };
    for (auto& items : lists) {
        if (!std::ranges::is_sorted(items, newer)) std::ranges::sort(items, newer);
    }
    co_return lists;
}

std::vector<Feedback> list(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    // The text depends only on which filters are set.
    pg::ParamList params{scope.id};
    std::string sql(pg::sql<columns>(R"(
        SELECT {columns}
        FROM feedbacks f
        WHERE f.scope_id = $1)"));
    if (filter.status) sql += " AND f.status = " + params.add(to_string(*filter.status));
    if (filter.category) sql += " AND f.category = " + params.add(to_string(*filter.category));
    if (filter.priority) sql += " AND f.priority = " + params.add(to_string(*filter.priority));
    if (filter.user_id) sql += " AND f.user_id = " + params.add(*filter.user_id);
    if (filter.assignee_id) sql += " AND f.assignee_id = " + params.add(*filter.assignee_id);
    if (filter.tag) sql += " AND f.tags @> " + params.add(std::vector{*filter.tag});
    if (filter.text)
        sql += " AND f.search @@ websearch_to_tsquery('simple', " + params.add(*filter.text) + ")";
    if (filter.created_after)
        sql += " AND f.created_at >= " + params.add(core::next_millisecond(*filter.created_after));
    if (filter.created_before) sql += " AND f.created_at < " + params.add(*filter.created_before);
    if (!filter.include_deleted) sql += " AND f.deleted_at IS NULL";
    std::string const key(sort_key(filter));
    sql += " AND (" + key + ", f.feedback_id) < (" + params.add(paging::time_of(after)) + "::timestamptz, ";
    sql += params.add(paging::id_of(after)) + "::uuid)";
    sql += " ORDER BY " + key + " DESC, f.feedback_id DESC LIMIT " + params.add(limit) + "::bigint";
    return pg::read_rows(tx.run(sql, params), read);
}

void update(pg::Tx& tx, core::Scope const& scope, Feedback& f)
{
    auto const result = tx.run(R"(
        UPDATE feedbacks
        SET status = $3, priority = $4, assignee_id = $5, assignee_email = $6, tags = $7,
            version = version + 1, updated_at = clock_timestamp()
        WHERE scope_id = $1 AND feedback_id = $2
        RETURNING version, updated_at)",
        {scope.id, f.id, to_string(f.status),
            f.priority ? std::optional(to_string(*f.priority)) : std::nullopt, f.assignee_id,
            f.assignee_email, f.tags});
    auto const row = result.front();
    pg::RowReader r(row);
    f.version = r.integer();
    f.updated_at = r.time();
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

core::Time count_reply(pg::Tx& tx, core::Scope const& scope, Feedback& f, bool internal)
{
    auto const result = tx.run(
        R"(
        UPDATE feedbacks
        SET reply_count = reply_count + 1, last_reply_at = n.at,
            public_reply_count = public_reply_count + CASE WHEN $3 THEN 0 ELSE 1 END,
            public_last_reply_at = CASE WHEN $3 THEN public_last_reply_at ELSE n.at END
        FROM (SELECT greatest(clock_timestamp(), $4::timestamptz + interval '1 microsecond') AS at) AS n
        WHERE scope_id = $1 AND feedback_id = $2
        RETURNING reply_count, last_reply_at, public_reply_count, public_last_reply_at)",
        {scope.id, f.id, internal, f.all_replies.last_at});
    auto const row = result.front();
    pg::RowReader r(row);
    f.all_replies = {r.integer(), r.optional_time()};
    f.public_replies = {r.integer(), r.optional_time()};
    return *f.all_replies.last_at;
}

std::vector<GroupCount> stats(pg::Tx& tx, core::Scope const& scope)
{
    auto const result = tx.run(R"(
        SELECT CASE grouping(status, category, priority) WHEN 3 THEN 'status' WHEN 5 THEN 'category'
            WHEN 6 THEN 'priority' ELSE 'total' END, coalesce(status, category, priority, ''),
            count(*)
        FROM feedbacks
        WHERE scope_id = $1 AND deleted_at IS NULL
        GROUP BY GROUPING SETS ((status), (category), (priority), ()))",
        {scope.id});
    return pg::read_rows(result, [](pg::RowReader& r) {
        return GroupCount{.group = r.text(), .value = r.text(), .count = r.integer()};
    });
}

} // namespace feedback::feedbacks
