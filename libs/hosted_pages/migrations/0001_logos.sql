-- The image that the hosted pages of an environment show. The member `logo` of the settings document describes it.
CREATE TABLE logos (
    scope_id     bigint NOT NULL PRIMARY KEY,
    content_type text   NOT NULL CHECK (content_type IN ('image/png', 'image/webp')),
    sha256       text   NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    content      bytea  NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 262144)
);

ALTER TABLE logos ALTER COLUMN content SET STORAGE EXTERNAL; -- images are compressed already

SELECT protect_by_scope('logos');

GRANT SELECT, INSERT, UPDATE, DELETE ON logos TO :service_role;
