-- Stored responses, which are sent again when a request is repeated with its Idempotency-Key. `key_hash` is the
-- SHA-256 of caller, method, path and key. `fingerprint` is the SHA-256 of query and body.
-- Checksum before its comments were reworded: 3e9a7b324881c9c2ac21562cfa5176c0fe11de371e00beaed073032fd762660e
CREATE TABLE idempotency_keys (
    scope_id    bigint      NOT NULL,
    key_hash    bytea       NOT NULL CHECK (length(key_hash) = 32),
    fingerprint bytea       NOT NULL CHECK (length(fingerprint) = 32),
    status      smallint    NOT NULL,
    etag        text,
    location    text,
    body        text        NOT NULL,
    sealed      boolean     NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (scope_id, key_hash)
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

SELECT protect_by_scope('idempotency_keys');
GRANT SELECT, INSERT, UPDATE ON idempotency_keys TO :service_role;

-- The purge processes all scopes, so its transaction sets no `app.scopes` and the policy `scope` shows it no rows.
-- Its function runs as the table's owner. This second policy lets the owner see the expired rows of all scopes, and
-- no others.
CREATE POLICY expired ON idempotency_keys TO CURRENT_USER USING (created_at < now() - interval '24 hours');

CREATE FUNCTION purge_idempotency_keys(max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    removed bigint;
BEGIN
    DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM idempotency_keys WHERE created_at < now() - interval '24 hours'
        ORDER BY created_at LIMIT max_rows FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;

REVOKE ALL ON FUNCTION purge_idempotency_keys(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_idempotency_keys(integer) TO :service_role;
