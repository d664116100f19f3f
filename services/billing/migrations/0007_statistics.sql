-- Statistics of the entitlements that give access, as sums of changes. A report adds up these sums, so its cost does
-- not depend on the number of entitlements.
--
-- stats_days: what changed on a day (UTC), for each product.
-- stats_months: `active` and `trials` of stats_days, added up for each month. The numbers at the start of a day are
-- the sum over all earlier months and over the earlier days of the same month: for each product, at most 12 rows for
-- each year and 30 rows more.
-- stats_mrr: the monthly revenue of the entitlements that give access and are not in a trial.
CREATE TABLE stats_days (
    scope_id            bigint  NOT NULL,
    date                date    NOT NULL,
    provider_product_id text    NOT NULL,
    active              integer NOT NULL, -- change of the number of entitlements that give access
    trials              integer NOT NULL, -- likewise, of those that are in a trial
    started             integer NOT NULL, -- entitlements whose access began
    churned             integer NOT NULL, -- entitlements whose access ended
    PRIMARY KEY (scope_id, date, provider_product_id)
) WITH (fillfactor = 50);

CREATE TABLE stats_months (
    scope_id            bigint  NOT NULL,
    month               date    NOT NULL, -- its first day
    provider_product_id text    NOT NULL,
    active              integer NOT NULL,
    trials              integer NOT NULL,
    PRIMARY KEY (scope_id, month, provider_product_id)
) WITH (fillfactor = 50);

CREATE TABLE stats_mrr (
    scope_id bigint  NOT NULL,
    currency text    NOT NULL, -- ISO 4217
    amount   numeric NOT NULL, -- in minor units
    PRIMARY KEY (scope_id, currency)
) WITH (fillfactor = 50);

SELECT protect_by_scope('stats_days');
SELECT protect_by_scope('stats_months');
SELECT protect_by_scope('stats_mrr');

GRANT SELECT, INSERT, UPDATE ON stats_days, stats_months, stats_mrr TO :service_role;

-- What the change of one entitlement adds to the statistics. `at` decides the day, but a change never counts for a
-- day in the future. The amounts are the monthly revenue before and after the change; NULL: none.
CREATE TYPE stats_change AS (
    scope_id            bigint,
    provider_product_id text,
    at                  timestamptz,
    active              integer,
    trials              integer,
    started             integer,
    churned             integer,
    currency_before     text,
    amount_before       bigint,
    currency            text,
    amount              bigint
);

CREATE FUNCTION add_to_stats(changes stats_change[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- In the order of the keys, so that concurrent statements cannot deadlock.
    WITH c AS MATERIALIZED (
        SELECT u.*, (least(u.at, jobs_now()) AT TIME ZONE 'UTC')::date AS date
        FROM unnest(changes) AS u
    ), days AS (
        INSERT INTO stats_days AS s (scope_id, date, provider_product_id, active, trials, started, churned)
        SELECT c.scope_id, c.date, c.provider_product_id, sum(c.active), sum(c.trials), sum(c.started),
            sum(c.churned)
        FROM c
        WHERE c.active <> 0 OR c.trials <> 0
        GROUP BY 1, 2, 3
        ORDER BY 1, 2, 3
        ON CONFLICT (scope_id, date, provider_product_id) DO UPDATE
        SET active = s.active + excluded.active, trials = s.trials + excluded.trials,
            started = s.started + excluded.started, churned = s.churned + excluded.churned
    ), months AS (
        INSERT INTO stats_months AS s (scope_id, month, provider_product_id, active, trials)
        SELECT c.scope_id, date_trunc('month', c.date)::date, c.provider_product_id, sum(c.active), sum(c.trials)
        FROM c
        WHERE c.active <> 0 OR c.trials <> 0
        GROUP BY 1, 2, 3
        ORDER BY 1, 2, 3
        ON CONFLICT (scope_id, month, provider_product_id) DO UPDATE
        SET active = s.active + excluded.active, trials = s.trials + excluded.trials
    )
    INSERT INTO stats_mrr AS s (scope_id, currency, amount)
    SELECT c.scope_id, a.currency, sum(a.amount)
    FROM c
    CROSS JOIN LATERAL (
        VALUES (c.currency_before, -c.amount_before::numeric), (c.currency, c.amount::numeric)
    ) AS a (currency, amount)
    WHERE a.amount IS NOT NULL
    GROUP BY 1, 2
    HAVING sum(a.amount) <> 0
    ORDER BY 1, 2
    ON CONFLICT (scope_id, currency) DO UPDATE SET amount = s.amount + excluded.amount;
END
$$;

-- The following triggers run once for each statement, because a batch writes up to hundreds of rows. INSERT ... ON
-- CONFLICT DO UPDATE runs those for INSERT and for UPDATE, each with its own rows. They first look for rows whose
-- part in the statistics changed, and return if there are none. Most events, such as renewals, change no such row.
CREATE FUNCTION count_new_entitlements() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changes stats_change[];
BEGIN
    SELECT array_agg((n.scope_id, n.provider_product_id, n.last_event_at, 1, t.is_trial::integer, 1, 0, NULL, NULL,
        CASE WHEN NOT t.is_trial THEN n.price_currency END,
        CASE WHEN NOT t.is_trial AND n.price_currency IS NOT NULL THEN n.monthly_amount END)::stats_change)
    INTO changes
    FROM new_rows n CROSS JOIN LATERAL (SELECT coalesce(n.period_type = 'trial', false) AS is_trial) AS t
    WHERE n.is_open;
    IF changes IS NOT NULL THEN
        PERFORM add_to_stats(changes);
    END IF;
    RETURN NULL;
END
$$;

-- The day of the change: when access begins again, the day is not before the day on which it ended, because a late
-- event may be older than the lapse. If the row changed without an event, a setting has changed: the day is today.
-- Rows that the previous version wrote have no end that counts (access_revision, migration 0006).
--
-- When access ends, the day is that of the end, not of the event, which may be older. If the row changed without an
-- event, time has passed: access has ended after the leeway, whose seconds are in app.renewal_leeway.
--
-- Each row has an old and a new version. They are joined by a FULL JOIN, because the planner never makes a nested
-- loop of it. The statement is planned once per session, often for a single row, and a nested loop would be slow for
-- many rows.
CREATE FUNCTION count_changed_entitlements() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changes stats_change[];
BEGIN
    SELECT array_agg((n.scope_id, n.provider_product_id,
        CASE
            WHEN o.is_open AND NOT n.is_open
                THEN greatest(n.access_until,
                    least(n.renewal_until + CASE WHEN o.revision = n.revision
                        THEN coalesce(nullif(current_setting('app.renewal_leeway', true), ''), '0')::bigint * interval '1 second'
                        ELSE interval '0' END, n.leeway_ends_at),
                    CASE WHEN o.revision = n.revision THEN n.past_due_until ELSE n.last_event_at END)
            WHEN o.is_open OR o.access_revision IS DISTINCT FROM o.revision
                THEN n.last_event_at
            WHEN o.revision = n.revision
                THEN jobs_now()
            ELSE greatest(n.last_event_at, o.access_until, least(o.renewal_until, o.leeway_ends_at))
        END,
        n.is_open::integer - o.is_open::integer, n.is_trial::integer - o.is_trial::integer,
        (n.is_open AND NOT o.is_open)::integer, (o.is_open AND NOT n.is_open)::integer,
        o.currency, o.amount, n.currency, n.amount)::stats_change)
    INTO changes
    FROM (
        SELECT e.*, e.is_open AND coalesce(e.period_type = 'trial', false) AS is_trial,
            CASE WHEN e.is_open AND e.period_type IS DISTINCT FROM 'trial' THEN e.price_currency END AS currency,
            CASE WHEN e.is_open AND e.period_type IS DISTINCT FROM 'trial' AND e.price_currency IS NOT NULL
                THEN e.monthly_amount END AS amount
        FROM old_rows e
    ) AS o
    FULL JOIN (
        SELECT e.*, e.is_open AND coalesce(e.period_type = 'trial', false) AS is_trial,
            CASE WHEN e.is_open AND e.period_type IS DISTINCT FROM 'trial' THEN e.price_currency END AS currency,
            CASE WHEN e.is_open AND e.period_type IS DISTINCT FROM 'trial' AND e.price_currency IS NOT NULL
                THEN e.monthly_amount END AS amount
        FROM new_rows e
    ) AS n
        ON o.scope_id = n.scope_id AND o.entitlement_id = n.entitlement_id
    WHERE o.is_open IS DISTINCT FROM n.is_open OR o.is_trial IS DISTINCT FROM n.is_trial
        OR o.amount IS DISTINCT FROM n.amount OR o.currency IS DISTINCT FROM n.currency;
    IF changes IS NOT NULL THEN
        PERFORM add_to_stats(changes);
    END IF;
    RETURN NULL;
END
$$;

-- A deleted entitlement, such as one of an erased user, no longer counts. It is no churn, because its access did not
-- end.
CREATE FUNCTION count_deleted_entitlements() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changes stats_change[];
BEGIN
    SELECT array_agg((o.scope_id, o.provider_product_id, jobs_now(), -1, -t.is_trial::integer, 0, 0,
        CASE WHEN NOT t.is_trial THEN o.price_currency END,
        CASE WHEN NOT t.is_trial AND o.price_currency IS NOT NULL THEN o.monthly_amount END,
        NULL, NULL)::stats_change)
    INTO changes
    FROM old_rows o CROSS JOIN LATERAL (SELECT coalesce(o.period_type = 'trial', false) AS is_trial) AS t
    WHERE o.is_open;
    IF changes IS NOT NULL THEN
        PERFORM add_to_stats(changes);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER entitlements_inserted AFTER INSERT ON entitlements
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_new_entitlements();
CREATE TRIGGER entitlements_updated AFTER UPDATE ON entitlements
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_changed_entitlements();
CREATE TRIGGER entitlements_deleted AFTER DELETE ON entitlements
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_entitlements();

-- For the search for entitlements whose access has ended by time (workers/lapses.hpp). The end of access depends on
-- the tenant's settings, so no column contains it. Each open entitlement is in one of three indexes, by what decides
-- its end:
-- - access_until;
-- - the leeway after renewal_until: entitlements lapse if renewal_until is before now minus the leeway;
-- - past_due_until, if the setting pastDueIsActive is on. If it is off, all these entitlements are examined: only few
--   are open then.
-- So a search reads only the entitlements that it finds. One index by the earliest possible end would not do: each
-- search would read all entitlements that await a renewal, for up to a day, and all that are past due, for up to a
-- year.
CREATE INDEX IF NOT EXISTS entitlements_ending ON entitlements (scope_id, access_until)
    WHERE is_open AND past_due_until IS NULL AND (renewal_until IS NULL OR leeway_ends_at IS NOT NULL)
        AND access_until < 'infinity';
CREATE INDEX IF NOT EXISTS entitlements_renewing ON entitlements (scope_id, renewal_until)
    WHERE is_open AND past_due_until IS NULL AND renewal_until IS NOT NULL AND leeway_ends_at IS NULL;
CREATE INDEX IF NOT EXISTS entitlements_past_due ON entitlements (scope_id, past_due_until)
    WHERE is_open AND past_due_until IS NOT NULL;

-- For lists of a product's subscribers, and for the list of a scope's products. The condition has the same reason as
-- that of entitlements_by_user. Lists of all subscribers use entitlements_by_user.
CREATE INDEX IF NOT EXISTS entitlements_by_product ON entitlements (scope_id, provider_product_id, user_id)
    WHERE user_id IS NOT NULL;
