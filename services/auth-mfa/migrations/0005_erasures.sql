-- Deleted accounts, and the services that must erase the user's data. An erasure has a job in queue `erasures`, which
-- erases what this service has besides the account if the request has not done so, and a job in queue
-- `erasures.<service>` for each target. The ref of these jobs is erasure_id.
CREATE TABLE erasures (
    scope_id     bigint      NOT NULL,
    erasure_id   uuid        NOT NULL,
    user_id      uuid        NOT NULL,
    requested_at timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL, -- until then, services that did not confirm are asked again
    erased_at    timestamptz, -- when nothing of the user was left in this service
    completed_at timestamptz, -- when this was so in all services
    PRIMARY KEY (scope_id, erasure_id)
);

CREATE INDEX erasures_by_time ON erasures (scope_id, requested_at DESC, erasure_id DESC);

CREATE TABLE erasure_targets (
    scope_id   bigint      NOT NULL,
    erasure_id uuid        NOT NULL,
    service    text        NOT NULL CHECK (service IN ('feedback', 'notify', 'billing')),
    status     text        NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'done', 'failed')),
    attempts   integer     NOT NULL DEFAULT 0,
    last_error text,
    done_at    timestamptz,
    PRIMARY KEY (scope_id, erasure_id, service),
    FOREIGN KEY (scope_id, erasure_id) REFERENCES erasures ON DELETE CASCADE,
    CHECK ((status = 'done') = (done_at IS NOT NULL))
);

SELECT protect_by_scope('erasures');
SELECT protect_by_scope('erasure_targets');

GRANT SELECT, INSERT, UPDATE, DELETE ON erasures, erasure_targets TO :service_role;
GRANT DELETE ON users TO :service_role;

-- The entries about reused refresh tokens now have the user as their subject, so that the erasure of the user finds
-- them.
SELECT set_config('app.scopes', coalesce(string_agg(format('%s,%s', tenant_id * 2, tenant_id * 2 + 1), ','), ''), true)
FROM tenants;
UPDATE audit_log
SET subject_type = 'user', subject_id = after ->> 'userId', after = jsonb_build_object('sessionId', subject_id)
WHERE action = 'session.reuse_detected' AND after ? 'userId';

-- For the deletion of an account: the emails to the user. An index on lower(email) could not be used, because lower()
-- is not leakproof and the table has row-level security.
ALTER TABLE mails ADD COLUMN email_key text GENERATED ALWAYS AS (lower(email)) STORED;
CREATE INDEX mails_by_user ON mails (scope_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX mails_by_email ON mails (scope_id, email_key);

-- An account may have many of these rows. Without the foreign keys, the deletion of an account deletes its row first,
-- and these rows afterwards in short transactions. The statements come last, because they lock the tables until the
-- migration commits.
ALTER TABLE sessions DROP CONSTRAINT sessions_scope_id_user_id_fkey;
ALTER TABLE trusted_devices DROP CONSTRAINT trusted_devices_scope_id_user_id_fkey;
ALTER TABLE email_tokens DROP CONSTRAINT email_tokens_scope_id_user_id_fkey;
ALTER TABLE activity DROP CONSTRAINT activity_scope_id_user_id_fkey;
