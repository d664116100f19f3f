#include "support/scope_rows.hpp"

#include "pg/row.hpp"
#include "support/eventually.hpp"

#include <sstream>
#include <stdexcept>
#include <utility>

namespace testing {

RowViews const& what_callers_do()
{
    static RowViews const views{
        {"jobs", ""}, {"webhook_deliveries", ""}, {"api_keys", "to_jsonb(t) - 'last_used_at'"}};
    return views;
}

std::string rows_of_scope(Postgres const& postgres, std::string const& scope_id, RowViews const& views)
{
    std::istringstream names(postgres.query(R"(
        SELECT string_agg(c.relname, ',' ORDER BY c.relname)
        FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'scope_id'
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace)"));
    // One statement for all tables, because each call of `query` makes a connection.
    std::string hashes;
    for (std::string table; std::getline(names, table, ',');) {
        auto const view = views.find(table);
        std::string const row = view == views.end() ? "to_jsonb(t)" : view->second;
        if (row.empty()) continue;
        if (!hashes.empty()) hashes += " || ';' || ";
        hashes.append("'").append(table).append("=' || (SELECT md5(coalesce(string_agg((").append(row);
        hashes.append(")::text, E'\\n' ORDER BY (").append(row).append(")::text), '')) FROM ").append(table);
        hashes.append(" t WHERE scope_id = ").append(scope_id).append(")");
    }
    return postgres.query("SELECT " + hashes);
}

std::string rows_of_tenant(Postgres const& postgres, std::string const& table, std::string const& scope_id)
{
    return postgres.query("SELECT md5(coalesce(string_agg(t::text, ' ' ORDER BY t::text), '')) FROM " +
                          table + " t WHERE tenant_id = " + scope_id + " / 2");
}

ScopedStatements::ScopedStatements(Postgres const& postgres, core::ScopeId ours, core::ScopeId other)
    : ours_(ours), other_(other), db_({.url = postgres.service_url(), .threads = 1})
{
    if (eventually([this] { return db_.healthy(); })) return;
    db_.stop();
    throw std::runtime_error("the database cannot be reached");
}

ScopedStatements::~ScopedStatements()
{
    db_.stop();
}

std::string ScopedStatements::run(pg::Scopes scopes, std::string const& sql)
{
    return db_.transact_blocking(
        std::move(scopes), [&](pg::Tx& tx) { return pg::RowReader(tx.run(sql).front()).text(); });
}

std::string ScopedStatements::seen(std::string const& table, std::string const& condition)
{
    auto const count = "SELECT count(*) FROM " + table + " WHERE " + condition;
    auto const sibling = core::scope_of(core::tenant_of(ours_), core::Environment::production);
    return run(ours_, count) + ' ' + run(sibling, count) + ' ' + run(other_, count) + ' ' + run({}, count);
}

} // namespace testing
