-- For the erasure of a user.
--
-- erased_at: when the event lost its user, because the user was erased. The event's user_id is a pseudonym then, and
-- its subject is NULL. Its payload is JSON null, unless it names other users. The payload is not NULL, because the
-- previous version reads this column during an upgrade.
-- is_filed: whether event_users has the other users of the event. False for events that the previous version archived.
ALTER TABLE events
    ADD COLUMN erased_at timestamptz,
    ADD COLUMN is_filed  boolean NOT NULL DEFAULT false;

-- The users that an event names, except the user in its column user_id: aliases, both sides of a transfer, and so on.
CREATE TABLE event_users (
    scope_id    bigint      NOT NULL,
    user_id     text        NOT NULL,
    received_at timestamptz NOT NULL, -- received_at and archive_id of the event
    archive_id  uuid        NOT NULL,
    PRIMARY KEY (scope_id, user_id, received_at, archive_id)
);

CREATE INDEX event_users_by_age ON event_users USING brin (received_at);

-- The scopes that may have events with is_filed = false after the position (received_at, archive_id). The previous
-- version may add such events until `until`. The erasure of a user files them first.
CREATE TABLE event_filing (
    scope_id    bigint      PRIMARY KEY,
    received_at timestamptz NOT NULL,
    archive_id  uuid        NOT NULL,
    until       timestamptz NOT NULL
);

INSERT INTO event_filing (scope_id, received_at, archive_id, until)
SELECT t.tenant_id * 2 + e.environment, '-infinity', '00000000-0000-0000-0000-000000000000', now() + interval '30 days'
FROM tenants t CROSS JOIN generate_series(0, 1) AS e (environment);

SELECT protect_by_scope('event_users');
SELECT protect_by_scope('event_filing');

GRANT SELECT, INSERT, DELETE ON event_users TO :service_role;
GRANT SELECT, UPDATE, DELETE ON event_filing TO :service_role;

-- As the policy of the same name of event_claims.
CREATE POLICY purged ON event_users TO CURRENT_USER
    USING (received_at < nullif(current_setting('app.purge_before', true), '')::timestamptz);

-- As before, but also deletes old rows of event_users: at most `max_rows` rows of event_claims and event_users or, if
-- fewer are left, one partition as well.
CREATE OR REPLACE FUNCTION maintain_events(keep_months integer, max_rows integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC'
SET lock_timeout = '2s' AS $$
DECLARE
    this_month timestamptz := date_trunc('month', now());
    oldest     timestamptz := this_month - make_interval(months => keep_months);
    month      timestamptz;
    name       text;
    claims     bigint;
    filings    bigint;
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
    GET DIAGNOSTICS claims = ROW_COUNT;
    DELETE FROM event_users WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM event_users WHERE received_at < oldest LIMIT max_rows - claims));
    GET DIAGNOSTICS filings = ROW_COUNT;
    PERFORM set_config('app.purge_before', '', true);
    IF claims + filings = max_rows THEN
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
