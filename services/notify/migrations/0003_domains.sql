-- The domain of a scope's email sender. It is used once its DNS records are verified.
-- Checksum before its comments were reworded: 5d5e4329836402a0c162208bb01d0cb8aaaca4dc60808383fee7d5f9c342c90f
CREATE TABLE email_domains (
    scope_id      bigint      PRIMARY KEY,
    domain_id     uuid        NOT NULL,
    domain        text        NOT NULL, -- lower case
    from_email    text        NOT NULL,
    from_name     text        NOT NULL,
    token         text        NOT NULL, -- must be published in the domain's DNS
    selector      text        NOT NULL, -- the DKIM key's name
    public_key    text        NOT NULL, -- the DKIM public key, as published in DNS
    sealed_key    text        NOT NULL, -- the DKIM private key
    status        text        NOT NULL CHECK (status IN ('pending', 'verified')),
    check_results text[]      NOT NULL, -- result of the last DNS check, per record; check_details explains it
    check_details text[]      NOT NULL,
    created_at    timestamptz NOT NULL,
    checked_at    timestamptz,
    verified_at   timestamptz,
    CHECK (status = 'pending' OR verified_at IS NOT NULL)
);

-- Which tenant holds a verified domain. It covers all tenants, so it has no row-level security. It reveals only the
-- owner.
CREATE TABLE domain_claims (
    domain     text        PRIMARY KEY,
    tenant_id  bigint      NOT NULL,
    claimed_at timestamptz NOT NULL
);

CREATE INDEX domain_claims_by_tenant ON domain_claims (tenant_id); -- for a tenant's erasure

SELECT protect_by_scope('email_domains');

GRANT SELECT, INSERT, UPDATE, DELETE ON email_domains, domain_claims TO :service_role;
