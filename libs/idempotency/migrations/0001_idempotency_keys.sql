-- Answers that are given again when a request is repeated with its Idempotency-Key. `key_hash` is SHA-256 of caller,
-- method, path and key; `fingerprint` of query and body.
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

-- The purge sees no scope. It runs as the owner, to whom a second policy shows what has expired, and nothing else.
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
