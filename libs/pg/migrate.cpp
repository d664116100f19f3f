#include "pg/migrate.hpp"

#include "core/hex.hpp"
#include "pg/conninfo.hpp"

#include <openssl/evp.h>
#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/result>
#include <pqxx/transaction>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>

namespace pg {

/// The key of the advisory lock that a run of `migrate` holds. The keys of scopes (see `lock_scope`) are all
/// greater, so the keys do not collide.
static constexpr char const* lock_key = "x'4d00000000000001'::bigint";

/// How long an attempt of a migration waits for a lock, the maximum number of attempts, and the pause between
/// attempts. While a migration waits for a table lock, all later users of the table wait behind it, including
/// the service's readers. The pause lets them continue.
static constexpr char const* set_lock_timeout = "SET LOCAL lock_timeout = '1s'";
static constexpr unsigned lock_tries = 120;
static constexpr std::chrono::seconds between_tries{1};

/// The beginning of a comment line with which a migration declares the checksum of an earlier text. The rest
/// of the line is the SHA-256 of the earlier file in 64 lower-case hexadecimal digits.
static constexpr char const* earlier_checksum = "-- Checksum before its comments were reworded: ";

/// Functions for migrations. The sub-select in a policy is evaluated once per statement. If the setting is
/// missing or its list is empty, no row is visible. The planner cannot use an index for `scope_id + 0`. With
/// plain `scope_id` in the policy, beside a statement's own `scope_id = …`, the planner would count the
/// scope's selectivity twice. If one scope holds most of a table, the planner would then prefer any index
/// that begins with scope_id to the primary key (measured: 10 ms instead of 40 µs per row).
static constexpr char const* helpers = R"(
CREATE OR REPLACE FUNCTION protect_rows(t regclass, policy text, visible text) RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY %I ON %s USING (%s) WITH CHECK (%s)', policy, t, visible, visible);
END
$function$;
REVOKE EXECUTE ON FUNCTION protect_rows(regclass, text, text) FROM PUBLIC;
CREATE OR REPLACE FUNCTION protect_by_scope(t regclass) RETURNS void LANGUAGE sql AS $function$
    SELECT protect_rows(t, 'scope',
        '(scope_id + 0) = ANY ((SELECT string_to_array(current_setting(''app.scopes'', true), '','')::bigint[])::bigint[])')
$function$;
REVOKE EXECUTE ON FUNCTION protect_by_scope(regclass) FROM PUBLIC;
CREATE OR REPLACE FUNCTION protect_by_tenant(t regclass) RETURNS void LANGUAGE sql AS $function$
    SELECT protect_rows(t, 'tenant',
        '(tenant_id + 0) = ANY ((SELECT array_agg(s / 2) FROM unnest(string_to_array(current_setting(''app.scopes'', true), '','')::bigint[]) AS s)::bigint[])')
$function$;
REVOKE EXECUTE ON FUNCTION protect_by_tenant(regclass) FROM PUBLIC;
CREATE TABLE IF NOT EXISTS schema_migrations (
    component text NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (component, name)
);
GRANT SELECT ON schema_migrations TO :service_role;
)";

using Applied = std::map<std::string, std::string>; ///< `component/name` to checksum

static std::string full_name(Component const& component, Migration const& migration)
{
    return std::string(component.name) + "/" + std::string(migration.name);
}

/// SHA-256 in hexadecimal.
static std::string checksum_of(std::string_view sql)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    if (EVP_Digest(sql.data(), sql.size(), digest, &size, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("SHA-256 failed");
    return core::hex::encode({reinterpret_cast<char const*>(digest), size});
}

/// Whether a database that stores the checksum `applied` has applied this migration, with its present text or
/// with an earlier one. Databases keep the checksum of the text that they applied. So if only its comments
/// change, the new text declares the earlier checksums, each in a line of the comment at its start.
static bool accepts(Migration const& migration, std::string const& applied)
{
    if (applied == checksum_of(migration.sql)) return true;
    auto const declaration = earlier_checksum + applied;
    for (auto rest = migration.sql; rest.starts_with("--");) {
        auto const line = rest.substr(0, rest.find('\n'));
        if (line == declaration) return true;
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    return false;
}

static std::string replace_all(std::string_view sql, std::string_view from, std::string_view to)
{
    std::string out;
    for (auto at = sql.find(from); at != std::string_view::npos; at = sql.find(from)) {
        out.append(sql.substr(0, at)).append(to);
        sql.remove_prefix(at + from.size());
    }
    return out.append(sql);
}

static Applied read_applied(pqxx::transaction_base& tx)
{
    Applied applied;
    if (tx.exec1("SELECT to_regclass('schema_migrations') IS NULL")[0].as<bool>()) return applied;
    for (pqxx::row const& row : tx.exec("SELECT component || '/' || name, checksum FROM schema_migrations"))
        applied.emplace(row[0].as<std::string>(), row[1].as<std::string>());
    return applied;
}

/// Whether the migration must be applied. Throws if the database stores the checksum of a text that the
/// migration does not accept.
static bool is_pending(Applied const& applied, Component const& component, Migration const& migration)
{
    auto const known = applied.find(full_name(component, migration));
    if (known == applied.end()) return true;
    if (accepts(migration, known->second)) return false;
    throw std::runtime_error(
        "migration " + known->first +
        " was changed after it was applied to this database. Restore its text and put the "
        "change into a new migration.");
}

static void create_role(pqxx::connection& connection, pqxx::transaction_base& tx, std::string const& role)
{
    std::string const name = connection.quote_name(role);
    auto const known = tx.exec("SELECT FROM pg_roles WHERE rolname = " + connection.quote(role));
    if (!known.empty()) return;
    try {
        // Roles belong to the whole server, so the migration of another database may create the same role
        // concurrently.
        tx.exec("DO $do$ BEGIN CREATE ROLE " + name +
                " NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $do$");
    } catch (pqxx::insufficient_privilege const&) {
        throw std::runtime_error("the role " + role +
                                 " does not exist and this role may not create it: run `CREATE ROLE " + name +
                                 " NOLOGIN` as a role that may create roles");
    }
}

static void prepare_database(pqxx::connection& connection, std::string const& role)
{
    std::string const name = connection.quote_name(role);
    pqxx::nontransaction session(connection);
    create_role(connection, session, role);
    session.exec("GRANT USAGE ON SCHEMA public TO " + name + "; GRANT CONNECT ON DATABASE " +
                 connection.quote_name(connection.dbname()) + " TO " + name + ";" +
                 replace_all(helpers, ":service_role", name));
}

/// Returns false if a lock was not available in time. Nothing was applied in this case.
static bool try_to_apply(pqxx::connection& connection, Component const& component, Migration const& migration,
    std::string const& sql)
try {
    pqxx::work tx(connection);
    tx.exec(set_lock_timeout);
    tx.exec(sql);
    tx.exec_params("INSERT INTO schema_migrations (component, name, checksum) VALUES ($1, $2, $3)",
        std::string(component.name), std::string(migration.name), checksum_of(migration.sql));
    tx.commit();
    return true;
} catch (pqxx::sql_error const& error) {
    if (error.sqlstate() == "55P03") return false; // lock_not_available
    throw;
}

static void apply(pqxx::connection& connection, Component const& component, Migration const& migration,
    std::string const& role)
try {
    std::string const sql = replace_all(migration.sql, ":service_role", connection.quote_name(role));
    for (unsigned tries = 1; !try_to_apply(connection, component, migration, sql); ++tries) {
        if (tries == lock_tries)
            throw pqxx::failure("other sessions hold a lock that it needs (see pg_locks, pg_stat_activity). "
                                "Run the migration again.");
        std::this_thread::sleep_for(between_tries);
    }
} catch (pqxx::failure const& failure) {
    throw std::runtime_error("migration " + full_name(component, migration) + " failed: " + failure.what());
}

std::vector<std::string> migrate(
    std::string const& url, std::span<Component const* const> components, std::string const& service_role)
{
    pqxx::connection connection(complete_conninfo(url, "migrate", {}, migration_connect_timeout));
    // The lock belongs to the session, so the server releases it when the connection ends, even after a
    // failure.
    pqxx::nontransaction(connection).exec(std::string("SELECT pg_advisory_lock(") + lock_key + ")");
    prepare_database(connection, service_role);
    Applied const applied = [&] {
        pqxx::nontransaction session(connection);
        return read_applied(session);
    }();

    std::vector<std::string> names;
    for (Component const* component : components) {
        for (Migration const& migration : component->migrations) {
            if (!is_pending(applied, *component, migration)) continue;
            apply(connection, *component, migration, service_role);
            names.push_back(full_name(*component, migration));
        }
    }
    return names;
}

std::vector<std::string> pending(std::string const& url, std::span<Component const* const> components)
{
    pqxx::connection connection(complete_conninfo(url, "migrate"));
    pqxx::nontransaction session(connection);
    Applied const applied = read_applied(session);
    std::vector<std::string> names;
    for (Component const* component : components) {
        for (Migration const& migration : component->migrations) {
            if (is_pending(applied, *component, migration)) names.push_back(full_name(*component, migration));
        }
    }
    return names;
}

} // namespace pg
