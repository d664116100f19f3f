#include "tenancy/settings.hpp"

#include "core/error.hpp"
#include "pg/row.hpp"
#include "tenancy/rows.hpp"

#include <boost/json/serialize.hpp>

namespace tenancy::settings {

namespace {

Settings read_settings(pqxx::result const& rows)
{
    Settings settings;
    if (rows.empty()) return settings;
    pqxx::row const row = rows.front();
    pg::RowReader r(row);
    settings.document = read_object(r.view());
    settings.version = r.integer();
    settings.updated_at = r.optional_time();
    return settings;
}

} // namespace

Settings read(pg::Tx& tx, core::Scope const& scope)
{
    return read_settings(
        tx.run("SELECT document, version, updated_at FROM scope_settings WHERE scope_id = $1", {scope.id}));
}

Settings read_for_update(pg::Tx& tx, core::Scope const& scope)
{
    // The row that is not there yet has to be locked as well.
    return read_settings(
        tx.run("INSERT INTO scope_settings (scope_id, document, version) VALUES ($1, '{}', 0) "
               "ON CONFLICT (scope_id) DO UPDATE SET version = scope_settings.version "
               "RETURNING document, version, updated_at",
            {scope.id}));
}

Settings write(pg::Tx& tx, core::Scope const& scope, boost::json::object const& document,
    std::optional<std::int64_t> expected_version, core::Time now)
{
    auto const rows = tx.run(
        "INSERT INTO scope_settings (scope_id, document, version, updated_at) VALUES ($1, $2::jsonb, 1, $3) "
        "ON CONFLICT (scope_id) DO UPDATE SET document = excluded.document, "
        "version = scope_settings.version + 1, updated_at = excluded.updated_at "
        "RETURNING document, version, updated_at",
        {scope.id, boost::json::serialize(document), now});
    Settings written = read_settings(rows);
    if (expected_version && written.version != *expected_version + 1)
        throw core::Error(
            core::codes::precondition_failed, "The settings have been changed since they were read.");
    return written;
}

} // namespace tenancy::settings
