-- Jobs that were given up because their outcome could not be written. `reason` is the text of the error. It may
-- contain values of the tenant, so the table has row-level security. If the job is enqueued and given up again, its
-- row is replaced.
-- Checksum before its comments were reworded: 843c82c559a4e6d5c5dd31421331d925601c91c67755faa1a94bd7d06c56755c
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
