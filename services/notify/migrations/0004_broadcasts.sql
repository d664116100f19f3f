-- A push to every device that a scope had when it was accepted.
CREATE TABLE broadcasts (
    scope_id         bigint      NOT NULL,
    broadcast_id     uuid        NOT NULL,
    template_name    text        NOT NULL,
    dedupe_key       text,
    title            text        NOT NULL, -- as it was rendered at acceptance
    body             text        NOT NULL,
    status           text        NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'fanning_out', 'fanned_out')),
    last_device_id   bigint      NOT NULL, -- the highest at acceptance: what was registered later is none of its
    cut_up_to        bigint      NOT NULL DEFAULT 0, -- devices up to here are in chunks, or done
    -- Each enqueued device ends in one of the other three, once: when the run of its chunk that settles it ends.
    enqueued_devices bigint      NOT NULL DEFAULT 0,
    sent_count       bigint      NOT NULL DEFAULT 0,
    failed_count     bigint      NOT NULL DEFAULT 0,
    invalid_count    bigint      NOT NULL DEFAULT 0,
    traceparent      text,
    created_at       timestamptz NOT NULL,
    started_at       timestamptz,
    fanned_out_at    timestamptz,
    completed_at     timestamptz,
    cancelled_at     timestamptz,
    PRIMARY KEY (scope_id, broadcast_id),
    CHECK (sent_count + failed_count + invalid_count <= enqueued_devices),
    CHECK ((status = 'fanned_out') = (fanned_out_at IS NOT NULL)),
    CHECK (completed_at IS NULL
           OR (status = 'fanned_out' AND sent_count + failed_count + invalid_count = enqueued_devices))
);

CREATE INDEX broadcasts_by_time ON broadcasts (scope_id, created_at DESC, broadcast_id DESC);

-- Which broadcast has a dedupe key: for 24 hours from claimed_at, then it may be taken over.
CREATE TABLE broadcast_claims (
    scope_id     bigint      NOT NULL,
    dedupe_key   text        NOT NULL,
    broadcast_id uuid        NOT NULL,
    claimed_at   timestamptz NOT NULL,
    PRIMARY KEY (scope_id, dedupe_key),
    -- The claim comes first, and whoever loses it writes nothing else.
    FOREIGN KEY (scope_id, broadcast_id) REFERENCES broadcasts ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);

-- A range of devices whose pushes are not all settled; each has a job of the same id. It goes with its last device.
CREATE TABLE broadcast_chunks (
    scope_id           bigint      NOT NULL,
    chunk_id           uuid        NOT NULL,
    broadcast_id       uuid        NOT NULL,
    first_device_id    bigint      NOT NULL,
    last_device_id     bigint      NOT NULL,
    devices            integer     NOT NULL CHECK (devices > 0), -- how many there were between the two
    -- After a run that has not settled all: when the first one began, which devices are left, how often each of them was
    -- pushed to, since when, and when it is pushed to again (NULL: once its platform is there again).
    began_at           timestamptz,
    waiting_ids        bigint[],
    waiting_tries      integer[],
    waiting_since      timestamptz[],
    waiting_not_before timestamptz[],
    waits_for_platform boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (scope_id, chunk_id),
    FOREIGN KEY (scope_id, broadcast_id) REFERENCES broadcasts ON DELETE CASCADE,
    CHECK ((began_at IS NULL) = (waiting_ids IS NULL))
);

CREATE INDEX broadcast_chunks_by_broadcast ON broadcast_chunks (scope_id, broadcast_id);

SELECT protect_by_scope('broadcasts');
SELECT protect_by_scope('broadcast_claims');
SELECT protect_by_scope('broadcast_chunks');

GRANT SELECT, INSERT, UPDATE, DELETE ON broadcasts, broadcast_claims, broadcast_chunks TO :service_role;
