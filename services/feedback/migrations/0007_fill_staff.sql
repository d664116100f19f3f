-- Computes first_response_at and resolved_at (migration 0006) for the threads of the last 180 days that the previous
-- version has written. The update is a migration of its own, so that it does not hold the table's lock. The limit of
-- 180 days bounds its duration.
DO $$
DECLARE
    tenant bigint;
BEGIN
    FOR tenant IN SELECT tenant_id FROM tenants LOOP
        PERFORM set_config('app.scopes', format('%s,%s', tenant * 2, tenant * 2 + 1), true);
        UPDATE feedbacks f
        SET first_response_at = times.first_response_at, resolved_at = times.resolved_at
        FROM (
            SELECT x.scope_id, x.feedback_id, (
                    SELECT min(r.created_at)
                    FROM replies r
                    WHERE r.scope_id = x.scope_id AND r.feedback_id = x.feedback_id AND NOT r.internal
                        AND r.author_role <> 'user'
                ) AS first_response_at,
                CASE WHEN x.status IN ('resolved', 'closed') THEN (
                    SELECT max(m.at)
                    FROM status_moves m
                    WHERE m.scope_id = x.scope_id AND m.feedback_id = x.feedback_id
                        AND m.to_status IN ('resolved', 'closed')
                ) END AS resolved_at
            FROM feedbacks x
            WHERE x.scope_id IN (tenant * 2, tenant * 2 + 1) AND x.created_at > now() - interval '180 days'
                AND x.deleted_at IS NULL AND (x.public_reply_count > 0 OR x.status IN ('resolved', 'closed'))
        ) AS times
        WHERE f.scope_id = times.scope_id AND f.feedback_id = times.feedback_id
            AND (f.first_response_at, f.resolved_at)
                IS DISTINCT FROM (times.first_response_at, times.resolved_at);
    END LOOP;
END
$$;
