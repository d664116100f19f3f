-- Endpoints a scope wants to hear of its events at. Others may ask "has this scope an enabled webhook?" of
-- webhooks (scope_id, enabled).
CREATE TABLE webhooks (
    scope_id        bigint      NOT NULL,
    webhook_id      uuid        NOT NULL,
    url             text        NOT NULL,
    events          text[]      NOT NULL, -- empty: all of them
    description     text,
    secret          text        NOT NULL, -- sealed
    previous_secret text,                 -- sealed; signs too until previous_until
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

-- One event for one endpoint: the outbox. A pending one has a job in queue `webhooks` of the same id.
CREATE TABLE webhook_deliveries (
    scope_id         bigint      NOT NULL,
    delivery_id      uuid        NOT NULL,
    webhook_id       uuid        NOT NULL,
    event_type       text        NOT NULL,
    payload          text        NOT NULL, -- the very bytes that are signed and sent
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
