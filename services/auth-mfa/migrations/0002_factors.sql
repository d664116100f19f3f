-- Second factors: TOTP, recovery codes, and trusted devices, on which sign-in asks for no second factor.
-- Checksum before its comments were reworded: 628f7983a8d4df7aa22852767bf518e7676976267458eedabf805759cdaea9f5
CREATE TABLE totp (
    scope_id     bigint      NOT NULL,
    user_id      uuid        NOT NULL,
    sealed_seed  text        NOT NULL,
    created_at   timestamptz NOT NULL,
    confirmed_at timestamptz,                     -- NULL: set up, but not in effect yet
    last_step    bigint      NOT NULL DEFAULT -1, -- the last used time step; each step is accepted once
    PRIMARY KEY (scope_id, user_id),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
);

CREATE TABLE recovery_codes (
    scope_id    bigint      NOT NULL,
    user_id     uuid        NOT NULL,
    locator     text        NOT NULL, -- the code's first group
    secret_hash text        NOT NULL, -- Argon2id of the other groups
    created_at  timestamptz NOT NULL,
    used_at     timestamptz,
    PRIMARY KEY (scope_id, user_id, locator),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
);

-- Users of one browser share its device_id and secret. Each user has a row.
CREATE TABLE trusted_devices (
    scope_id     bigint      NOT NULL,
    user_id      uuid        NOT NULL,
    device_id    uuid        NOT NULL,
    secret_hash  text        NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    user_agent   text        NOT NULL,
    PRIMARY KEY (scope_id, user_id, device_id),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
);

CREATE INDEX trusted_devices_by_device ON trusted_devices (scope_id, device_id);
CREATE INDEX trusted_devices_by_time ON trusted_devices (scope_id, user_id, created_at DESC, device_id DESC);
CREATE INDEX trusted_devices_by_end ON trusted_devices (scope_id, expires_at);

-- Phone numbers that opted out of the shared sender. All tenants use this sender, so the table has no scope and no
-- row-level security.
CREATE TABLE sms_opt_outs (
    phone        text        PRIMARY KEY,
    opted_out_at timestamptz NOT NULL
);

SELECT protect_by_scope('totp');
SELECT protect_by_scope('recovery_codes');
SELECT protect_by_scope('trusted_devices');

GRANT SELECT, INSERT, UPDATE, DELETE ON totp, recovery_codes, trusted_devices, sms_opt_outs TO :service_role;
