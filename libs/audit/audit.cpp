#include "audit/audit.hpp"

#include "core/json_writer.hpp"
#include "http/query.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"
#include "pg/row.hpp"

#include <boost/json/serialize.hpp>

#include <utility>
#include <vector>

namespace audit {

namespace {

/// A row of `audit_log`. `before` and `after` are JSON text.
struct Recorded {
    core::Uuid id;
    core::Time at;
    std::string actor, actor_role, action, subject_type, subject_id;
    std::optional<std::string> before, after;
    std::string request_id;
};

struct Filter {
    std::optional<std::string> action, actor;

    std::uint64_t hash() const
    {
        return paging::FilterHash().add("list", "audit").add("action", action).add("actor", actor).value();
    }
};

std::optional<std::string> to_text(std::optional<boost::json::value> const& value)
{
    if (!value) return std::nullopt;
    return boost::json::serialize(*value);
}

Recorded read_entry(pg::RowReader& r)
{
    Recorded entry;
    entry.id = r.uuid();
    entry.at = r.time();
    entry.actor = r.text();
    entry.actor_role = r.text();
    entry.action = r.text();
    entry.subject_type = r.text();
    entry.subject_id = r.text();
    entry.before = r.optional_text();
    entry.after = r.optional_text();
    entry.request_id = r.text();
    return entry;
}

/// One statement for each combination of filters, so that PostgreSQL uses the index of that combination.
std::vector<Recorded> newest(pg::Tx& tx, core::Scope const& scope, Filter const& filter,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    std::string sql = R"(
        SELECT audit_id, at, actor, actor_role, action, subject_type, subject_id, before, after,
            request_id
        FROM audit_log
        WHERE scope_id = $1)";
    pg::ParamList params{scope.id};
    if (filter.action) sql += " AND action = " + params.add(*filter.action);
    if (filter.actor) sql += " AND actor = " + params.add(*filter.actor);
    std::string const at = params.add(paging::time_of(after));
    sql += " AND (at, audit_id) < (" + at + "::timestamptz, " + params.add(paging::id_of(after)) + "::uuid)";
    sql += " ORDER BY at DESC, audit_id DESC LIMIT " + params.add(limit);

    return pg::read_rows(tx.run(sql, params), read_entry);
}

void write_json(core::JsonWriter& json, std::string_view name, std::optional<std::string> const& value)
{
    json.key(name).raw(value ? std::string_view(*value) : std::string_view("null"));
}

void write_entry(core::JsonWriter& json, Recorded const& entry)
{
    json.begin_object()
        .member("auditId", entry.id.to_string())
        .member("createdAt", entry.at)
        .member("actor", entry.actor)
        .member("actorRole", entry.actor_role)
        .member("action", entry.action)
        .member("subjectType", entry.subject_type)
        .member("subjectId", entry.subject_id);
    write_json(json, "before", entry.before);
    write_json(json, "after", entry.after);
    json.member("requestId", entry.request_id).end_object();
}

void insert(pg::Tx& tx, core::Scope const& scope, Actor const& actor, std::span<Entry const> entries)
{
    if (entries.empty()) return;
    // The time is read under the lock, and the lock is held until the commit. So a reader that sees a later
    // entry also sees this entry.
    tx.run(
        R"(
        WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended('audit', $1::bigint)))
        INSERT INTO audit_log (
            scope_id, audit_id, at, actor, actor_role, action, subject_type, subject_id, before, after,
            request_id
        )
        SELECT $1::bigint, n.audit_id, clock_timestamp(), $2::text, $3::text, n.action, n.subject_type,
            n.subject_id, n.before, n.after, $4::text
        FROM turn
        CROSS JOIN unnest(
            $5::uuid[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::jsonb[]
        ) AS n(audit_id, action, subject_type, subject_id, before, after))",
        {scope.id, actor.id, actor.role, actor.request_id,
            pg::column(entries, [](Entry const&) { return core::Uuid::v7(); }),
            pg::column(entries, [](Entry const& e) { return std::string_view(e.action); }),
            pg::column(entries, [](Entry const& e) { return std::string_view(e.subject_type); }),
            pg::column(entries, [](Entry const& e) { return std::string_view(e.subject_id); }),
            pg::column(entries, [](Entry const& e) { return to_text(e.before); }),
            pg::column(entries, [](Entry const& e) { return to_text(e.after); })});
}

Entry entry_of(std::string_view type, std::string_view what, core::Uuid const& id)
{
    Entry made;
    made.action.append(type).append(1, '.').append(what);
    made.subject_type = type;
    made.subject_id = id.to_string();
    return made;
}

} // namespace

Entry created(std::string_view type, core::Uuid const& id, boost::json::value after)
{
    Entry made = entry_of(type, "created", id);
    made.after = std::move(after);
    return made;
}

Entry updated(
    std::string_view type, core::Uuid const& id, boost::json::value before, boost::json::value after)
{
    Entry made = entry_of(type, "updated", id);
    made.before = std::move(before);
    made.after = std::move(after);
    return made;
}

Entry deleted(std::string_view type, core::Uuid const& id, boost::json::value before)
{
    Entry made = entry_of(type, "deleted", id);
    made.before = std::move(before);
    return made;
}

void record(pg::Tx& tx, core::Scope const& scope, Actor const& actor, Entry const& entry)
{
    insert(tx, scope, actor, {&entry, 1});
}

void record(pg::Tx& tx, http::Context const& context, Entry const& entry)
{
    record_all(tx, context, {&entry, 1});
}

void record_all(pg::Tx& tx, http::Context const& context, std::span<Entry const> entries)
{
    insert(tx, context.scope, {context.caller.id, context.caller.role, context.request_id}, entries);
}

std::size_t erase_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    std::string_view pseudonym, std::vector<std::string> const& subject_ids, std::size_t limit)
{
    auto const rows = tx.run("SELECT erase_user_from_audit($1, $2, $3, $4, $5)",
        {scope_id, user_id, pseudonym, subject_ids, limit});
    return static_cast<std::size_t>(pg::RowReader(rows[0]).integer());
}

asio::awaitable<http::Response> list_audit(http::Request const& request, pg::Database& database)
{
    http::Query query(request);
    Filter const filter{query.text("action", 1, 100), query.text("actor", 1, 255)};
    auto const asked = paging::PageRequest::read(query, filter.hash());
    query.check();
    core::Scope const& scope = request.scope();
    auto rows = co_await database.read(
        scope, [&](pg::Tx& tx) { return newest(tx, scope, filter, asked.after, asked.rows()); });
    auto const page = asked.page(
        std::move(rows), [](Recorded const& entry) { return paging::Position{entry.at, entry.id}; });
    co_return http::Response::ok(paging::to_json(page, write_entry));
}

} // namespace audit
