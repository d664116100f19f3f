-- Webhooks: the endpoints that receive the events of a scope. A service may query webhooks (scope_id, enabled)
-- directly, to find out whether a scope has an enabled webhook.
-- Checksum before its comments were reworded: 6aa3712a9ee9aa4b6f44cce68fec08f78e998b05aa6dd17e2c238a66bc096bc4
CREATE TABLE webhooks (
    scope_id        bigint      NOT NULL,
    webhook_id      uuid        NOT NULL,
    url             text        NOT NULL,
    events          text[]      NOT NULL, -- empty: all types
    description     text,
    secret          text        NOT NULL, -- sealed
    previous_secret text,                 -- sealed; also signs messages until previous_until
    previous_until  timestamptz,
    enabled         boolean     NOT NULL,
    disabled_reason text,
    version         bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (scope_id, webhook_id)
);
SELECT protect_by_scope('webhooks');
GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks TO :service_role;

-- The outbox: one row per event and webhook. A pending delivery has a job in queue `webhooks` whose ref is
-- delivery_id.
CREATE TABLE webhook_deliveries (
    scope_id         bigint      NOT NULL,
    delivery_id      uuid        NOT NULL,
    webhook_id       uuid        NOT NULL,
    event_type       text        NOT NULL,
    payload          text        NOT NULL, -- the exact bytes that are signed and sent
    status           text        NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts         integer     NOT NULL DEFAULT 0,
    next_attempt_at  timestamptz,
    expires_at       timestamptz NOT NULL, -- the end of the retry window
    last_status      integer,
    last_error       text,
    response_excerpt text,
    created_at       timestamptz NOT NULL,
    delivered_at     timestamptz,
    PRIMARY KEY (scope_id, delivery_id)
);
CREATE INDEX webhook_deliveries_by_webhook
    ON webhook_deliveries (scope_id, webhook_id, created_at DESC, delivery_id DESC);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (scope_id, created_at);
SELECT protect_by_scope('webhook_deliveries');
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_deliveries TO :service_role;
