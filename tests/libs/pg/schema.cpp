#include "schema.hpp"

#include "pg/row.hpp"

pg::Component const& notes_schema()
{
    static pg::Component const component{"notes", {{"0001_notes", R"(
        CREATE TABLE notes (
            scope_id bigint NOT NULL,
            id uuid NOT NULL,
            body text NOT NULL CHECK (body <> 'forbidden'),
            created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (scope_id, id)
        );
        SELECT protect_by_scope('notes');
        GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO :service_role;
        CREATE FUNCTION fail_with(code text) RETURNS int LANGUAGE plpgsql AS
            $f$ BEGIN RAISE EXCEPTION 'as asked' USING ERRCODE = code; END $f$;
        CREATE FUNCTION die_at_commit() RETURNS trigger LANGUAGE plpgsql AS
            $f$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); RETURN NULL; END $f$;
        CREATE CONSTRAINT TRIGGER die AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW WHEN (NEW.body = 'die at commit') EXECUTE FUNCTION die_at_commit();
    )"}}};
    return component;
}

testing::Postgres notes_database()
{
    return testing::Postgres::migrated({&notes_schema()}, "notes");
}

std::int64_t count_notes(pg::Tx& tx)
{
    return pg::RowReader(tx.run("SELECT count(*) FROM notes")[0]).integer();
}

void insert_note(pg::Tx& tx, core::ScopeId scope_id, core::Uuid id, std::string const& body)
{
    tx.run("INSERT INTO notes (scope_id, id, body) VALUES ($1, $2, $3)", {scope_id, id, body});
}
