-- Access as a rule of its own, beside the status. access_until, renewal_until, leeway_ends_at and past_due_until are
-- the members of `Access` (domain/access.hpp); 'infinity': access has no end. The tenant's settings apply when a row is
-- read:
--   greatest(access_until, least(renewal_until + leeway, leeway_ends_at) if renewal_until is set,
--       past_due_until if past due subscriptions give access)
-- If is_ended is true, only past_due_until counts.
ALTER TABLE entitlements
    ADD COLUMN access_until    timestamptz NOT NULL DEFAULT 'infinity',
    ADD COLUMN renewal_until   timestamptz,
    ADD COLUMN leeway_ends_at  timestamptz,
    ADD COLUMN past_due_until  timestamptz,
    ADD COLUMN is_ended        boolean NOT NULL DEFAULT false, -- an event has ended access
    ADD COLUMN is_past_due     boolean NOT NULL DEFAULT false, -- the status of the subscription; `status` is 'expired' then
    ADD COLUMN period_type     text CHECK (period_type IN ('normal', 'trial', 'intro')),
    ADD COLUMN trial_ends_at   timestamptz,
    ADD COLUMN store           text    NOT NULL DEFAULT '',
    ADD COLUMN quantity        bigint,
    ADD COLUMN price_amount    bigint,                         -- of one unit, in minor units
    ADD COLUMN price_currency  text,
    ADD COLUMN monthly_amount  bigint,                         -- of all units; NULL: the purchase does not recur
    ADD COLUMN cancel_reason   text    NOT NULL DEFAULT '',
    ADD COLUMN lines           json    NOT NULL DEFAULT '[]',  -- the events that decide the state (domain/purchase_json.hpp)
    ADD COLUMN is_open         boolean NOT NULL DEFAULT false, -- whether the entitlement gave access when it was last written
    ADD COLUMN access_revision bigint;                         -- the revision for which these columns were computed

-- Computes the columns for a row that the previous version has written, by that version's rule: an entitlement gives
-- access while its status is active and neither its period nor its grace period has ended.
CREATE FUNCTION fill_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.access_until := CASE WHEN NEW.expires_at IS NULL THEN 'infinity' ELSE greatest(NEW.expires_at, NEW.grace_until) END;
    NEW.renewal_until := CASE WHEN NEW.status = 'active' AND NEW.will_renew THEN NEW.expires_at END;
    NEW.leeway_ends_at := NULL;
    NEW.past_due_until := NULL;
    NEW.is_ended := false;
    NEW.is_past_due := false;
    NEW.lines := '[]';
    IF NEW.last_event_type <> 'BILLING_ISSUE' AND (NEW.status = 'expired' OR (NEW.status = 'paused' AND NEW.source = 'payments')) THEN
        NEW.access_until := least(NEW.access_until, NEW.last_event_at);
        NEW.is_ended := true;
    END IF;
    NEW.is_open := NEW.access_until > clock_timestamp();
    NEW.access_revision := NEW.revision;
    RETURN NEW;
END
$$;

CREATE TRIGGER entitlements_of_previous_version BEFORE INSERT OR UPDATE ON entitlements
    FOR EACH ROW WHEN (NEW.access_revision IS DISTINCT FROM NEW.revision) EXECUTE FUNCTION fill_access();

-- When the row was last written, by the clock of the database.
ALTER TABLE payment_subscriptions ADD COLUMN updated_at timestamptz NOT NULL DEFAULT clock_timestamp();

-- A product that is bought once and kept.
ALTER TABLE products DROP CONSTRAINT products_kind_check,
    ADD CONSTRAINT products_kind_check CHECK (kind IN ('subscription', 'consumable', 'lifetime')) NOT VALID;

-- Events of the service itself: syncs, grants, and changes of settings. Events of suspended tenants are deferred.
ALTER TABLE events DROP CONSTRAINT events_provider_check, DROP CONSTRAINT events_result_check,
    ADD CONSTRAINT events_provider_check CHECK (provider IN ('purchases', 'payments', 'internal')) NOT VALID,
    ADD CONSTRAINT events_result_check
        CHECK (result IN ('applied', 'skipped', 'stale', 'rejected', 'deferred')) NOT VALID;

-- The events of suspended tenants that wait until the tenant resumes.
CREATE TABLE deferred_events (
    scope_id    bigint      NOT NULL,
    received_at timestamptz NOT NULL, -- received_at and archive_id of the event
    archive_id  uuid        NOT NULL,
    PRIMARY KEY (scope_id, received_at, archive_id)
);

SELECT protect_by_scope('deferred_events');

GRANT SELECT, INSERT, DELETE ON deferred_events TO :service_role;

-- Which archived event names which id of a payment: of a charge, a payment intent, an invoice, or a checkout session.
-- `node` is what the event states about the payment (storage/payment_references.hpp).
CREATE TABLE payment_references (
    scope_id    bigint      NOT NULL,
    reference   text        NOT NULL,
    archive_id  uuid        NOT NULL,
    received_at timestamptz NOT NULL,
    node        json        NOT NULL,
    PRIMARY KEY (scope_id, reference, archive_id)
);

CREATE INDEX payment_references_by_age ON payment_references USING brin (received_at);
CREATE INDEX payment_references_by_event ON payment_references (scope_id, archive_id);

SELECT protect_by_scope('payment_references');

GRANT SELECT, INSERT, UPDATE, DELETE ON payment_references TO :service_role;

-- As the policies of the same name of event_claims and event_users.
CREATE POLICY purged ON payment_references TO CURRENT_USER
    USING (received_at < nullif(current_setting('app.purge_before', true), '')::timestamptz);

-- Deletes at most `max_rows` rows of the archive that were received before `oldest`, from the tables that are not
-- partitioned by month. Returns their number.
CREATE FUNCTION purge_events(oldest timestamptz, max_rows integer) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    name    text;
    removed bigint;
    total   bigint := 0;
BEGIN
    PERFORM set_config('app.purge_before', oldest::text, true);
    FOREACH name IN ARRAY ARRAY['event_claims', 'event_users', 'payment_references', 'events_default'] LOOP
        EXECUTE format('DELETE FROM public.%I WHERE ctid = ANY (ARRAY('
            'SELECT ctid FROM public.%I WHERE received_at < $1 LIMIT $2))', name, name) USING oldest, max_rows - total;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
    END LOOP;
    PERFORM set_config('app.purge_before', '', true);
    RETURN total;
END
$$;

REVOKE ALL ON FUNCTION purge_events(timestamptz, integer) FROM PUBLIC;

-- As before, but also deletes old rows of payment_references, and of events_default, which has the events of months
-- for which no partition existed.
CREATE OR REPLACE FUNCTION maintain_events(keep_months integer, max_rows integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC'
SET lock_timeout = '2s' AS $$
DECLARE
    this_month timestamptz := date_trunc('month', now());
    oldest     timestamptz := this_month - make_interval(months => keep_months);
    month      timestamptz;
    name       text;
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

    IF purge_events(oldest, max_rows) = max_rows THEN
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
