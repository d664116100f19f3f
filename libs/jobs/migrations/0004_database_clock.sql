-- The clock of jobs and periodic tasks, shared by all replicas. It decides when they are due and when a lease ends.
-- Tests replace this function by one whose clock they can move.
-- Checksum before its comments were reworded: b12a9baf01322fd5ccecd0adc469d447275de7e4521da703944e101ffe748615
CREATE FUNCTION jobs_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT now()';

-- Replaces the function of 0002. Now a time may be NULL: then the job is due at once.
CREATE OR REPLACE FUNCTION enqueue_jobs(to_queue text, scope_ids bigint[], refs uuid[], times timestamptz[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    enqueued bigint;
    at timestamptz := jobs_now();
BEGIN
    -- In the order of their keys, so that concurrent calls cannot deadlock.
    INSERT INTO jobs (scope_id, queue, ref, run_at)
    SELECT n.scope_id, to_queue, n.ref, min(coalesce(n.run_at, at))
    FROM unnest(scope_ids, refs, times) AS n (scope_id, ref, run_at)
    GROUP BY n.scope_id, n.ref
    ORDER BY n.scope_id, n.ref
    ON CONFLICT (scope_id, queue, ref) DO UPDATE
    SET run_at = CASE WHEN jobs.lease_owner IS NULL THEN least(jobs.run_at, excluded.run_at)
                      ELSE jobs.run_at END,
        again_at = CASE WHEN jobs.lease_owner IS NULL THEN NULL
                        ELSE least(jobs.again_at, excluded.run_at) END;
    GET DIAGNOSTICS enqueued = ROW_COUNT;
    IF EXISTS (SELECT FROM unnest(times) AS t WHERE coalesce(t, at) < clock_timestamp() + interval '1 second') THEN
        PERFORM pg_notify('jobs', to_queue);
    END IF;
    RETURN enqueued;
END
$$;
