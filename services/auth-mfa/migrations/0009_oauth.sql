-- OAuth 2.1 and OpenID Connect: the clients of each environment, their authorization codes, and the sessions that they
-- get.
CREATE TABLE clients (
    scope_id                  bigint      NOT NULL,
    client_id                 text        NOT NULL,
    name                      text        NOT NULL,
    type                      text        NOT NULL CHECK (type IN ('public', 'confidential')),
    redirect_uris             text[]      NOT NULL,
    post_logout_redirect_uris text[]      NOT NULL,
    backchannel_logout_uri    text,
    id_token_signing_alg      text        NOT NULL CHECK (id_token_signing_alg IN ('RS256', 'ES256')),
    jwks                      jsonb,      -- the public keys for private_key_jwt; such a client has no secret
    secret_hash               bytea,      -- SHA-256
    old_secret_hash           bytea,      -- valid until old_secret_until
    old_secret_until          timestamptz,
    created_at                timestamptz NOT NULL,
    updated_at                timestamptz NOT NULL,
    PRIMARY KEY (scope_id, client_id)
);

CREATE INDEX clients_by_time ON clients (scope_id, created_at DESC, client_id DESC);

-- A code is redeemed for the session `session_id`, whose id is chosen with the code. So a code that is presented again
-- leads to the session that has to end.
CREATE TABLE authorization_codes (
    scope_id       bigint      NOT NULL,
    code_hash      bytea       NOT NULL, -- SHA-256
    session_id     uuid        NOT NULL,
    parent_id      uuid        NOT NULL, -- the session of the browser
    user_id        uuid        NOT NULL,
    client_id      text        NOT NULL,
    redirect_uri   text        NOT NULL,
    scope          text        NOT NULL,
    nonce          text,
    code_challenge text,
    created_at     timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    used_at        timestamptz,
    PRIMARY KEY (scope_id, code_hash),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
);

CREATE INDEX authorization_codes_by_user ON authorization_codes (scope_id, user_id);
CREATE INDEX authorization_codes_by_age ON authorization_codes (scope_id, expires_at);

-- The session of a client: `parent_id` is the session of the browser in which the user authorized the client.
ALTER TABLE sessions ADD COLUMN IF NOT EXISTS client_id text;
ALTER TABLE sessions ADD COLUMN IF NOT EXISTS scope text;
ALTER TABLE sessions ADD COLUMN IF NOT EXISTS parent_id uuid;
CREATE INDEX IF NOT EXISTS sessions_by_parent ON sessions (scope_id, parent_id, client_id, session_id)
WHERE parent_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS sessions_by_client ON sessions (scope_id, client_id) WHERE client_id IS NOT NULL;

-- Ended sessions of which a client has to be told (OpenID Connect Back-Channel Logout 1.0). A notice has a job in queue
-- `logout_notices` whose ref is session_id. The row is deleted when the client has accepted the notice, or after
-- expires_at. It outlives the session and the user.
CREATE TABLE logout_notices (
    scope_id   bigint      NOT NULL,
    session_id uuid        NOT NULL,
    client_id  text        NOT NULL,
    user_id    uuid        NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (scope_id, session_id)
);

-- The keys that sign id tokens with RS256. Earlier versions read every key of signing_keys as an ES256 key.
CREATE TABLE rsa_signing_keys (LIKE signing_keys INCLUDING ALL);

SELECT protect_by_scope('clients');
SELECT protect_by_scope('authorization_codes');
SELECT protect_by_scope('logout_notices');

GRANT SELECT, INSERT, UPDATE, DELETE ON clients, authorization_codes, logout_notices, rsa_signing_keys
    TO :service_role;
