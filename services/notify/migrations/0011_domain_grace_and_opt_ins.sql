-- The grace of a verified domain, and text messages of phones that opt in again.

-- When the DNS records of a verified domain were found wrong first. NULL: they were right at the last answer. Used only while
-- `status` is 'verified', because earlier versions do not reset it.
ALTER TABLE email_domains ADD COLUMN IF NOT EXISTS failing_since timestamptz;

-- Finds the suppressions of a number in all scopes.
CREATE INDEX IF NOT EXISTS suppressions_by_number ON suppressions (address) WHERE channel = 'sms' AND NOT hashed;

-- The function below processes all scopes, so its transaction sets no `app.scopes` and the policy `scope` shows it no rows. It
-- runs as the table's owner. This second policy lets the owner see the suppressions of the number that the function lifts, and
-- no others. The hash is that of suppressions::hash_of.
CREATE POLICY lifted ON suppressions TO CURRENT_USER USING (
    channel = 'sms' AND address = CASE
        WHEN hashed THEN encode(sha256(convert_to(
            scope_id || ':sms:' || nullif(current_setting('app.lifted_number', true), ''), 'UTF8')), 'hex')
        ELSE nullif(current_setting('app.lifted_number', true), '')
    END
);

-- Removes the suppressions of text messages to `number` (E.164) in all scopes: the owner of the number has replied START to the
-- sender that all scopes share. Returns the number of removed suppressions. A hashed suppression is found by the hash that it
-- would have in each scope.
CREATE FUNCTION lift_sms_suppressions(number text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    plain bigint;
    erased bigint;
BEGIN
    IF number IS NULL OR number !~ '^\+[0-9]{3,15}$' THEN
        RETURN 0;
    END IF;
    PERFORM set_config('app.lifted_number', number, true);
    DELETE FROM suppressions WHERE channel = 'sms' AND address = number AND NOT hashed;
    GET DIAGNOSTICS plain = ROW_COUNT;
    WITH possible AS MATERIALIZED (
        SELECT s.id, encode(sha256(convert_to(s.id || ':sms:' || number, 'UTF8')), 'hex') AS hash
        FROM tenants t
        CROSS JOIN LATERAL (VALUES (t.tenant_id * 2), (t.tenant_id * 2 + 1)) AS s (id)
    )
    DELETE FROM suppressions s
    USING possible p
    WHERE s.scope_id = p.id AND s.channel = 'sms' AND s.address = p.hash AND s.hashed;
    GET DIAGNOSTICS erased = ROW_COUNT;
    PERFORM set_config('app.lifted_number', '', true);
    RETURN plain + erased;
END
$$;

REVOKE ALL ON FUNCTION lift_sms_suppressions(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lift_sms_suppressions(text) TO :service_role;
