-- What is to be done, as ids and times only: a registry table, so that one worker serves every scope.
-- run_at is when a job may next be claimed: its due time or, while somebody holds it, the end of the lease.
CREATE TABLE jobs (
    scope_id    bigint      NOT NULL,
    queue       text        NOT NULL,
    ref         uuid        NOT NULL,
    run_at      timestamptz NOT NULL,
    attempts    integer     NOT NULL DEFAULT 0,
    lease_owner uuid,
    again_at    timestamptz, -- enqueued while it was running: when to run once more
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope_id, queue, ref)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0,
        autovacuum_analyze_threshold = 5000);

-- A worker goes from scope to scope in this index and takes the oldest of each.
CREATE INDEX jobs_due ON jobs (queue, scope_id, run_at);

-- What is due lies at the beginning of this one, however much is to be done later: while that is not much, a worker goes
-- to its scopes alone.
CREATE INDEX jobs_by_time ON jobs (queue, run_at, scope_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON jobs TO :service_role;

-- Tasks of the service itself, each run by one replica at a time.
CREATE TABLE periodic_tasks (
    name        text        PRIMARY KEY,
    next_at     timestamptz NOT NULL, -- when it may next be claimed: due, or the end of the lease
    lease_owner uuid
);

GRANT SELECT, INSERT, UPDATE, DELETE ON periodic_tasks TO :service_role;
