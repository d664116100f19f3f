-- Audit log: who changed what. The service's role may insert and read entries. Only the erasure of a tenant removes
-- them.
-- Checksum before its comments were reworded: bcd69f881bfc8a4ec9204802233814b443bb7b6fb1fcb260fe1f13d8371719b7
CREATE TABLE audit_log (
    scope_id     bigint      NOT NULL,
    audit_id     uuid        NOT NULL,
    at           timestamptz NOT NULL,
    actor        text        NOT NULL,
    actor_role   text        NOT NULL,
    action       text        NOT NULL,
    subject_type text        NOT NULL,
    subject_id   text        NOT NULL,
    before       jsonb,
    after        jsonb,
    request_id   text        NOT NULL,
    PRIMARY KEY (scope_id, audit_id)
);

-- For lists, newest first: all entries, the entries of one actor, the entries of one action.
CREATE INDEX audit_log_by_age ON audit_log (scope_id, at DESC, audit_id DESC);
CREATE INDEX audit_log_by_actor ON audit_log (scope_id, actor, at DESC, audit_id DESC);
CREATE INDEX audit_log_by_action ON audit_log (scope_id, action, at DESC, audit_id DESC);

SELECT protect_by_scope('audit_log');
GRANT SELECT, INSERT ON audit_log TO :service_role;
