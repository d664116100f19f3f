-- The searchable words of threads and of their replies.
--
-- terms: made by the service (domain/search_text.hpp), because PostgreSQL's own parser keeps accents and does not split
-- scripts without spaces. Every lexeme begins with its scope, so each entry of the index belongs to one scope, and
-- the size of other scopes does not matter. document_id: the thread's own id for its title and body, or the id of a
-- reply. created_at: the thread's, for the order of lists. internal: an internal note, which users do not see.
CREATE TABLE search_documents (
    scope_id    bigint      NOT NULL,
    feedback_id uuid        NOT NULL,
    document_id uuid        NOT NULL,
    created_at  timestamptz NOT NULL,
    internal    boolean     NOT NULL DEFAULT false,
    terms       tsvector    NOT NULL,
    PRIMARY KEY (scope_id, feedback_id, document_id)
);

-- With `fastupdate` (the default), new rows wait in a list, which every search reads, and enter the index together. So
-- a creation costs 20 µs more instead of 90 µs. The list has at most 4 MB, about 3,000 threads.
CREATE INDEX search_documents_by_term ON search_documents USING gin (terms);

SELECT protect_by_scope('search_documents');

-- The operator @@ is not leakproof, so PostgreSQL does not use the index under the policy of the table. Only the
-- function search_threads uses it. The function runs as the owner of the table, and checks the scope itself. The
-- policy does not apply to the owner (NO FORCE). It applies to the service's role, as in all other tables.
--
-- A role of its own for the function, without login and with a policy for all rows, would need the right to create roles,
-- to become a member of the new role, and to let it create objects in the schema. The owner on a managed server may lack
-- these rights. BYPASSRLS can be granted only by a superuser.
ALTER TABLE search_documents NO FORCE ROW LEVEL SECURITY;

GRANT SELECT, INSERT, UPDATE, DELETE ON search_documents TO :service_role;

-- At most `most` threads with a document that matches `query`, newest first, before the position (before_at,
-- before_id). No rows if `scope` is not among the scopes of the transaction (app.scopes). The documents are
-- MATERIALIZED, so that the index is read for the query alone, in every plan.
CREATE FUNCTION search_threads(
    scope bigint, query tsquery, with_internal boolean, before_at timestamptz, before_id uuid, most bigint
) RETURNS TABLE (found_id uuid, found_at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 500
SET search_path = pg_catalog, public, pg_temp
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
SET work_mem = '16MB' AS $$
BEGIN
    IF scope IS NULL OR scope <> ALL (
        coalesce(string_to_array(current_setting('app.scopes', true), ','), '{}')::bigint[]
    ) THEN
        RETURN;
    END IF;
    RETURN QUERY
        WITH documents AS MATERIALIZED (
            SELECT d.scope_id, d.feedback_id, d.created_at, d.internal
            FROM search_documents d
            WHERE d.terms @@ query
        )
        SELECT DISTINCT d.feedback_id, d.created_at
        FROM documents d
        WHERE d.scope_id = scope AND (with_internal OR NOT d.internal)
            AND (d.created_at, d.feedback_id) < (before_at, before_id)
        ORDER BY d.created_at DESC, d.feedback_id DESC
        LIMIT most;
END
$$;

REVOKE ALL ON FUNCTION search_threads(bigint, tsquery, boolean, timestamptz, uuid, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_threads(bigint, tsquery, boolean, timestamptz, uuid, bigint) TO :service_role;

-- Documents are deleted with their thread or reply, also when a replica of the previous version deletes it. A foreign
-- key would do the same, but it makes a creation 10 % more expensive.
CREATE FUNCTION delete_documents_of_threads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM search_documents d USING gone g
    WHERE d.scope_id = g.scope_id AND d.feedback_id = g.feedback_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER feedbacks_deleted AFTER DELETE ON feedbacks REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION delete_documents_of_threads();

CREATE FUNCTION delete_documents_of_replies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM search_documents d USING gone g
    WHERE d.scope_id = g.scope_id AND d.feedback_id = g.feedback_id AND d.document_id = g.reply_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER replies_deleted AFTER DELETE ON replies REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION delete_documents_of_replies();

-- The words were in this column before. The column stays for the previous version, which may run beside this one and
-- reads it. The previous version does not find the words of new threads, whose column is NULL.
ALTER TABLE feedbacks ALTER COLUMN search DROP EXPRESSION;
ALTER TABLE feedbacks ALTER COLUMN search DROP NOT NULL;
