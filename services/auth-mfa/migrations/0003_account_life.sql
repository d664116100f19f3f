-- The life of an account: verified emails, states, fresh authentication, email, activity and invitations.
ALTER TABLE users
    ADD COLUMN email_verified boolean NOT NULL DEFAULT false,
    ADD COLUMN status         text    NOT NULL DEFAULT 'active';
ALTER TABLE users
    ADD CONSTRAINT users_status CHECK (status IN ('active', 'disabled', 'invited')) NOT VALID;

-- An operator or an owner chose the owners that exist now. Their emails count as verified. The setting makes the rows
-- of all scopes visible to this transaction.
SELECT set_config('app.scopes', coalesce(string_agg(format('%s,%s', tenant_id * 2, tenant_id * 2 + 1), ','), ''), true)
FROM tenants;
UPDATE users SET email_verified = true WHERE role = 'owner';

-- NULL in rows of earlier versions: authenticated at created_at, `acr` from amr, no identity provider.
ALTER TABLE sessions
    ADD COLUMN authenticated_at  timestamptz,
    ADD COLUMN aal2              boolean,
    ADD COLUMN identity_provider text; -- issuer and audience, separated by a space

CREATE INDEX sessions_by_provider ON sessions (scope_id, identity_provider) WHERE identity_provider IS NOT NULL;

-- NULL in rows of earlier versions: the id is derived from issuer and subject.
ALTER TABLE identities
    ADD COLUMN identity_id uuid,
    ADD COLUMN email       text,
    ADD COLUMN created_at  timestamptz;

-- Tokens that were sent by email. A token is stored as its SHA-256 and is deleted when it is used. The row of
-- `revert_email` also reserves the previous address of a user: until it expires, no other user can take the address.
CREATE TABLE email_tokens (
    scope_id       bigint      NOT NULL,
    token_hash     text        NOT NULL,
    purpose        text        NOT NULL CHECK (purpose IN ('verify_email', 'reset_password', 'confirm_email',
                                                           'revert_email', 'invitation')),
    user_id        uuid        NOT NULL,
    email          text        NOT NULL, -- the address that the token was sent to
    email_key      text        NOT NULL, -- lower case
    was_verified   boolean     NOT NULL, -- for revert_email: whether the address was verified
    credentials_version bigint,          -- for confirm_email: the user's, when the user requested the change
    created_at     timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    PRIMARY KEY (scope_id, token_hash),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX email_tokens_by_user ON email_tokens (scope_id, user_id);
CREATE INDEX email_tokens_reserved ON email_tokens (scope_id, email_key) WHERE purpose = 'revert_email';
CREATE INDEX email_tokens_by_end ON email_tokens (scope_id, expires_at);

-- Emails that wait to be sent. An email has a job in queue `mails` whose ref is mail_id. The row has no token: the
-- worker derives the token from mail_id. user_id is NULL for a request that names an address only; the worker looks
-- the user up, so that such a request takes the same time for known and unknown addresses.
CREATE TABLE mails (
    scope_id    bigint      NOT NULL,
    mail_id     uuid        NOT NULL,
    kind        text        NOT NULL,
    user_id     uuid,
    email       text        NOT NULL,
    locale      text        NOT NULL,
    details     jsonb       NOT NULL,
    traceparent text,
    created_at  timestamptz NOT NULL,
    has_token   boolean     NOT NULL DEFAULT false, -- an attempt to send it has stored its token
    PRIMARY KEY (scope_id, mail_id)
);

-- What happened to an account, for its user and for staff.
CREATE TABLE activity (
    scope_id    bigint      NOT NULL,
    activity_id uuid        NOT NULL,
    user_id     uuid        NOT NULL,
    at          timestamptz NOT NULL,
    type        text        NOT NULL,
    result      text        NOT NULL,
    ip          text        NOT NULL,
    user_agent  text        NOT NULL,
    PRIMARY KEY (scope_id, activity_id),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX activity_by_user ON activity (scope_id, user_id, at DESC, activity_id DESC);
CREATE INDEX activity_by_age ON activity (scope_id, at);

-- Id tokens that were accepted, as the SHA-256 of their signed part. Each is accepted once.
CREATE TABLE used_id_tokens (
    scope_id   bigint      NOT NULL,
    token_hash text        NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (scope_id, token_hash)
);
CREATE INDEX used_id_tokens_by_end ON used_id_tokens (scope_id, expires_at);

SELECT protect_by_scope('email_tokens');
SELECT protect_by_scope('mails');
SELECT protect_by_scope('activity');
SELECT protect_by_scope('used_id_tokens');

GRANT SELECT, INSERT, UPDATE, DELETE ON email_tokens, mails, activity, used_id_tokens TO :service_role;
GRANT UPDATE, DELETE ON identities TO :service_role;
