-- Each carrier has queues of its own, so that a carrier that does not respond delays only its own pushes.

-- The carrier of a chunk's devices. NULL: the previous version made the chunk, for the devices of all carriers.
ALTER TABLE broadcast_chunks ADD COLUMN carrier text;

-- `devices` is the number of devices in the range to which no push was tried yet. Such devices wait as a range while the
-- carrier is down. Devices whose push was tried wait one by one (`waiting_ids`).
ALTER TABLE broadcast_chunks DROP CONSTRAINT broadcast_chunks_devices_check;
ALTER TABLE broadcast_chunks ADD CONSTRAINT broadcast_chunks_devices_check CHECK (devices >= 0) NOT VALID;

-- Whether the chunk waits for the end of a pause of its carrier. It replaces waits_for_platform, which only the previous
-- version reads.
ALTER TABLE broadcast_chunks ADD COLUMN waits_for_credential boolean NOT NULL DEFAULT false;

-- How many devices of a broadcast a carrier has answered with "sent" or "token gone", per credential.
CREATE TABLE broadcast_answers (
    scope_id     bigint      NOT NULL,
    broadcast_id uuid        NOT NULL,
    carrier      text        NOT NULL,
    stored_at    timestamptz NOT NULL, -- of the credential
    answered     bigint      NOT NULL,
    gone         bigint      NOT NULL,
    PRIMARY KEY (scope_id, broadcast_id, carrier, stored_at),
    FOREIGN KEY (scope_id, broadcast_id) REFERENCES broadcasts ON DELETE CASCADE
);

-- The devices that a carrier has reported as gone. They are removed when the broadcast is complete, unless they are too
-- many (broadcast_answers).
CREATE TABLE broadcast_gone (
    scope_id      bigint      NOT NULL,
    broadcast_id  uuid        NOT NULL,
    carrier       text        NOT NULL,
    stored_at     timestamptz NOT NULL, -- of the credential
    device_id     bigint      NOT NULL,
    registered_at timestamptz NOT NULL, -- a device that was registered again later stays
    PRIMARY KEY (scope_id, broadcast_id, device_id),
    FOREIGN KEY (scope_id, broadcast_id) REFERENCES broadcasts ON DELETE CASCADE
);

SELECT protect_by_scope('broadcast_answers');
SELECT protect_by_scope('broadcast_gone');

GRANT SELECT, INSERT, UPDATE, DELETE ON broadcast_answers, broadcast_gone TO :service_role;
