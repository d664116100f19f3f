-- Second factors, what stands in for them, and where they are not asked for.
CREATE TABLE totp (
    scope_id     bigint      NOT NULL,
    user_id      uuid        NOT NULL,
    sealed_seed  text        NOT NULL,
    created_at   timestamptz NOT NULL,
    confirmed_at timestamptz,                     -- null: set up, and not in force yet
    last_step    bigint      NOT NULL DEFAULT -1, -- the last time step that was used: no step works twice
    PRIMARY KEY (scope_id, user_id),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
);

CREATE TABLE recovery_codes (
    scope_id    bigint      NOT NULL,
    user_id     uuid        NOT NULL,
    locator     text        NOT NULL, -- the code's first group
    secret_hash text        NOT NULL, -- Argon2id of the others
    created_at  timestamptz NOT NULL,
    used_at     timestamptz,
    PRIMARY KEY (scope_id, user_id, locator),
    FOREIGN KEY (scope_id, user_id) REFERENCES users ON DELETE CASCADE
);

-- Users who share a browser share its device_id and secret, and have a row each.
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

-- Who has told the shared sender to stop. It is one sender for all tenants, so this is of the service itself and has
-- no row-level security.
CREATE TABLE sms_opt_outs (
    phone        text        PRIMARY KEY,
    opted_out_at timestamptz NOT NULL
);

SELECT protect_by_scope('totp');
SELECT protect_by_scope('recovery_codes');
SELECT protect_by_scope('trusted_devices');

GRANT SELECT, INSERT, UPDATE, DELETE ON totp, recovery_codes, trusted_devices, sms_opt_outs TO :service_role;
