-- API keys. Stored is the SHA-256 of a key; `prefix` (its first 12 characters) is what people and logs see of it.
-- A revoked key keeps its row, so that its prefix never names another key.
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

-- The list reads newest first.
CREATE INDEX api_keys_by_age ON api_keys (scope_id, created_at DESC, key_id DESC) WHERE revoked_at IS NULL;

SELECT protect_by_scope('api_keys');

-- Which scope a key belongs to, asked before any scope is known: a registry without tenant content and without
-- row-level security.
CREATE TABLE api_key_scopes (
    key_hash bytea  PRIMARY KEY CHECK (length(key_hash) = 32),
    scope_id bigint NOT NULL
);

CREATE INDEX api_key_scopes_by_scope ON api_key_scopes (scope_id);

-- Every way a key can end is announced, so that no cache has to be told by the code that ends it. Keeping
-- last_used_at is not such a way.
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
