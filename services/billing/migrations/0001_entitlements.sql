-- Users' entitlements, and the events from which they follow. The keys of all tables begin with scope_id. All writers
-- hold the scope's advisory lock, so the rows of a scope commit in the order of their times.
-- Checksum before its comments were reworded: 65a2b25b1c063b39b0fac1f5ce34987fc8f2834111d5c53969e2d1b1ee75ce12
CREATE TABLE entitlements (
    scope_id               bigint      NOT NULL,
    entitlement_id         uuid        NOT NULL, -- a hash of scope, source, user, product and transaction_id
    user_id                text        NOT NULL,
    source                 text        NOT NULL CHECK (source IN ('purchases', 'payments', 'manual')),
    provider_product_id    text        NOT NULL,
    alternative_product_id text        NOT NULL,
    transaction_id         text        NOT NULL, -- distinguishes purchases of a consumable; empty for subscriptions
    status                 text        NOT NULL CHECK (status IN ('active', 'expired', 'paused')),
    purchased_at           timestamptz,
    expires_at             timestamptz,          -- NULL: never
    grace_until            timestamptz,
    will_renew             boolean     NOT NULL,
    reason                 text,                 -- of a manual grant
    last_event_type        text        NOT NULL,
    -- The deciding event: its position in the order of the entitlement's events. The greatest position decides.
    last_event_at          timestamptz NOT NULL,
    last_rank              integer     NOT NULL,
    last_period_end        timestamptz NOT NULL, -- infinity: not stated
    last_event_id          text        NOT NULL,
    last_transaction_id    text        NOT NULL,
    created_at             timestamptz NOT NULL,
    updated_at             timestamptz NOT NULL,
    revision               bigint      NOT NULL,
    PRIMARY KEY (scope_id, entitlement_id)
);

-- The condition is true for every row. It prevents the planner from using this index to find ids. Otherwise a plan
-- that was made while the table was small could scan a whole scope. The same applies to
-- payment_subscriptions_by_user.
CREATE INDEX entitlements_by_user ON entitlements (scope_id, user_id, created_at DESC, entitlement_id DESC)
    WHERE user_id IS NOT NULL;
-- For the reconciler: active purchases whose expires_at has passed. By then they should have expired or been renewed.
CREATE INDEX entitlements_by_end ON entitlements (scope_id, expires_at)
    WHERE source = 'purchases' AND status = 'active' AND expires_at IS NOT NULL;

-- The state of the payment provider's subscriptions after their last events. A user's entitlements from payments
-- follow from the user's rows.
CREATE TABLE payment_subscriptions (
    scope_id        bigint NOT NULL,
    subscription_id text   NOT NULL,
    user_id         text   NOT NULL,
    state           json   NOT NULL,
    revision        bigint NOT NULL,
    PRIMARY KEY (scope_id, subscription_id)
);

CREATE INDEX payment_subscriptions_by_user ON payment_subscriptions (scope_id, user_id) WHERE user_id IS NOT NULL;

-- Claims. A claim is one of:
-- - 16 bytes of a hash of an event's provider and id, so that the event is applied once;
-- - the archive_id of a rejected event, because rejected events do not claim their id;
-- - 16 bytes of a hash of a subscription's id, if paid invoices wait or have waited for that subscription. archive_id
--   and received_at are those of the last such invoice. So the first event of a subscription finds out whether
--   invoices wait, without a search in every month of the archive.
CREATE TABLE event_claims (
    scope_id    bigint      NOT NULL,
    claim       uuid        NOT NULL,
    archive_id  uuid        NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (scope_id, claim)
);

-- Rows are stored in the order of received_at, so a BRIN index suffices. It is small and cheap to update.
CREATE INDEX event_claims_by_age ON event_claims USING brin (received_at);

-- The archive: every event that was received with a valid secret or signature. `payload` is the body as received. In
-- rejected events, bytes that PostgreSQL cannot store as text are replaced.
CREATE TABLE events (
    scope_id    bigint      NOT NULL,
    received_at timestamptz NOT NULL,
    archive_id  uuid        NOT NULL,
    provider    text        NOT NULL CHECK (provider IN ('purchases', 'payments')),
    event_id    text        NOT NULL,
    type        text        NOT NULL,
    result      text        NOT NULL CHECK (result IN ('applied', 'skipped', 'stale', 'rejected')),
    reason      text,
    user_id     text,
    subject     text,                 -- the payment provider's subscription
    event_at    timestamptz,          -- the provider's time
    payload     text        COMPRESSION lz4 NOT NULL,
    PRIMARY KEY (scope_id, received_at, archive_id)
) PARTITION BY RANGE (received_at);

CREATE INDEX events_by_user ON events (scope_id, user_id, received_at DESC, archive_id DESC) WHERE user_id IS NOT NULL;
CREATE INDEX events_by_subject ON events (scope_id, subject) WHERE subject IS NOT NULL;

-- Receives the events of months for which no partition exists.
CREATE TABLE events_default PARTITION OF events DEFAULT;

SELECT protect_by_scope('entitlements');
SELECT protect_by_scope('payment_subscriptions');
SELECT protect_by_scope('event_claims');
SELECT protect_by_scope('events');

GRANT SELECT, INSERT, UPDATE, DELETE ON entitlements TO :service_role;
GRANT SELECT, INSERT, UPDATE ON payment_subscriptions, events TO :service_role;
GRANT SELECT, INSERT, UPDATE ON event_claims TO :service_role;

-- The maintenance of the archive processes all scopes, so its transaction sets no `app.scopes` and the policy `scope`
-- shows it no rows. Its function runs as the table's owner. This second policy lets the owner see the claims that are
-- old enough to be purged, and no others.
CREATE POLICY purged ON event_claims TO CURRENT_USER
    USING (received_at < nullif(current_setting('app.purge_before', true), '')::timestamptz);

-- Creates the archive's partitions of this month and the next two. Then deletes the data of months that ended
-- `keep_months` months or more before the start of this month: at most `max_rows` claims or, if fewer are left, one
-- partition as well. Returns true if there may be more to do. It waits at most 2 s for a lock on the archive, because
-- all other statements would queue behind it. After that time it fails, and is called again later.
CREATE FUNCTION maintain_events(keep_months integer, max_rows integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC'
SET lock_timeout = '2s' AS $$
DECLARE
    this_month timestamptz := date_trunc('month', now());
    oldest     timestamptz := this_month - make_interval(months => keep_months);
    month      timestamptz;
    name       text;
    removed    bigint;
BEGIN
    IF keep_months < 1 THEN
        RAISE EXCEPTION 'at least one month is kept' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- One call at a time: two would create the same partitions.
    PERFORM pg_advisory_xact_lock(hashtextextended('billing.maintain_events', 0));
    FOR ahead IN 0..2 LOOP
        month := this_month + make_interval(months => ahead);
        name := to_char(month, '"events_"YYYY_MM');
        CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
        EXECUTE format('CREATE TABLE public.%I (LIKE events INCLUDING ALL)', name);
        LOCK TABLE events_default IN SHARE ROW EXCLUSIVE MODE;
        EXECUTE format('INSERT INTO public.%I SELECT * FROM events_default WHERE received_at >= %L AND received_at < %L',
            name, month, month + interval '1 month');
        EXECUTE format('DELETE FROM events_default WHERE received_at >= %L AND received_at < %L',
            month, month + interval '1 month');
        EXECUTE format('ALTER TABLE events ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)',
            name, month, month + interval '1 month');
    END LOOP;

    PERFORM set_config('app.purge_before', oldest::text, true);
    DELETE FROM event_claims WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM event_claims WHERE received_at < oldest LIMIT max_rows));
    GET DIAGNOSTICS removed = ROW_COUNT;
    PERFORM set_config('app.purge_before', '', true);
    IF removed = max_rows THEN
        RETURN true;
    END IF;

    SELECT c.relname INTO name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_\d{4}_\d{2}$'
        AND c.relname < to_char(oldest, '"events_"YYYY_MM')
    ORDER BY c.relname LIMIT 1;
    IF name IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE public.%I', name);
    RETURN true;
END
$$;

REVOKE ALL ON FUNCTION maintain_events(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION maintain_events(integer, integer) TO :service_role;

SELECT maintain_events(24, 1);
