-- Backfills: each one fetches all subscriptions of a tenant from a provider. A backfill belongs to the tenant, because
-- the provider's account may have subscriptions of both environments.
CREATE TABLE backfills (
    tenant_id    bigint      NOT NULL,
    backfill_id  uuid        NOT NULL,
    source       text        NOT NULL CHECK (source IN ('payments')),
    since        timestamptz,                     -- only subscriptions created at or after this time
    status       text        NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done', 'failed')),
    last_id      text        NOT NULL DEFAULT '', -- the provider's id of the last subscription that was applied
    processed    bigint      NOT NULL DEFAULT 0,  -- numbers of subscriptions up to last_id
    changed      bigint      NOT NULL DEFAULT 0,
    failed       bigint      NOT NULL DEFAULT 0,
    started_at   timestamptz,
    progress_at  timestamptz NOT NULL,            -- when the backfill was created, started, or last applied subscriptions
    completed_at timestamptz,
    last_error   text,                            -- why it waits, or why it failed
    traceparent  text        NOT NULL,            -- of the request that created it; may be empty
    PRIMARY KEY (tenant_id, backfill_id),
    CHECK ((status IN ('done', 'failed')) = (completed_at IS NOT NULL))
);

-- At most one backfill of a tenant is queued or running.
CREATE UNIQUE INDEX backfills_unfinished ON backfills (tenant_id) WHERE completed_at IS NULL;

SELECT protect_by_tenant('backfills');

GRANT SELECT, INSERT, UPDATE, DELETE ON backfills TO :service_role;
