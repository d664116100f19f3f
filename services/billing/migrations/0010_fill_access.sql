-- Computes the columns of migration 0006 for the entitlements that are stored already, with the trigger
-- entitlements_of_previous_version. The update is a migration of its own, so that it does not hold the table's lock.
DO $$
DECLARE
    tenant bigint;
BEGIN
    FOR tenant IN SELECT tenant_id FROM tenants LOOP
        PERFORM set_config('app.scopes', format('%s,%s', tenant * 2, tenant * 2 + 1), true);
        UPDATE entitlements SET access_revision = NULL
        WHERE scope_id IN (tenant * 2, tenant * 2 + 1) AND access_revision IS DISTINCT FROM revision;
    END LOOP;
END
$$;

-- The settings for access as they are now, as the first events of their kind, for reads as of a time. Tenants with the
-- default settings need none.
DO $$
DECLARE
    t       record;
    scope   bigint;
    archive uuid;
    moment  timestamptz;
BEGIN
    FOR t IN SELECT tenant_id FROM tenants LOOP
        PERFORM set_config('app.scopes', format('%s,%s', t.tenant_id * 2, t.tenant_id * 2 + 1), true);
        CONTINUE WHEN NOT EXISTS (
            SELECT FROM scope_settings s WHERE s.scope_id = t.tenant_id * 2 AND s.document -> 'pastDueIsActive' = 'true');
        FOREACH scope IN ARRAY ARRAY[t.tenant_id * 2, t.tenant_id * 2 + 1] LOOP
            archive := gen_random_uuid();
            moment := clock_timestamp();
            INSERT INTO event_claims (scope_id, claim, archive_id, received_at) VALUES (scope, archive, archive, moment);
            INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, subject, event_at,
                payload, is_filed)
            VALUES (scope, moment, archive, 'internal', archive::text, 'SETTINGS', 'applied', 'internal:settings',
                '1970-01-01 00:00:00+00', json_build_object('id', archive, 'type', 'SETTINGS',
                    'environment', CASE scope % 2 WHEN 0 THEN 'production' ELSE 'sandbox' END, 'at', 0,
                    'pastDueIsActive', true, 'renewalLeewaySeconds', 3600)::text, true);
        END LOOP;
    END LOOP;
END
$$;
