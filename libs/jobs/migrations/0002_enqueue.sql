-- Enqueues jobs of one queue, each with its own time, as jobs::enqueue specifies:
-- - a waiting job is brought forward to the new time if that is earlier;
-- - a running job will run once more;
-- - the workers are woken at commit if a job is due within one second.
-- Workers find later jobs by polling every second. A notification for each later job would cost a claim that finds
-- nothing. It is a function, so that a statement that creates the content of jobs can also enqueue them. Returns the
-- number of enqueued jobs, including those that were in the queue already.
-- Checksum before its comments were reworded: ff38b3b9d35d60f9967fa324aceb93f3db4af8e4b7dc781f394000f436de872b
CREATE FUNCTION enqueue_jobs(to_queue text, scope_ids bigint[], refs uuid[], times timestamptz[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    enqueued bigint;
BEGIN
    -- In the order of their keys, so that concurrent calls cannot deadlock.
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
