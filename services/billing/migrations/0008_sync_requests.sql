-- Users who must be synced, because an event names them and does not contain the data of their purchases. A row is
-- deleted by the next sync of the user with the source. A sync covers both environments. The rows belong to the
-- environment of the event, so that events of the sandbox do not affect the requests of production.
-- requested_at: when the first such event was received. It decides the order of the syncs.
-- repeated_at: when the last such event was received. An earlier sync does not delete the row.
-- is_transfer: whether such an event was a TRANSFER. These users have lost or gained access, so they come first.
-- ended_at: when the purchases that the user no longer has moved to another user; NULL: unknown.
-- not_before: until when the row waits after a failed request to the provider.
CREATE TABLE sync_requests (
    scope_id     bigint      NOT NULL,
    user_id      text        NOT NULL,
    source       text        NOT NULL CHECK (source IN ('purchases', 'payments')),
    requested_at timestamptz NOT NULL,
    repeated_at  timestamptz NOT NULL,
    is_transfer  boolean     NOT NULL DEFAULT false,
    ended_at     timestamptz,
    not_before   timestamptz,
    PRIMARY KEY (scope_id, user_id, source)
);

CREATE INDEX sync_requests_by_turn ON sync_requests (scope_id, is_transfer DESC, requested_at, user_id);

SELECT protect_by_scope('sync_requests');

GRANT SELECT, INSERT, UPDATE, DELETE ON sync_requests TO :service_role;

-- In the row with an empty user_id, which is the pause of the tenant: not_before is for requests to the purchase
-- provider, payments_not_before for those to the payments provider.
ALTER TABLE syncs ADD COLUMN payments_not_before timestamptz;

-- For the reconciler: purchases in a billing issue or a pause whose expires_at has passed. The payment may succeed, or
-- the user may resume, without an event. A sync records a billing issue only in `lines`.
CREATE INDEX IF NOT EXISTS entitlements_unsettled ON entitlements (scope_id, expires_at)
    WHERE source = 'purchases' AND expires_at IS NOT NULL AND status <> 'active' AND (status = 'paused'
        OR last_event_type = 'BILLING_ISSUE'
        OR (last_event_type = 'SYNC' AND lines::text LIKE '%"inBillingIssue":true%'));
