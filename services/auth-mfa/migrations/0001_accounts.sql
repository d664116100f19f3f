-- Accounts, how they sign in and where they are signed in. Every table of a tenant's own leads with scope_id.
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

-- No refresh token is stored: it is the session, `generation` and their HMAC. A refresh changes nothing that is
-- indexed and finds room on its page, so that it touches no index.
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
-- For the purge: a session expires a month after its creation at the earliest.
CREATE INDEX sessions_by_age ON sessions (scope_id, created_at);
CREATE INDEX sessions_ended ON sessions (scope_id, ended_at) WHERE ended_at IS NOT NULL;

-- The keys that sign every tenant's tokens. Of the service itself, so without row-level security; `sealed_key` can be
-- opened with ENCRYPTION_KEYS alone.
CREATE TABLE signing_keys (
    kid        text        PRIMARY KEY,
    sealed_key text        NOT NULL,
    public_jwk jsonb       NOT NULL,
    created_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL, -- published before, so that every verifier knows it by then
    retired_at timestamptz           -- when its successor begins to sign; published until its tokens have expired
);

SELECT protect_by_scope('users');
SELECT protect_by_scope('identities');
SELECT protect_by_scope('sessions');

GRANT SELECT, INSERT, UPDATE ON users TO :service_role;
GRANT SELECT, INSERT ON identities TO :service_role;
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions, signing_keys TO :service_role;
