#include "tenancy/settings.hpp"

#include "audit/audit.hpp"
#include "core/error.hpp"
#include "http/etag.hpp"
#include "pg/row.hpp"
#include "tenancy/tenant_rows.hpp"

#include <boost/json/serialize.hpp>

namespace tenancy::settings {

namespace {

Settings read_settings(pg::RowReader& r)
{
    Settings settings;
    settings.document = read_object(r.view());
    settings.version = r.integer();
    settings.updated_at = r.optional_time();
    return settings;
}

} // namespace

Settings read(pg::Tx& tx, core::Scope const& scope)
{
    auto const rows =
        tx.run("SELECT document, version, updated_at FROM scope_settings WHERE scope_id = $1", {scope.id});
    return pg::read_first(rows, read_settings).value_or(Settings());
}

Settings read_for_update(pg::Tx& tx, core::Scope const& scope)
{
    // If there is no row yet, one is inserted, because a row must exist to be locked.
    auto const rows = tx.run(R"(
        INSERT INTO scope_settings (scope_id, document, version)
        VALUES ($1, '{}', 0)
        ON CONFLICT (scope_id) DO UPDATE SET version = scope_settings.version
        RETURNING document, version, updated_at)",
        {scope.id});
    return pg::read_first(rows, read_settings).value();
}

Settings write(pg::Tx& tx, core::Scope const& scope, boost::json::object const& document,
    std::optional<std::int64_t> expected_version, core::Time now)
{
    auto const rows = tx.run(
        R"(
        INSERT INTO scope_settings (scope_id, document, version, updated_at)
        VALUES ($1, $2::jsonb, 1, $3)
        ON CONFLICT (scope_id) DO UPDATE SET document = excluded.document,
            version = scope_settings.version + 1, updated_at = excluded.updated_at
        RETURNING document, version, updated_at)",
        {scope.id, boost::json::serialize(document), now});
    auto written = pg::read_first(rows, read_settings).value();
    if (expected_version && written.version != *expected_version + 1)
        throw core::Error(core::codes::precondition_failed,
            "The settings have changed since they were read. Read them again and repeat the change.");
    return written;
}

boost::json::object with_defaults(boost::json::object const& document, boost::json::object defaults)
{
    for (auto& member : defaults)
        if (auto const* const found = document.if_contains(member.key())) member.value() = *found;
    return defaults;
}

http::Response answer(Settings const& settings, Show show)
{
    return http::Response::ok(boost::json::serialize(show(settings.document)))
        .header("ETag", http::etag(settings.version));
}

Changed change(pg::Tx& tx, core::Scope const& scope, http::Request const& request,
    std::function<void(boost::json::object&)> const& modify, core::Time now)
{
    Settings const before = read_for_update(tx, scope);
    http::check_if_match(request, before.version);
    boost::json::object document = before.document;
    modify(document);
    return {before, write(tx, scope, document, before.version, now)};
}

http::Response answer_get(pg::Tx& tx, http::Request const& request, Show show)
{
    return answer(read(tx, request.scope()), show);
}

http::Response answer_patch(pg::Tx& tx, http::Request const& request,
    std::function<void(boost::json::object&)> const& modify, Show show, core::Time now, Show audited)
{
    if (audited == nullptr) audited = show;
    auto const [before, after] = change(tx, request.scope(), request, modify, now);
    audit::record(tx, request.context,
        {.action = "settings.updated",
            .subject_type = "settings",
            .subject_id = {},
            .before = audited(before.document),
            .after = audited(after.document)});
    return answer(after, show);
}

} // namespace tenancy::settings
