-- Tables that a tenant's two environments share.
-- `products`: the catalog, by the providers' product ids, with the features and quantities that a purchase grants.
-- Entitlements are joined to it when they are read.
-- Checksum before its comments were reworded: 0e87f36c019d2462ccc526411dca9859d614df56a775f4ba445478f17ad444b2
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

-- `syncs`: users whose purchases are being fetched, and users that the reconciler skips until `not_before`. The lease
-- allows one fetch per user at a time. `not_before` in the row with an empty user_id applies to all users of the
-- tenant.
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
