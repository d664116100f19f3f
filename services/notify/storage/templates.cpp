#include "storage/templates.hpp"

#include "core/error.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

namespace notify::templates {

namespace {

constexpr auto columns = pg::sql(R"(
    t.template_id, t.name, t.channel, t.subject, t.body, t.format, t.push, t.version, t.created_at,
    t.updated_at)");

Template read(pg::RowReader& r)
{
    Template t;
    t.id = r.uuid();
    t.name = r.text();
    t.channel = r.one_of<Channel>();
    t.subject = r.text();
    t.body = r.text();
    t.format = r.one_of<Format>();
    if (auto const push = r.optional_text()) t.push = push_settings_of(push);
    t.version = r.integer();
    t.created_at = r.time();
    t.updated_at = r.time();
    return t;
}

std::optional<std::string> push_json(Template const& t)
{
    return t.push ? std::optional(to_json(*t.push)) : std::nullopt;
}

/// Reads the row that an insert or update returns. Throws CONFLICT if there is no row, because this means
/// that another template has the name.
Template read_written(pg::Rows const& result)
{
    auto written = pg::read_first(result, read);
    if (!written)
        throw core::Error(
            core::codes::conflict, "A template with this name already exists. Use another name.");
    return *std::move(written);
}

} // namespace

pg::Batch<std::optional<Found>> find_batch(pg::BatchConnection& connection, std::span<Name const> names)
{
    // The tenant is a parameter of its own. `scope_id / 2` is not leakproof, and under row-level security
    // such an expression cannot be an index condition.
    std::vector<pg::Param> const params{pg::column(names, [](Name const& n) { return n.scope_id; }),
        pg::column(names, [](Name const& n) { return core::tenant_of(n.scope_id); }),
        pg::column(names, [](Name const& n) { return std::string_view(n.name); })};
    static constexpr auto sql = pg::sql<columns>(R"(
        SELECT k.place, {columns}, t.channel = 'push'
            AND EXISTS (SELECT FROM platforms p WHERE p.scope_id = k.scope_id)
        FROM unnest($1::bigint[], $2::bigint[], $3::text[]) WITH ORDINALITY AS k(
            scope_id, tenant_id, name, place
        )
        CROSS JOIN LATERAL (
            SELECT *
            FROM templates x
            WHERE x.tenant_id = k.tenant_id AND x.name = k.name
            LIMIT 1
        ) AS t)");
    auto const result = co_await connection.run(pg::scopes_of(names), sql, params);
    co_return pg::read_in_input_order(result, names.size(), [](pg::RowReader& r) {
        Found found;
        found.content = read(r);
        found.has_carrier = r.boolean();
        return found;
    });
}

std::optional<Template> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM templates t
        WHERE t.tenant_id = $1 AND t.template_id = $2)"),
        {scope.tenant_id(), id});
    return pg::read_first(result, read);
}

std::optional<Template> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM templates t
        WHERE t.tenant_id = $1 AND t.template_id = $2
        FOR UPDATE)"),
        {scope.tenant_id(), id});
    return pg::read_first(result, read);
}

std::vector<Template> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM templates t
        WHERE t.tenant_id = $1 AND (t.created_at, t.template_id) < ($2::timestamptz, $3::uuid)
        ORDER BY t.created_at DESC, t.template_id DESC
        LIMIT $4::bigint)"),
        {scope.tenant_id(), paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(result, read);
}

void insert(pg::Tx& tx, core::Scope const& scope, Template& t)
{
    pg::lock_scope(tx, scope.production().id); // per tenant, like template names and list cursors
    auto const result = tx.run(pg::sql<columns>(R"(
        INSERT INTO templates AS t (
            tenant_id, template_id, name, channel, subject, body, format, push, created_at, updated_at
        )
        SELECT $1::bigint, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::text, $8::json, n.at, n.at
        FROM (SELECT clock_timestamp() AS at) AS n
        ON CONFLICT (tenant_id, name) DO NOTHING
        RETURNING {columns})"),
        {scope.tenant_id(), t.id, t.name, to_string(t.channel), t.subject, t.body, to_string(t.format),
            push_json(t)});
    t = read_written(result);
}

void update(pg::Tx& tx, core::Scope const& scope, Template& t)
{
    pg::lock_scope(tx, scope.production().id); // per tenant, like template names and list cursors
    auto const result = tx.run(pg::sql<columns>(R"(
        UPDATE templates t
        SET name = $3, channel = $4, subject = $5, body = $6, format = $7, push = $8::json,
            version = t.version + 1, updated_at = clock_timestamp()
        WHERE t.tenant_id = $1 AND t.template_id = $2
            AND NOT EXISTS (
                SELECT
                FROM templates o
                WHERE o.tenant_id = $1 AND o.name = $3 AND o.template_id <> $2
            )
        RETURNING {columns})"),
        {scope.tenant_id(), t.id, t.name, to_string(t.channel), t.subject, t.body, to_string(t.format),
            push_json(t)});
    t = read_written(result);
}

void remove(pg::Tx& tx, core::Scope const& scope, core::Uuid id)
{
    tx.run("DELETE FROM templates WHERE tenant_id = $1 AND template_id = $2", {scope.tenant_id(), id});
}

} // namespace notify::templates
