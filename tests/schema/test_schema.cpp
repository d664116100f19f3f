#include "service/run.hpp"
#include "support/postgres.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>
#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

// Checks that Citus can distribute each service's tables over the nodes of a cluster. Citus enforces unique
// indexes and foreign keys within a node. So each of them must begin with the distribution column:
// `scope_id`, or `tenant_id` for data that a tenant's environments share. Small tables whose keys cannot
// begin with this column are copied to every node (reference tables).

// Declared as in each service's app.hpp. The headers have the same name, so only one of them could be
// included.
namespace feedback {
service::Definition definition();
}

namespace auth_mfa {
service::Definition definition();
}

namespace notify {
service::Definition definition();
}

namespace billing {
service::Definition definition();
}

namespace {

/// Reference tables, with the reason why the keys of each cannot begin with a scope.
using References = std::map<std::string, char const*>;

References const of_every_service{
    {"schema_migrations", "the migrations of the whole database"},
    {"tenants", "the list of tenants: looked up by slug, and the source of scope ids"},
    {"tenant_erasures", "erased tenants, which have no row in tenants any more"},
    {"api_key_scopes", "finds the scope of an API key by its hash"},
    {"erased_users", "finds erased users by a hash, for tokens of all scopes"},
    {"periodic_tasks", "one row for each periodic task of the service"},
};

References with(References more)
{
    more.insert(of_every_service.begin(), of_every_service.end());
    return more;
}

/// A primary key, unique index, exclusion constraint or foreign key. `other` and `other_columns`: the target
/// of a foreign key.
struct Key {
    std::string table, kind, name;
    std::vector<std::string> columns; ///< "" means an expression
    std::string other;
    std::vector<std::string> other_columns;
};

struct Table {
    std::string name;
    std::set<std::string> whole_numbers; ///< the columns that are bigint NOT NULL
};

Key tag_invoke(boost::json::value_to_tag<Key>, boost::json::value const& json)
{
    auto const member = [&](char const* name) -> auto const& { return json.at(name); };
    using Names = std::vector<std::string>;
    return {boost::json::value_to<std::string>(member("table")),
        boost::json::value_to<std::string>(member("kind")),
        boost::json::value_to<std::string>(member("name")), boost::json::value_to<Names>(member("columns")),
        boost::json::value_to<std::string>(member("other")),
        boost::json::value_to<Names>(member("other_columns"))};
}

Table tag_invoke(boost::json::value_to_tag<Table>, boost::json::value const& json)
{
    return {boost::json::value_to<std::string>(json.at("name")),
        boost::json::value_to<std::set<std::string>>(json.at("whole_numbers"))};
}

/// The rows of a query, each as `T`.
template <class T> std::vector<T> rows(testing::Postgres const& postgres, std::string const& sql)
{
    auto const json = postgres.query("SELECT coalesce(json_agg(r), '[]') FROM (" + sql + ") r");
    return boost::json::value_to<std::vector<T>>(boost::json::parse(json));
}

std::vector<Table> tables_of(testing::Postgres const& postgres)
{
    // Includes partitioned tables and their partitions.
    return rows<Table>(postgres, R"(
        SELECT t.relname AS name,
            coalesce((SELECT json_agg(a.attname) FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum > 0
                AND a.attnotnull AND a.atttypid = 'bigint'::regtype), '[]') AS whole_numbers
        FROM pg_class t
        WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') ORDER BY 1)");
}

std::vector<Key> keys_of(testing::Postgres const& postgres)
{
    return rows<Key>(postgres, R"(
        SELECT t.relname AS "table",
            CASE WHEN i.indisprimary THEN 'primary key' WHEN i.indisexclusion THEN 'exclusion constraint'
                ELSE 'unique index' END AS kind,
            k.relname AS name,
            (SELECT json_agg(coalesce(a.attname, '') ORDER BY c.place)
                FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS c(number, place)
                LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.number AND c.number > 0
                WHERE c.place <= i.indnkeyatts) AS columns,
            '' AS other, '[]'::json AS other_columns
        FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class k ON k.oid = i.indexrelid
        WHERE t.relnamespace = 'public'::regnamespace AND (i.indisunique OR i.indisexclusion)
        UNION ALL
        SELECT t.relname, 'foreign key', f.conname,
            (SELECT json_agg(a.attname ORDER BY c.place)
                FROM unnest(f.conkey) WITH ORDINALITY AS c(number, place)
                JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = c.number),
            o.relname,
            (SELECT json_agg(a.attname ORDER BY c.place)
                FROM unnest(f.confkey) WITH ORDINALITY AS c(number, place)
                JOIN pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = c.number)
        FROM pg_constraint f JOIN pg_class t ON t.oid = f.conrelid JOIN pg_class o ON o.oid = f.confrelid
        WHERE f.contype = 'f' AND t.relnamespace = 'public'::regnamespace)");
}

/// Returns one line for each table, index or key that prevents distribution.
class Faults {
public:
    Faults(testing::Postgres const& postgres, References const& references)
        : references_(references), tables_(tables_of(postgres)), keys_(keys_of(postgres))
    {
        for (auto const& key : keys_)
            if (key.kind == "primary key") column_of_[key.table] = key.columns.front();
        for (auto const& table : tables_)
            check(table);
        for (auto const& key : keys_)
            check(key);
        for (auto const& [name, reason] : references_)
            if (std::ranges::find(tables_, name, &Table::name) == tables_.end())
                add(name, "is listed as a reference table but does not exist");
    }

    std::vector<std::string> lines;

private:
    void add(std::string const& what, std::string const& why) { lines.push_back(what + " " + why); }

    void check(Table const& table)
    {
        if (references_.contains(table.name)) return;
        auto const known = column_of_.find(table.name);
        if (known == column_of_.end()) return add(table.name, "has no primary key");
        auto const& column = known->second;
        if (column != "scope_id" && column != "tenant_id")
            return add(table.name, "has a primary key that does not begin with scope_id or tenant_id");
        if (!table.whole_numbers.contains(column))
            add(table.name, "has a " + column + " that is not bigint NOT NULL");
    }

    void check(Key const& key)
    {
        bool const refers = key.kind == "foreign key";
        if (references_.contains(key.table)) {
            if (refers && !references_.contains(key.other))
                add(key.table, "is a reference table and refers to " + key.other + ", which is distributed");
            return;
        }
        if (refers && references_.contains(key.other)) return;
        auto const& column = column_of_[key.table];
        if (key.columns.front() != column)
            add(key.table, "has a " + key.kind + " without leading " + column + ": " + key.name);
        if (refers && (column_of_[key.other] != column || key.other_columns.front() != column))
            add(key.table, "refers to " + key.other + " across nodes: " + key.name);
    }

    References const& references_;
    std::vector<Table> const tables_;
    std::vector<Key> const keys_;
    std::map<std::string, std::string> column_of_; ///< the distribution column of each table
};

std::vector<std::string> faults_of(
    service::Definition const& definition, std::string const& database, References const& references)
{
    auto const postgres = testing::Postgres::migrated(definition.components, database);
    return Faults(postgres, references).lines;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("feedback's tables can be distributed by scope", "[schema]")
{
    CHECK(faults_of(feedback::definition(), "feedback", of_every_service) == Lines{});
}

TEST_CASE("auth-mfa's tables can be distributed by scope", "[schema]")
{
    auto const references = with({
        {"signing_keys", "the service signs the tokens of all tenants with the same keys"},
        {"rsa_signing_keys", "likewise"},
        {"sms_opt_outs", "phones that opted out of the shared sender, for all tenants"},
    });
    CHECK(faults_of(auth_mfa::definition(), "auth_mfa", references) == Lines{});
}

TEST_CASE("notify's tables can be distributed by scope", "[schema]")
{
    auto const references = with({{"domain_claims", "a mail domain belongs to only one tenant"}});
    CHECK(faults_of(notify::definition(), "notify", references) == Lines{});
}

TEST_CASE("billing's tables and partitions can be distributed by scope", "[schema]")
{
    auto const postgres = testing::Postgres::migrated(billing::definition().components, "billing");
    CHECK(Faults(postgres, of_every_service).lines == Lines{});
    CHECK(std::stoi(postgres.query("SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'")) >
          0);
}

TEST_CASE("the check finds tables, indexes and foreign keys that cannot be distributed", "[schema]")
{
    testing::Postgres const postgres;
    postgres.query(R"(
        CREATE TABLE tenants (tenant_id bigint PRIMARY KEY);
        CREATE TABLE good (scope_id bigint NOT NULL, id uuid, tenant_id bigint REFERENCES tenants,
            PRIMARY KEY (scope_id, id), UNIQUE (scope_id, tenant_id));
        CREATE TABLE follows (scope_id bigint NOT NULL, id uuid, PRIMARY KEY (scope_id, id),
            FOREIGN KEY (scope_id, id) REFERENCES good (scope_id, id));
        CREATE TABLE shared (tenant_id bigint NOT NULL, id uuid, PRIMARY KEY (tenant_id, id));
        CREATE TABLE by_month (scope_id bigint NOT NULL, month date, PRIMARY KEY (scope_id, month))
            PARTITION BY RANGE (month);
        CREATE TABLE by_month_first PARTITION OF by_month DEFAULT;

        CREATE TABLE keyless (scope_id bigint NOT NULL);
        CREATE TABLE by_id (id uuid PRIMARY KEY, scope_id bigint NOT NULL);
        CREATE TABLE text_scope (scope_id text, PRIMARY KEY (scope_id));
        CREATE TABLE apart (scope_id bigint NOT NULL, id uuid, name text, PRIMARY KEY (scope_id, id),
            CONSTRAINT one_name UNIQUE (name, scope_id));
        CREATE UNIQUE INDEX one_lower_name ON apart (lower(name), scope_id);
        CREATE TABLE crosses (scope_id bigint NOT NULL, id uuid, PRIMARY KEY (scope_id, id),
            CONSTRAINT to_shared FOREIGN KEY (scope_id, id) REFERENCES shared (tenant_id, id));
        CREATE TABLE copied (id uuid PRIMARY KEY, scope_id bigint,
            FOREIGN KEY (scope_id, id) REFERENCES good);
    )");
    References const references{{"tenants", ""}, {"copied", ""}, {"gone", ""}};
    auto lines = Faults(postgres, references).lines;
    std::ranges::sort(lines);
    CHECK(lines == Lines{
                       "apart has a unique index without leading scope_id: one_lower_name",
                       "apart has a unique index without leading scope_id: one_name",
                       "by_id has a primary key that does not begin with scope_id or tenant_id",
                       "copied is a reference table and refers to good, which is distributed",
                       "crosses refers to shared across nodes: to_shared",
                       "gone is listed as a reference table but does not exist",
                       "keyless has no primary key",
                       "text_scope has a scope_id that is not bigint NOT NULL",
                   });
}
