-- Jobs that were given up because how they ended could not be written down, and what the database said to it, which may
-- quote a tenant's values. One that is enqueued and given up again is in its former place.
CREATE TABLE dead_jobs (
    scope_id bigint      NOT NULL,
    queue    text        NOT NULL,
    ref      uuid        NOT NULL,
    attempts integer     NOT NULL,
    reason   text        NOT NULL,
    died_at  timestamptz NOT NULL,
    PRIMARY KEY (scope_id, queue, ref)
);

SELECT protect_by_scope('dead_jobs');

GRANT SELECT, INSERT, UPDATE, DELETE ON dead_jobs TO :service_role;
