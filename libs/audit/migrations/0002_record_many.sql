-- Writes entries of many scopes in one statement, as audit::record does for one. It is a function, so that a statement
-- that changes rows can also record the changes. The arrays have one element per entry. Locks the scopes in the order
-- of their ids. Returns the number of entries.
CREATE FUNCTION record_audit(scope_ids bigint[], ids uuid[], actors text[], actor_roles text[], actions text[],
                             subject_types text[], subject_ids text[], afters text[], request_ids text[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    recorded bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('audit', s.scope_id))
    FROM (SELECT DISTINCT x AS scope_id FROM unnest(scope_ids) AS x ORDER BY x) AS s;
    INSERT INTO audit_log (scope_id, audit_id, at, actor, actor_role, action, subject_type, subject_id, after, request_id)
    SELECT n.scope_id, n.id, clock_timestamp(), n.actor, n.actor_role, n.action, n.subject_type, n.subject_id,
        n.after::jsonb, n.request_id
    FROM unnest(scope_ids, ids, actors, actor_roles, actions, subject_types, subject_ids, afters, request_ids)
        AS n (scope_id, id, actor, actor_role, action, subject_type, subject_id, after, request_id);
    GET DIAGNOSTICS recorded = ROW_COUNT;
    RETURN recorded;
END
$$;
