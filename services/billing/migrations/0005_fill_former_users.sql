-- Fills subscription_former_users from the subscriptions that are stored already. It reads the table in a migration of
-- its own, without a lock that blocks writers.
DO $$
DECLARE
    tenant bigint;
BEGIN
    FOR tenant IN SELECT tenant_id FROM tenants LOOP
        PERFORM set_config('app.scopes', format('%s,%s', tenant * 2, tenant * 2 + 1), true);
        INSERT INTO subscription_former_users (scope_id, user_id, subscription_id)
        SELECT DISTINCT s.scope_id, item ->> 'userId', s.subscription_id
        FROM payment_subscriptions s CROSS JOIN LATERAL json_array_elements(s.state -> 'removed') AS item
        WHERE s.scope_id IN (tenant * 2, tenant * 2 + 1) AND item ->> 'userId' <> s.user_id
        ON CONFLICT DO NOTHING;
    END LOOP;
END
$$;
