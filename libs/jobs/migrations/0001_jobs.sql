-- The job queue. It holds ids and times only, so it has no row-level security, and one worker serves every scope.
-- run_at: when a job may next be claimed. That is its due time or, while a worker holds it, the end of the lease.
-- Checksum before its comments were reworded: dd2086ef8a9ebe40b972b7c4453c426a8b150aa4476aa6de4b0f1f3056bedc3c
CREATE TABLE jobs (
    scope_id    bigint      NOT NULL,
    queue       text        NOT NULL,
    ref         uuid        NOT NULL,
    run_at      timestamptz NOT NULL,
    attempts    integer     NOT NULL DEFAULT 0,
    lease_owner uuid,
    again_at    timestamptz, -- the next run, if the job was enqueued again while it was running
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope_id, queue, ref)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0,
        autovacuum_analyze_threshold = 5000);

-- A worker steps through the scopes in this index and takes the oldest jobs of each.
CREATE INDEX jobs_due ON jobs (queue, scope_id, run_at);

-- Due jobs are at the start of this index, regardless of the number of later jobs. While few jobs are due, a worker
-- visits only their scopes.
CREATE INDEX jobs_by_time ON jobs (queue, run_at, scope_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON jobs TO :service_role;

-- Periodic tasks of the service as a whole. One replica at a time runs a task.
CREATE TABLE periodic_tasks (
    name        text        PRIMARY KEY,
    next_at     timestamptz NOT NULL, -- when it may next be claimed: its due time or the end of the lease
    lease_owner uuid
);

GRANT SELECT, INSERT, UPDATE, DELETE ON periodic_tasks TO :service_role;
