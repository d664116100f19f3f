-- The registry of tenants. It is read before the scope is known, and it contains no data of tenants. So it has no
-- row-level security. A tenant's scopes are tenant_id * 2 (production) and tenant_id * 2 + 1 (sandbox).
-- Checksum before its comments were reworded: 169ad0fbd8b787fb0b221004d19f42a89a47405b81c504180b6a66583c355c5c
CREATE TABLE tenants (
    tenant_id        bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug             text        NOT NULL UNIQUE,
    display_name     text        NOT NULL,
    status           text        NOT NULL CHECK (status IN ('active', 'suspended')),
    limits           jsonb       NOT NULL CHECK (jsonb_typeof(limits) = 'object'),
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    erase_after      timestamptz,
    erasure_began_at timestamptz, -- once set, the erasure cannot be undone
    CHECK (erase_after IS NULL OR status = 'suspended'),
    CHECK (erasure_began_at IS NULL OR erase_after IS NOT NULL)
);

CREATE INDEX tenants_by_erasure ON tenants (erase_after) WHERE erase_after IS NOT NULL;

-- Erased tenants, until their scopes have been processed once more.
CREATE TABLE tenant_erasures (
    erased_id bigint      PRIMARY KEY,
    slug      text        NOT NULL,
    erased_at timestamptz NOT NULL
);

-- A tenant's settings for one environment. A row with `version` 0 and no `updated_at` was created to lock the
-- settings. No settings have been written to it.
CREATE TABLE scope_settings (
    scope_id   bigint PRIMARY KEY,
    document   jsonb  NOT NULL CHECK (jsonb_typeof(document) = 'object'),
    version    bigint NOT NULL,
    updated_at timestamptz
);

SELECT protect_by_scope('scope_settings');

-- Triggers announce every change, so that caches do not depend on the code that made it.
CREATE FUNCTION tenants_announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('tenants', coalesce(NEW.slug, OLD.slug));
    RETURN NULL;
END
$$;

CREATE TRIGGER tenants_changed AFTER INSERT OR UPDATE OR DELETE ON tenants
    FOR EACH ROW EXECUTE FUNCTION tenants_announce();

CREATE FUNCTION scope_settings_announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('tenants', slug) FROM tenants WHERE tenant_id = coalesce(NEW.scope_id, OLD.scope_id) / 2;
    RETURN NULL;
END
$$;

CREATE TRIGGER scope_settings_changed AFTER INSERT OR UPDATE OR DELETE ON scope_settings
    FOR EACH ROW EXECUTE FUNCTION scope_settings_announce();

-- Deletes at most `max_rows` rows of a tenant whose erasure has begun, from all tables of the schema with a column
-- `scope_id` or `tenant_id`, except `tenants`. Referring tables come before the tables that they refer to. Returns
-- the number of deleted rows. 0: no such row is left.
--
-- It runs as the owner of the tables, because the service's role may not delete from all of them (for example, the
-- audit log). The check below limits this privilege to tenants whose erasure has begun.
CREATE FUNCTION erase_tenant_rows(erased bigint, max_rows integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    victim  record;
    removed bigint;
    total   bigint := 0;
BEGIN
    -- One call per tenant at a time. Otherwise a call could return 0 while a concurrent call is still deleting rows.
    PERFORM pg_advisory_xact_lock(hashtextextended('tenancy.erase', erased));
    IF NOT EXISTS (SELECT FROM tenants WHERE tenant_id = erased AND erasure_began_at IS NOT NULL)
        AND NOT EXISTS (SELECT FROM tenant_erasures WHERE erased_id = erased)
    THEN
        RAISE EXCEPTION 'tenant % is not being erased', erased USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    PERFORM set_config('app.scopes', format('%s,%s', erased * 2, erased * 2 + 1), true);

    FOR victim IN
        WITH RECURSIVE owned AS (
            SELECT c.oid, min(a.attname) AS key -- scope_id if the table has both columns
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'tenants'
                AND a.attname IN ('scope_id', 'tenant_id')
            GROUP BY c.oid
        ), depth (oid, level) AS (
            SELECT oid, 0 FROM owned
            UNION
            SELECT k.conrelid, d.level + 1
            FROM depth d JOIN pg_constraint k ON k.contype = 'f' AND k.confrelid = d.oid AND k.conrelid <> d.oid
            WHERE d.level < 32 -- ends the recursion if foreign keys form a cycle
        )
        SELECT o.oid::regclass AS name, o.key,
            CASE o.key WHEN 'scope_id' THEN ARRAY[erased * 2, erased * 2 + 1] ELSE ARRAY[erased] END AS ids
        FROM owned o JOIN depth d USING (oid)
        GROUP BY o.oid, o.key
        ORDER BY max(d.level) DESC, o.oid
    LOOP
        EXECUTE format('DELETE FROM %1$s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$s WHERE %2$I = ANY ($1) LIMIT $2))',
            victim.name, victim.key) USING victim.ids, max_rows - total;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
        EXIT WHEN total >= max_rows;
    END LOOP;
    PERFORM set_config('app.scopes', '', true);
    RETURN total;
END
$$;

REVOKE ALL ON FUNCTION erase_tenant_rows(bigint, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_tenant_rows(bigint, integer) TO :service_role;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenants TO :service_role;
GRANT SELECT, INSERT, DELETE ON tenant_erasures TO :service_role;
GRANT SELECT, INSERT, UPDATE ON scope_settings TO :service_role;
