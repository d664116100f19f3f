-- Templates, devices, push platforms and suppressions. `templates` belongs to a tenant, the other tables to a scope.
-- Checksum before its comments were reworded: 78297285394d7c6ad34ce97653c86176c6ec877bf9baf5a6a96ab84b568b59e5
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

-- Within a scope, ids ascend in commit order: when an id is visible, all smaller ids are visible too. So the devices
-- of a broadcast are a range of ids.
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

-- Push credentials, sealed, and the members of each credential that the API may show.
CREATE TABLE platforms (
    scope_id           bigint      NOT NULL,
    kind               text        NOT NULL CHECK (kind IN ('fcm', 'apns')),
    sealed_credential  text        NOT NULL,
    project_id         text        NOT NULL, -- FCM only
    key_id             text        NOT NULL, -- APNs only, like the next three columns
    team_id            text        NOT NULL,
    bundle_id          text        NOT NULL,
    environment        text        NOT NULL,
    updated_at         timestamptz NOT NULL, -- differs for each stored credential
    paused_until       timestamptz,
    paused_reason      text,
    pruning_stopped_at timestamptz, -- since then the carrier's answers remove no device
    PRIMARY KEY (scope_id, kind),
    CHECK ((paused_until IS NULL) = (paused_reason IS NULL))
);

-- Addresses to which a scope sends nothing, because their owners opted out.
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
