-- What is sent, whom it reaches and through whom. `templates` belongs to a tenant, everything else to a scope.
CREATE TABLE templates (
    tenant_id   bigint      NOT NULL,
    template_id uuid        NOT NULL,
    name        text        NOT NULL,
    channel     text        NOT NULL CHECK (channel IN ('email', 'push', 'sms')),
    subject     text        NOT NULL,
    body        text        NOT NULL,
    format      text        NOT NULL CHECK (format = 'text' OR (format = 'html' AND channel = 'email')),
    version     bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, template_id),
    UNIQUE (tenant_id, name)
);

CREATE INDEX templates_by_time ON templates (tenant_id, created_at DESC, template_id DESC);

-- Ids grow in commit order within a scope: those up to one that is visible are all there. A broadcast's set of devices
-- is a range of them.
CREATE TABLE devices (
    scope_id   bigint      NOT NULL,
    device_id  bigint      GENERATED ALWAYS AS IDENTITY,
    token      text        NOT NULL,
    user_id    text        NOT NULL,
    platform   text        NOT NULL CHECK (platform IN ('ios', 'android', 'web')),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL, -- when it was last registered
    PRIMARY KEY (scope_id, device_id),
    UNIQUE (scope_id, token)
);

CREATE INDEX devices_by_user ON devices (scope_id, user_id, device_id);

-- Push credentials: sealed, with what of them may be shown beside it.
CREATE TABLE platforms (
    scope_id           bigint      NOT NULL,
    kind               text        NOT NULL CHECK (kind IN ('fcm', 'apns')),
    sealed_credential  text        NOT NULL,
    project_id         text        NOT NULL, -- of fcm
    key_id             text        NOT NULL, -- of apns, and the next three
    team_id            text        NOT NULL,
    bundle_id          text        NOT NULL,
    environment        text        NOT NULL,
    updated_at         timestamptz NOT NULL, -- tells one credential from the next
    paused_until       timestamptz,
    paused_reason      text,
    pruning_stopped_at timestamptz, -- since when no device is removed on the carrier's word
    PRIMARY KEY (scope_id, kind),
    CHECK ((paused_until IS NULL) = (paused_reason IS NULL))
);

-- Addresses that get nothing any more, because their owners said so.
CREATE TABLE suppressions (
    scope_id   bigint      NOT NULL,
    channel    text        NOT NULL CHECK (channel IN ('email', 'push', 'sms')),
    address    text        NOT NULL,
    reason     text        NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (scope_id, channel, address)
);

CREATE INDEX suppressions_by_time
    ON suppressions (scope_id, created_at DESC, (md5(channel || address)::uuid) DESC);

SELECT protect_by_tenant('templates');
SELECT protect_by_scope('devices');
SELECT protect_by_scope('platforms');
SELECT protect_by_scope('suppressions');

GRANT SELECT, INSERT, UPDATE, DELETE ON templates, devices, platforms TO :service_role;
GRANT SELECT, INSERT, DELETE ON suppressions TO :service_role;
