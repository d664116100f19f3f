-- Broadcasts. A broadcast is a push to every device that its scope had when it was accepted.
-- Checksum before its comments were reworded: f8eb1b27f27718b7c5755d267cfdf0227b0c22e5dbfad4798cf0ff4a9a9e088a
CREATE TABLE broadcasts (
    scope_id         bigint      NOT NULL,
    broadcast_id     uuid        NOT NULL,
    template_name    text        NOT NULL,
    dedupe_key       text,
    title            text        NOT NULL, -- rendered at acceptance
    body             text        NOT NULL,
    status           text        NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'fanning_out', 'fanned_out')),
    last_device_id   bigint      NOT NULL, -- the highest id at acceptance; the broadcast excludes later devices
    cut_up_to        bigint      NOT NULL DEFAULT 0, -- devices up to this id are in chunks or settled
    -- Each enqueued device is added to one of the other three counters once, when the run that settles it ends.
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

-- Which broadcast holds a dedupe key. Another broadcast may take the key 24 hours after claimed_at.
CREATE TABLE broadcast_claims (
    scope_id     bigint      NOT NULL,
    dedupe_key   text        NOT NULL,
    broadcast_id uuid        NOT NULL,
    claimed_at   timestamptz NOT NULL,
    PRIMARY KEY (scope_id, dedupe_key),
    -- Deferred, because the claim is inserted before its broadcast. A transaction that does not get the claim writes
    -- nothing else.
    FOREIGN KEY (scope_id, broadcast_id) REFERENCES broadcasts ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);

-- Ranges of devices whose pushes are not all settled. Each chunk has a job whose ref is chunk_id. The chunk is
-- deleted when its last device is settled.
CREATE TABLE broadcast_chunks (
    scope_id           bigint      NOT NULL,
    chunk_id           uuid        NOT NULL,
    broadcast_id       uuid        NOT NULL,
    first_device_id    bigint      NOT NULL,
    last_device_id     bigint      NOT NULL,
    devices            integer     NOT NULL CHECK (devices > 0), -- number of devices in the range when it was cut
    -- Set by a run that leaves devices unsettled: the start of the first run and, for each remaining device, its id,
    -- its number of attempts, the time of the first attempt, and the earliest time of the next one (NULL: as soon as
    -- its platform is available again).
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
