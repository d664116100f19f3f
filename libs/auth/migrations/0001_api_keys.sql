-- API keys. `key_hash` is the SHA-256 of the key. `prefix` is its first 12 characters, which lists and logs show.
-- A revoked key keeps its row, so that no other key can get its prefix.
-- Checksum before its comments were reworded: 83ac4448d2cc47b15673cad6cb0e7a52a9f3fe738ac87eacab3c49499848fbd4
CREATE TABLE api_keys (
    scope_id     bigint      NOT NULL,
    prefix       text        NOT NULL CHECK (length(prefix) = 12),
    key_id       uuid        NOT NULL,
    kind         text        NOT NULL,
    key_hash     bytea       NOT NULL CHECK (length(key_hash) = 32),
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    PRIMARY KEY (scope_id, prefix),
    UNIQUE (scope_id, key_hash)
);

-- For the list of keys, newest first.
CREATE INDEX api_keys_by_age ON api_keys (scope_id, created_at DESC, key_id DESC) WHERE revoked_at IS NULL;

SELECT protect_by_scope('api_keys');

-- Maps the hash of a key to its scope. It is read before the scope is known, so it has no row-level security. It
-- contains no data of tenants.
CREATE TABLE api_key_scopes (
    key_hash bytea  PRIMARY KEY CHECK (length(key_hash) = 32),
    scope_id bigint NOT NULL
);

CREATE INDEX api_key_scopes_by_scope ON api_key_scopes (scope_id);

-- The trigger announces each key that is deleted or revoked or whose expiry changes. So caches do not depend on the
-- code that made the change. Updates of last_used_at are not announced.
CREATE FUNCTION api_keys_announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('api_keys', encode(OLD.key_hash, 'hex'));
    RETURN NULL;
END
$$;

CREATE TRIGGER api_keys_ended AFTER DELETE OR UPDATE OF expires_at, revoked_at ON api_keys
    FOR EACH ROW EXECUTE FUNCTION api_keys_announce();

GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys TO :service_role;
GRANT SELECT, INSERT, DELETE ON api_key_scopes TO :service_role;
