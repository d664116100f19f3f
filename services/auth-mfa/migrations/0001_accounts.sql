-- Users, their identities at external identity providers, and their sessions. The keys of all tables with tenant data
-- begin with scope_id.
-- Checksum before its comments were reworded: 3383c75cc6c0c8261c4b3a96a6d6d46f47540353cc63056deb0ee5ef45873d4c
CREATE TABLE users (
    scope_id            bigint      NOT NULL,
    user_id             uuid        NOT NULL,
    email               text        NOT NULL,
    email_key           text        NOT NULL, -- lower case
    password_hash       text,
    credentials_version bigint      NOT NULL DEFAULT 1,
    role                text        NOT NULL CHECK (role IN ('user', 'admin', 'owner')),
    phone               text,
    phone_verified      boolean     NOT NULL DEFAULT false,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    PRIMARY KEY (scope_id, user_id),
    UNIQUE (scope_id, email_key),
    CHECK (phone IS NOT NULL OR NOT phone_verified)
);

CREATE INDEX users_by_time ON users (scope_id, created_at DESC, user_id DESC);
CREATE INDEX users_owners ON users (scope_id) WHERE role = 'owner';

CREATE TABLE identities (
    scope_id bigint NOT NULL,
    issuer   text   NOT NULL,
    subject  text   NOT NULL,
    user_id  uuid   NOT NULL,
    PRIMARY KEY (scope_id, issuer, subject),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
);

CREATE INDEX identities_by_user ON identities (scope_id, user_id);

-- Refresh tokens are not stored: a token contains the session's id, `generation` and their HMAC. A refresh changes no
-- indexed column, and the fillfactor leaves space on the page, so that PostgreSQL updates no index.
CREATE TABLE sessions (
    scope_id   bigint      NOT NULL,
    session_id uuid        NOT NULL,
    user_id    uuid        NOT NULL,
    generation bigint      NOT NULL DEFAULT 1,
    amr        text[]      NOT NULL,
    created_at timestamptz NOT NULL,
    rotated_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    ended_at   timestamptz,
    user_agent text        NOT NULL,
    address    text        NOT NULL,
    PRIMARY KEY (scope_id, session_id),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
) WITH (fillfactor = 80);

CREATE INDEX sessions_by_user ON sessions (scope_id, user_id, created_at DESC, session_id DESC);
-- For the purge. A session expires 30 days after its creation at the earliest.
CREATE INDEX sessions_by_age ON sessions (scope_id, created_at);
CREATE INDEX sessions_ended ON sessions (scope_id, ended_at) WHERE ended_at IS NOT NULL;

-- The keys that sign the tokens of all tenants. They belong to the service as a whole, so the table has no row-level
-- security. `sealed_key` can be opened only with ENCRYPTION_KEYS.
CREATE TABLE signing_keys (
    kid        text        PRIMARY KEY,
    sealed_key text        NOT NULL,
    public_jwk jsonb       NOT NULL,
    created_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL, -- published earlier, so that all verifiers know it by then
    retired_at timestamptz           -- when its successor starts to sign; published until its tokens have expired
);

SELECT protect_by_scope('users');
SELECT protect_by_scope('identities');
SELECT protect_by_scope('sessions');

GRANT SELECT, INSERT, UPDATE ON users TO :service_role;
GRANT SELECT, INSERT ON identities TO :service_role;
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions, signing_keys TO :service_role;
