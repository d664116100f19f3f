-- An attachment from its upload address to the thing it belongs to. `version` names the blob in its store.
CREATE TABLE attachments (
    scope_id      bigint      NOT NULL,
    attachment_id uuid        NOT NULL,
    owner         text,
    filename      text        NOT NULL,
    content_type  text        NOT NULL,
    size_bytes    bigint      NOT NULL CHECK (size_bytes > 0),
    state         text        NOT NULL DEFAULT 'presigned',
    version       text,
    parent_type   text,
    parent_id     uuid,
    internal      boolean     NOT NULL DEFAULT false,
    created_at    timestamptz NOT NULL,
    uploaded_at   timestamptz,
    attached_at   timestamptz,
    PRIMARY KEY (scope_id, attachment_id),
    CHECK (state IN ('presigned', 'uploaded', 'attached')),
    CHECK ((state = 'presigned') = (version IS NULL)),
    CHECK ((state = 'presigned') = (uploaded_at IS NULL)),
    CHECK ((state = 'attached') = (attached_at IS NOT NULL)),
    CHECK ((state = 'attached') = (parent_type IS NOT NULL)),
    CHECK ((parent_type IS NULL) = (parent_id IS NULL))
);

SELECT protect_by_scope('attachments');
GRANT SELECT, INSERT, UPDATE, DELETE ON attachments TO :service_role;
