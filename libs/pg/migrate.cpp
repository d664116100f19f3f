#include "pg/migrate.hpp"

#include "pg/conninfo.hpp"

#include <openssl/evp.h>
#include <pqxx/connection>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/result>
#include <pqxx/transaction>

#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>

namespace pg {

/// The advisory lock that one run holds; below the locks of scopes (see database.hpp).
static constexpr char const* lock_key = "x'4d00000000000001'::bigint";

/// How long a migration waits for a lock, how often it tries, and how long it leaves the others alone
/// between: behind whoever waits for a table's lock everybody else waits, the service's readers too.
static constexpr char const* set_lock_timeout = "SET LOCAL lock_timeout = '1s'";
static constexpr unsigned lock_tries = 120;
static constexpr std::chrono::seconds between_tries{1};

/// What every migration may use. The sub-select is evaluated once a statement; no setting and the empty list
/// both see nothing. `scope_id + 0` keeps the policy out of the index conditions: beside a statement's own
/// `scope_id = …` it would count the scope's selectivity twice, and where one scope holds most of a table the
/// planner then prefers any index that begins with scope_id to the primary key (measured: 10 ms instead of 40
/// µs a row).
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
    std::string hex;
    for (unsigned i = 0; i < size; ++i) {
        hex += "0123456789abcdef"[digest[i] >> 4];
        hex += "0123456789abcdef"[digest[i] & 15];
    }
    return hex;
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

/// Whether it still has to be applied. Throws when it was, with another text.
static bool is_pending(Applied const& applied, Component const& component, Migration const& migration)
{
    auto const known = applied.find(full_name(component, migration));
    if (known == applied.end()) return true;
    if (known->second == checksum_of(migration.sql)) return false;
    throw std::runtime_error(
        "migration " + known->first +
        " was changed after it was applied to this database: restore its text and put the "
        "change into a new migration");
}

static void create_role(pqxx::connection& connection, pqxx::transaction_base& tx, std::string const& role)
{
    std::string const name = connection.quote_name(role);
    auto const known = tx.exec("SELECT FROM pg_roles WHERE rolname = " + connection.quote(role));
    if (!known.empty()) return;
    try {
        // Roles belong to the whole cluster: the same one may be being created for a neighbouring database.
        tx.exec("DO $do$ BEGIN CREATE ROLE " + name +
                " NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $do$");
    } catch (pqxx::insufficient_privilege const&) {
        throw std::runtime_error("the role " + role +
                                 " does not exist and this role may not create it: run `CREATE ROLE " + name +
                                 " NOLOGIN` as one that may");
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

/// False when a lock was not to be had in time; then nothing of it was applied.
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
            throw pqxx::failure(
                "others keep a lock that it needs (pg_locks, pg_stat_activity): run it again");
        std::this_thread::sleep_for(between_tries);
    }
} catch (pqxx::failure const& failure) {
    throw std::runtime_error("migration " + full_name(component, migration) + " failed: " + failure.what());
}

std::vector<std::string> migrate(
    std::string const& url, std::span<Component const* const> components, std::string const& service_role)
{
    pqxx::connection connection(complete_conninfo(url, "migrate"));
    // Held by the session, so it ends with the connection whatever happens.
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
