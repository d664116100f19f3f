#include "support.hpp"

#include "audit/audit.hpp"
#include "auth/api_keys.hpp"
#include "core/json_writer.hpp"
#include "idempotency/once.hpp"
#include "jobs/queue.hpp"
#include "outbound_webhooks/outbound_webhooks.hpp"
#include "pg/row.hpp"
#include "tenancy/tenant_rows.hpp"

namespace {

pg::Component const& notes()
{
    static pg::Component const component{"notes", {{"0001_notes", R"(
        CREATE TABLE notes (scope_id bigint NOT NULL, note_id bigint GENERATED ALWAYS AS IDENTITY, user_id text, text text,
            PRIMARY KEY (scope_id, note_id));
        SELECT protect_by_scope('notes');
        GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO :service_role;
    )"}}};
    return component;
}

} // namespace

Fixture::Fixture()
    : postgres(testing::Postgres::migrated(
          {&tenancy::migrations(), &audit::migrations(), &jobs::migrations(), &idempotency::migrations(),
              &auth::migrations(), &outbound_webhooks::migrations(), &notes()},
          "users")),
      keyring(crypto::Keyring::parse("one:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="))
{
    testing::rule_database(clock, postgres);
}

Fixture::~Fixture()
{
    database.stop();
}

void Fixture::write(std::string const& user_id, int count, core::Scope const& in)
{
    postgres.query("INSERT INTO notes (scope_id, user_id, text) SELECT " + core::to_string(in.id) + ", '" +
                   user_id + "', 'n' || i FROM generate_series(1, " + std::to_string(count) + ") i");
}

user_data::Erasure Fixture::erasure(std::string const& user_id) const
{
    return {.scope = scope, .user_id = core::UserId(user_id), .pseudonym = user_data::new_pseudonym()};
}

int Fixture::count(std::string const& table) const
{
    return std::stoi(postgres.query("SELECT count(*) FROM " + table));
}

std::size_t erase_notes(pg::Tx& tx, user_data::Erasure const& erasure, std::size_t limit)
{
    auto const deleted = tx.run(R"(
        DELETE FROM notes
        WHERE scope_id = $1 AND note_id = ANY (ARRAY(
            SELECT note_id FROM notes WHERE scope_id = $1 AND user_id = $2 LIMIT $3::bigint)))",
        {erasure.scope.id, erasure.user_id, limit});
    return deleted.affected_rows();
}

user_data::ExportPage export_notes(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    auto const rows = tx.run(R"(
        SELECT note_id, text
        FROM notes
        WHERE scope_id = $1 AND user_id = $2 AND note_id > $3::bigint
        ORDER BY note_id
        LIMIT 2)",
        {scope.id, user_id, position.empty() ? "0" : position});
    user_data::ExportPage page;
    for (auto const row : rows) {
        pg::RowReader r(row);
        auto id = r.text();
        core::JsonWriter w;
        w.begin_object().member("text", r.text()).end_object();
        page.add("note", std::move(w).str());
        if (rows.size() == 2) page.next = std::move(id);
    }
    return page;
}
