-- Passkeys: WebAuthn credentials of users. They are a way to sign in and a second factor.
CREATE TABLE passkeys (
    scope_id        bigint      NOT NULL,
    passkey_id      uuid        NOT NULL,
    user_id         uuid        NOT NULL,
    name            text        NOT NULL, -- chosen by the user
    credential_id   bytea       NOT NULL, -- chosen by the authenticator
    public_key      bytea       NOT NULL, -- in the form of libfido2
    algorithm       integer     NOT NULL, -- of COSE
    rp_id           text        NOT NULL, -- the relying party id for which it was registered
    aaguid          uuid        NOT NULL, -- the model of the authenticator; zeros if unknown
    sign_count      bigint      NOT NULL, -- of the last assertion
    backup_eligible boolean     NOT NULL,
    backed_up       boolean     NOT NULL, -- at the last assertion
    transports      text[]      NOT NULL,
    session_id      uuid,                 -- the session that registered it; NULL: registered during a sign-in
    created_at      timestamptz NOT NULL,
    last_used_at    timestamptz,
    PRIMARY KEY (scope_id, passkey_id),
    UNIQUE (scope_id, credential_id),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
);

CREATE INDEX passkeys_by_user ON passkeys (scope_id, user_id);

SELECT protect_by_scope('passkeys');

GRANT SELECT, INSERT, UPDATE, DELETE ON passkeys TO :service_role;
