-- The domain that a scope's email is sent from, once DNS says that it may be.
CREATE TABLE email_domains (
    scope_id      bigint      PRIMARY KEY,
    domain_id     uuid        NOT NULL,
    domain        text        NOT NULL, -- lower case
    from_email    text        NOT NULL,
    from_name     text        NOT NULL,
    token         text        NOT NULL, -- what has to stand in the domain's DNS
    selector      text        NOT NULL, -- the DKIM key's name,
    public_key    text        NOT NULL, -- its public half, as DNS has it,
    sealed_key    text        NOT NULL, -- and its private one
    status        text        NOT NULL CHECK (status IN ('pending', 'verified')),
    check_results text[]      NOT NULL, -- of each record when DNS was last asked, and what there was to say of it
    check_details text[]      NOT NULL,
    created_at    timestamptz NOT NULL,
    checked_at    timestamptz,
    verified_at   timestamptz,
    CHECK (status = 'pending' OR verified_at IS NOT NULL)
);

-- Whose a verified domain is. Over all tenants, so without row-level security: it says no more than who.
CREATE TABLE domain_claims (
    domain     text        PRIMARY KEY,
    tenant_id  bigint      NOT NULL,
    claimed_at timestamptz NOT NULL
);

CREATE INDEX domain_claims_by_tenant ON domain_claims (tenant_id); -- for a tenant's erasure

SELECT protect_by_scope('email_domains');

GRANT SELECT, INSERT, UPDATE, DELETE ON email_domains, domain_claims TO :service_role;
