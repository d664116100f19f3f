-- For the erasure of a user: the entries about an object.
CREATE INDEX IF NOT EXISTS audit_log_by_subject ON audit_log (scope_id, subject_id);

-- Erases a user from at most `max_rows` entries. Where the user is the actor, and where the user is the subject,
-- `pseudonym` replaces the user's id, and the request id is removed, because clients choose it. Entries about the user,
-- and about the objects `subject_ids` of the user, lose `before` and `after`. Returns the number of changed entries. 0: no
-- such entry is left.
--
-- Other actors and subjects may have an id that is equal to the user's id, because a backend chooses the ids of its users.
-- Their entries stay: API keys (`key:<prefix>`), workers (`system:<worker>`), the master key (`master`), unknown callers
-- (`anonymous`), and subjects that are not users.
--
-- It runs as the owner of the table, because the service's role may not change entries. It sees the scopes of the
-- caller's transaction only.
CREATE FUNCTION erase_user_from_audit(erased_scope bigint, erased text, pseudonym text, subject_ids text[],
                                      max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    user_roles CONSTANT text[] := CASE
        WHEN erased IN ('master', 'anonymous') OR starts_with(erased, 'key:') OR starts_with(erased, 'system:') THEN '{}'
        ELSE ARRAY['user', 'admin', 'owner']
    END;
    user_types CONSTANT text[] := ARRAY['user', 'member'];
    changed    bigint;
BEGIN
    WITH found AS (
        (SELECT audit_id
         FROM audit_log
         WHERE scope_id = erased_scope AND actor = erased AND actor_role = ANY (user_roles)
         LIMIT max_rows)
        UNION
        (SELECT audit_id
         FROM audit_log
         WHERE scope_id = erased_scope AND subject_id = erased AND subject_type = ANY (user_types)
         LIMIT max_rows)
        UNION
        (SELECT audit_id
         FROM audit_log
         WHERE scope_id = erased_scope AND subject_id = ANY (subject_ids) AND (before IS NOT NULL OR after IS NOT NULL)
         LIMIT max_rows)
        LIMIT max_rows
    ), marked AS (
        SELECT a.audit_id, a.actor = erased AND a.actor_role = ANY (user_roles) AS by_user,
            a.subject_id = erased AND a.subject_type = ANY (user_types) AS about_user,
            a.subject_id = ANY (subject_ids) AS about_object
        FROM found
        JOIN audit_log a ON a.scope_id = erased_scope AND a.audit_id = found.audit_id
    )
    UPDATE audit_log a
    SET actor = CASE WHEN m.by_user THEN pseudonym ELSE a.actor END,
        subject_id = CASE WHEN m.about_user THEN pseudonym ELSE a.subject_id END,
        request_id = CASE WHEN m.by_user OR m.about_user THEN '' ELSE a.request_id END,
        before = CASE WHEN m.about_user OR m.about_object THEN NULL ELSE a.before END,
        after = CASE WHEN m.about_user OR m.about_object THEN NULL ELSE a.after END
    FROM marked m
    WHERE a.scope_id = erased_scope AND a.audit_id = m.audit_id;
    GET DIAGNOSTICS changed = ROW_COUNT;
    RETURN changed;
END
$$;

REVOKE ALL ON FUNCTION erase_user_from_audit(bigint, text, text, text[], integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_user_from_audit(bigint, text, text, text[], integer) TO :service_role;
