-- Enqueues jobs of one queue, each at its own time, as jobs::enqueue says: what waits already is brought forward, what
-- runs just now runs once more, and the workers are woken at commit when one is due: for what is due later they look
-- every second, and to wake them for each cost a claim that found nothing. A function, so that a statement that makes
-- what the jobs are about can enqueue them too. Returns how many jobs it has seen to.
CREATE FUNCTION enqueue_jobs(to_queue text, scope_ids bigint[], refs uuid[], times timestamptz[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    enqueued bigint;
BEGIN
    -- In the order of their keys, so that two transactions never wait for each other.
    INSERT INTO jobs (scope_id, queue, ref, run_at)
    SELECT n.scope_id, to_queue, n.ref, min(n.run_at)
    FROM unnest(scope_ids, refs, times) AS n (scope_id, ref, run_at)
    GROUP BY n.scope_id, n.ref
    ORDER BY n.scope_id, n.ref
    ON CONFLICT (scope_id, queue, ref) DO UPDATE
    SET run_at = CASE WHEN jobs.lease_owner IS NULL THEN least(jobs.run_at, excluded.run_at)
                      ELSE jobs.run_at END,
        again_at = CASE WHEN jobs.lease_owner IS NULL THEN NULL
                        ELSE least(jobs.again_at, excluded.run_at) END;
    GET DIAGNOSTICS enqueued = ROW_COUNT;
    IF EXISTS (SELECT FROM unnest(times) AS t WHERE t < clock_timestamp() + interval '1 second') THEN
        PERFORM pg_notify('jobs', to_queue);
    END IF;
    RETURN enqueued;
END
$$;
