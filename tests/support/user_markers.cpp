#include "support/user_markers.hpp"

#include "support/file.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

namespace testing {

namespace {

struct Column {
    MarkedPlace place;
    bool is_bytes = false;      ///< `bytea`
    bool is_uuid = false;       ///< `uuid`
    bool may_hold_text = false; ///< the type could contain data of a user, even if users' ids are not UUIDs
};

/// All columns of the schema `public`, in alphabetical order.
std::vector<Column> columns_of(Postgres const& postgres)
{
    auto const json = boost::json::parse(postgres.query(R"(
        SELECT coalesce(json_agg(json_build_array(c.relname, a.attname, t.typname,
                                                  t.typcategory IN ('S', 'A', 'U', 'I', 'C') AND t.typname <> 'uuid')
                                 ORDER BY c.relname, a.attname), '[]')
        FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        JOIN pg_type t ON t.oid = a.atttypid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'm') AND NOT c.relispartition)"));
    std::vector<Column> columns;
    for (auto const& row : json.as_array())
        columns.push_back({.place = {boost::json::value_to<std::string>(row.at(0)),
                               boost::json::value_to<std::string>(row.at(1))},
            .is_bytes = row.at(2) == "bytea",
            .is_uuid = row.at(2) == "uuid",
            .may_hold_text = row.at(3).as_bool()});
    return columns;
}

/// An SQL string literal, or with `"` as the quote a name.
std::string quoted(std::string const& text, char quote = '\'')
{
    std::string sql(1, quote);
    for (char const c : text)
        sql.append(c == quote ? 2 : 1, c);
    return sql + quote;
}

/// An SQL condition: whether the column of the row `t` contains the marker.
std::string contains(Column const& column, std::string const& marker)
{
    auto const name = "t." + quoted(column.place.column, '"');
    if (column.is_bytes) return "position(convert_to(" + quoted(marker) + ", 'UTF8') IN " + name + ") > 0";
    return "position(lower(" + quoted(marker) + ") IN lower(" + name + "::text)) > 0";
}

/// Reads the table once. Returns its columns with the marker.
std::vector<MarkedPlace> search(
    Postgres const& postgres, std::vector<Column> const& columns, std::string const& marker)
{
    std::string sql;
    for (auto const& column : columns)
        sql +=
            (sql.empty() ? "SELECT json_build_array(" : ", ") + ("bool_or(" + contains(column, marker) + ")");
    auto const found =
        boost::json::parse(postgres.query(sql + ") FROM " + quoted(columns.front().place.table, '"') + " t"));
    std::vector<MarkedPlace> places;
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (found.at(i) == true) places.push_back(columns[i].place);
    return places;
}

std::vector<std::string> lines_of(std::string const& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

std::string text_of(MarkedPlace const& place)
{
    return place.table + '.' + place.column;
}

} // namespace

std::ostream& operator<<(std::ostream& out, MarkedPlace const& place)
{
    return out << text_of(place);
}

std::vector<MarkedPlace> find_marker(Postgres const& postgres, std::string const& marker)
{
    std::map<std::string, std::vector<Column>> tables;
    for (auto& column : columns_of(postgres))
        tables[column.place.table].push_back(std::move(column));
    std::vector<MarkedPlace> places;
    for (auto const& [table, columns] : tables)
        std::ranges::copy(search(postgres, columns, marker), std::back_inserter(places));
    return places;
}

std::vector<std::string> find_marker(Redis const& redis, std::string const& marker)
{
    return lines_of(redis.ask({"EVAL", R"(
        local readers = {
            string = function(key) return redis.call('GET', key) end,
            hash = function(key) return redis.call('HGETALL', key) end,
            list = function(key) return redis.call('LRANGE', key, 0, -1) end,
            set = function(key) return redis.call('SMEMBERS', key) end,
            zset = function(key) return redis.call('ZRANGE', key, 0, -1) end,
            stream = function(key) return redis.call('XRANGE', key, '-', '+') end,
        }
        local function contains(value)
            if type(value) == 'table' then
                for _, item in ipairs(value) do
                    if contains(item) then return true end
                end
                return false
            end
            return string.find(tostring(value), ARGV[1], 1, true) ~= nil
        end
        local found = {}
        for _, key in ipairs(redis.call('KEYS', '*')) do
            local value = readers[redis.call('TYPE', key).ok](key)
            if contains(key) or contains(value) then table.insert(found, key) end
        end
        table.sort(found)
        return found)",
        "0", marker}));
}

std::vector<std::string> find_marked_files(std::string const& folder, std::string const& marker)
{
    namespace fs = std::filesystem;
    std::vector<std::string> found;
    if (!fs::exists(folder)) return found;
    for (auto const& entry : fs::recursive_directory_iterator(folder)) {
        auto const path = entry.path().string();
        bool const named = path.find(marker, folder.size()) != std::string::npos;
        if (named || (entry.is_regular_file() && read_file(path).find(marker) != std::string::npos))
            found.push_back(path);
    }
    std::ranges::sort(found);
    return found;
}

std::set<std::string> const& library_columns_without_users()
{
    static std::set<std::string> const columns{// the tenant's own data, and ids of rows and processes
        "api_key_scopes.key_hash", "api_keys.key_hash", "api_keys.key_id", "api_keys.kind", "api_keys.prefix",
        "periodic_tasks.*", "schema_migrations.*", "tenant_erasures.*", "tenants.*",
        "scope_settings.document", // set by the tenant's staff
        "webhooks.description", "webhooks.disabled_reason", "webhooks.events", "webhooks.previous_secret",
        "webhooks.secret", "webhooks.url", "webhooks.webhook_id", "dead_jobs.queue", "dead_jobs.reason",
        "dead_jobs.ref", "jobs.lease_owner", "jobs.queue", "jobs.ref",
        // hashes and encrypted values
        "erased_users.erasure_id", "erased_users.sealed_user_id", "erased_users.user_hash",
        "idempotency_keys.fingerprint", "idempotency_keys.key_hash",
        // chosen by the service
        "audit_log.action", "audit_log.actor_role", "audit_log.audit_id", "audit_log.subject_type",
        "idempotency_keys.etag", "idempotency_keys.location", "webhook_deliveries.delivery_id",
        "webhook_deliveries.event_type", "webhook_deliveries.last_error", "webhook_deliveries.status",
        "webhook_deliveries.traceparent", "webhook_deliveries.webhook_id"};
    return columns;
}

std::string unknown_columns(Postgres const& postgres, std::vector<MarkedPlace> const& planted,
    std::set<std::string> const& without_users, UserIds user_ids)
{
    std::string faults;
    std::set<std::string> unused = without_users;
    for (auto const& [place, is_bytes, is_uuid, may_hold_text] : columns_of(postgres)) {
        bool const may_hold_user = may_hold_text || (is_uuid && user_ids == UserIds::uuids);
        bool const marked = std::ranges::find(planted, place) != planted.end();
        bool known = false;
        for (auto const& name : {place.table + ".*", text_of(place)}) {
            if (!without_users.contains(name)) continue;
            known = true;
            unused.erase(name);
            if (marked) faults += text_of(place) + " contains data of a user, but " + name + " is listed\n";
        }
        if (may_hold_user && !marked && !known) faults += text_of(place) + " is not known\n";
    }
    for (auto const& name : unused)
        faults += name + " is listed but does not exist\n";
    return faults;
}

void require_every_column_known(Postgres const& postgres, std::vector<MarkedPlace> const& planted,
    std::set<std::string> const& without_users, UserIds user_ids)
{
    auto const faults = unknown_columns(postgres, planted, without_users, user_ids);
    if (!faults.empty())
        FAIL("Columns that the test of the erasure does not cover. Write a marker into each of them, or list "
             "those that contain nothing of a user:\n"
             << faults);
}

} // namespace testing
