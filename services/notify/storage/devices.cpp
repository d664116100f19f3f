#include "storage/devices.hpp"

#include "auth/erased_user_rows.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"

#include <set>
#include <utility>

namespace notify::devices {

namespace {

constexpr auto columns = pg::sql(R"(
    d.device_id, d.token, d.user_id, d.platform, d.created_at, d.updated_at, d.web_subscription, d.web_key)");

Device read(pg::RowReader& r)
{
    Device d;
    d.id = r.integer();
    d.token = r.text();
    d.user_id = r.user_id();
    d.platform = r.one_of<DevicePlatform>();
    d.created_at = r.time();
    d.updated_at = r.time();
    d.sealed_subscription = r.optional_text();
    d.web_key = r.optional_text();
    return d;
}

// `n` has the last registration of each token, because one statement cannot write a row twice. All parts of
// the statement see the devices as they were before the statement, so the registrations of the batch are
// counted separately.
constexpr auto register_sql = pg::sql<auth::erased_user_rows::is_erased, columns>(R"(
    WITH wanted AS MATERIALIZED (
        SELECT *, clock_timestamp() AS at
        FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $6::text[], $7::text[])
            WITH ORDINALITY AS u(scope_id, token, user_id, platform, web_subscription, web_key, place)
        WHERE u.scope_id = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])
            AND NOT {is_erased}
    ),
    n AS MATERIALIZED (
        SELECT DISTINCT ON (scope_id, token) *
        FROM wanted
        ORDER BY scope_id, token, place DESC
    ),
    owners AS (SELECT scope_id, user_id, count(*) AS coming FROM n GROUP BY scope_id, user_id),
    evicted AS (
        DELETE FROM devices d
        USING (
            SELECT x.scope_id, x.device_id
            FROM owners o
            CROSS JOIN LATERAL (
                SELECT y.scope_id, y.device_id
                FROM devices y
                WHERE y.scope_id = o.scope_id AND y.user_id = o.user_id
                    AND NOT EXISTS (SELECT FROM n WHERE n.scope_id = y.scope_id AND n.token = y.token)
                ORDER BY y.updated_at DESC, y.device_id DESC
                OFFSET greatest($5::bigint - o.coming, 0)
            ) AS x
        ) AS oldest
        WHERE d.scope_id = oldest.scope_id AND d.device_id = oldest.device_id
    ),
    stored AS (
        INSERT INTO devices AS d (
            scope_id, token, user_id, platform, created_at, updated_at, web_subscription, web_key
        )
        SELECT n.scope_id, n.token, n.user_id, n.platform, n.at, n.at, n.web_subscription, n.web_key
        FROM n
        ON CONFLICT (scope_id, token) DO UPDATE SET user_id = excluded.user_id,
            platform = excluded.platform,
            web_subscription = excluded.web_subscription,
            web_key = CASE WHEN excluded.web_key IS NOT NULL THEN coalesce(d.web_key, excluded.web_key) END,
            updated_at = greatest(excluded.updated_at, d.updated_at + interval '1 microsecond')
        RETURNING d.*
    )
    SELECT w.place, {columns}
    FROM wanted w
    JOIN stored d ON d.scope_id = w.scope_id AND d.token = w.token)");

std::vector<pg::Param> register_params(std::span<Registration const> rows)
{
    return {pg::column(rows, [](Registration const& r) { return r.scope_id; }),
        pg::column(rows, [](Registration const& r) { return std::string_view(r.token); }),
        pg::column(rows, [](Registration const& r) { return std::string_view(r.user_id.text()); }),
        pg::column(rows, [](Registration const& r) { return to_string(r.platform); }), max_user_devices,
        pg::column(rows, [](Registration const& r) { return r.sealed_subscription; }),
        pg::column(rows, [](Registration const& r) { return r.web_key; })};
}

} // namespace

pg::Batch<std::optional<Device>> register_batch(
    pg::BatchConnection& connection, std::span<Registration const> rows)
{
    auto const result =
        co_await connection.run_with_scope_locks(pg::scopes_of(rows), register_sql, register_params(rows));
    auto registered = pg::read_in_input_order(result, rows.size(), read);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!registered[i]) continue;
        // Each caller gets its own registration, even if a later request replaced it.
        registered[i]->user_id = rows[i].user_id;
        registered[i]->platform = rows[i].platform;
    }
    co_return registered;
}

std::optional<Device> register_one(pg::Tx& tx, Registration const& row)
{
    pg::lock_scope(tx, row.scope_id);
    auto const result = tx.run(register_sql, register_params({&row, 1}));
    return std::move(pg::read_in_input_order(result, 1, read).front());
}

pg::Batch<bool> remove_batch(pg::BatchConnection& connection, std::span<Token const> tokens)
{
    std::vector<pg::Param> const params{pg::column(tokens, [](Token const& t) { return t.scope_id; }),
        pg::column(tokens, [](Token const& t) { return std::string_view(t.token); })};
    auto const result = co_await connection.run_with_scope_locks(pg::scopes_of(tokens),
        R"(
        DELETE FROM devices d
        USING (
            SELECT x.scope_id, x.device_id
            FROM unnest($1::bigint[], $2::text[]) AS k(scope_id, token)
            CROSS JOIN LATERAL (
                SELECT *
                FROM devices y
                WHERE y.scope_id = k.scope_id AND y.token = k.token
                LIMIT 1
            ) AS x
        ) AS gone
        WHERE d.scope_id = gone.scope_id AND d.device_id = gone.device_id
        RETURNING d.scope_id, d.token)",
        params);
    std::set<std::pair<core::ScopeId, std::string>> gone;
    for (auto const row : result) {
        pg::RowReader r(row);
        core::ScopeId const scope_id = r.scope_id();
        gone.emplace(scope_id, r.text());
    }
    std::vector<bool> removed;
    removed.reserve(tokens.size());
    // If two requests of the batch name the same token, only the first request gets true.
    for (auto const& token : tokens)
        removed.push_back(gone.erase({token.scope_id, token.token}) > 0);
    co_return removed;
}

std::optional<Device> find(pg::Tx& tx, core::Scope const& scope, std::string_view token)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM devices d
        WHERE d.scope_id = $1 AND d.token = $2)"),
        {scope.id, token});
    return pg::read_first(result, read);
}

std::vector<Device> list(pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id,
    std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM devices d
        WHERE d.scope_id = $1 AND d.user_id = $2 AND d.device_id < $3::bigint
        ORDER BY d.device_id DESC
        LIMIT $4::bigint)"),
        {scope.id, user_id, paging::number_of(after), limit});
    return pg::read_rows(result, read);
}

paging::Position position_of(Device const& device)
{
    return {device.created_at, paging::id_of_number(device.id)};
}

void prune(pg::Tx& tx, core::ScopeId scope_id, std::span<Gone const> gone)
{
    if (gone.empty()) return;
    pg::lock_scope(tx, scope_id);
    tx.run(
        R"(
        DELETE FROM devices d
        USING unnest($2::bigint[], $3::timestamptz[]) AS g(device_id, registered_at)
        WHERE d.scope_id = $1 AND d.device_id = g.device_id AND d.updated_at <= g.registered_at)",
        {scope_id, pg::column(gone, [](Gone const& g) { return g.device_id; }),
            pg::column(gone, [](Gone const& g) { return g.registered_at; })});
}

} // namespace notify::devices
