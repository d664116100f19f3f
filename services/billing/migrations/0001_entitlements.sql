-- What users have, and the events that say so. Every table leads with scope_id; whoever writes any of these holds the
-- scope's advisory lock, so commit order is the order of their times.
CREATE TABLE entitlements (
    scope_id               bigint      NOT NULL,
    entitlement_id         uuid        NOT NULL, -- a hash of the key: source, user, product, and transaction of a consumable
    user_id                text        NOT NULL,
    source                 text        NOT NULL CHECK (source IN ('purchases', 'payments', 'manual')),
    provider_product_id    text        NOT NULL,
    alternative_product_id text        NOT NULL,
    transaction_id         text        NOT NULL, -- of a consumable
    status                 text        NOT NULL CHECK (status IN ('active', 'expired', 'paused')),
    purchased_at           timestamptz,
    expires_at             timestamptz,          -- NULL: never
    grace_until            timestamptz,
    will_renew             boolean     NOT NULL,
    reason                 text,                 -- of a manual one
    last_event_type        text        NOT NULL,
    -- Where the event that decided stands among those of the key.
    last_event_at          timestamptz NOT NULL,
    last_rank              integer     NOT NULL,
    last_period_end        timestamptz NOT NULL, -- infinity: none was stated
    last_event_id          text        NOT NULL,
    last_transaction_id    text        NOT NULL,
    created_at             timestamptz NOT NULL,
    updated_at             timestamptz NOT NULL,
    revision               bigint      NOT NULL,
    PRIMARY KEY (scope_id, entitlement_id)
);

-- Here and below: the condition holds for every row. Without it a plan that is made while the table is small may look for
-- ids along this index, through the whole of a scope.
CREATE INDEX entitlements_by_user ON entitlements (scope_id, user_id, created_at DESC, entitlement_id DESC)
    WHERE user_id IS NOT NULL;
-- For the reconciler: what should have ended or been renewed by now.
CREATE INDEX entitlements_by_end ON entitlements (scope_id, expires_at)
    WHERE source = 'purchases' AND status = 'active' AND expires_at IS NOT NULL;

-- What the payment provider's subscriptions were left in by their events; entitlements follow from those of a user.
CREATE TABLE payment_subscriptions (
    scope_id        bigint NOT NULL,
    subscription_id text   NOT NULL,
    user_id         text   NOT NULL,
    state           json   NOT NULL,
    revision        bigint NOT NULL,
    PRIMARY KEY (scope_id, subscription_id)
);

CREATE INDEX payment_subscriptions_by_user ON payment_subscriptions (scope_id, user_id) WHERE user_id IS NOT NULL;

-- Ids that were taken, so that an event is applied once: 16 bytes of a hash of provider and id, or the archive's own
-- id of an event that was rejected and so claims none. And one for each subscription that paid invoices wait for, or have
-- waited, with the last of them: its first event must not ask every month of the archive whether there are any.
CREATE TABLE event_claims (
    scope_id    bigint      NOT NULL,
    claim       uuid        NOT NULL,
    archive_id  uuid        NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (scope_id, claim)
);

-- Rows lie in the order of their time, so this costs next to nothing.
CREATE INDEX event_claims_by_age ON event_claims USING brin (received_at);

-- Every event that came with a good credential, as it came.
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

-- Takes what no month was made for in time.
CREATE TABLE events_default PARTITION OF events DEFAULT;

SELECT protect_by_scope('entitlements');
SELECT protect_by_scope('payment_subscriptions');
SELECT protect_by_scope('event_claims');
SELECT protect_by_scope('events');

GRANT SELECT, INSERT, UPDATE, DELETE ON entitlements TO :service_role;
GRANT SELECT, INSERT, UPDATE ON payment_subscriptions, events TO :service_role;
GRANT SELECT, INSERT, UPDATE ON event_claims TO :service_role;

-- Keeping the archive sees no scope. It runs as the owner, to whom a second policy shows the claims of the age that is
-- being purged, and nothing else.
CREATE POLICY purged ON event_claims TO CURRENT_USER
    USING (received_at < nullif(current_setting('app.purge_before', true), '')::timestamptz);

-- Makes the archive's partitions of this month and the next two, and forgets whole months that ended `keep_months` or
-- more before this one: at most `max_rows` claims, then one partition. True: there is more to do. It never waits
-- long for the archive's lock, behind which everybody else would queue: it fails, and is called again later.
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
    -- One at a time: two would make the same months.
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
