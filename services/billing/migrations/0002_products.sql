-- What belongs to a tenant, whatever the environment. First what it sells, as the providers name it, and what that gives
-- to whoever bought it: entitlements are joined to it when they are read.
CREATE TABLE products (
    tenant_id           bigint      NOT NULL,
    product_id          uuid        NOT NULL,
    provider_product_id text        NOT NULL,
    name                text        NOT NULL,
    kind                text        NOT NULL CHECK (kind IN ('subscription', 'consumable')),
    features            text[]      NOT NULL,
    grants              jsonb       NOT NULL CHECK (jsonb_typeof(grants) = 'array'), -- [{name, quantity}]
    version             bigint      NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, product_id),
    UNIQUE (tenant_id, provider_product_id)
);

CREATE INDEX products_by_time ON products (tenant_id, created_at DESC, product_id DESC);

SELECT protect_by_tenant('products');

GRANT SELECT, INSERT, UPDATE, DELETE ON products TO :service_role;

-- Users whose purchases are being fetched just now, one fetch at a time, and those of whom the reconciler is to ask no
-- sooner than `not_before`. The row without a user's name says so of all the tenant's.
CREATE TABLE syncs (
    tenant_id    bigint      NOT NULL,
    user_id      text        NOT NULL,
    lease_owner  uuid,
    leased_until timestamptz,
    not_before   timestamptz,
    PRIMARY KEY (tenant_id, user_id),
    CHECK ((lease_owner IS NULL) = (leased_until IS NULL))
);

SELECT protect_by_tenant('syncs');

GRANT SELECT, INSERT, UPDATE, DELETE ON syncs TO :service_role;
