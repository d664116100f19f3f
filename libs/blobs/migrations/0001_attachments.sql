-- Attachments, from the creation of the upload URL. A claimed attachment belongs to the object that `parent_type` and
-- `parent_id` name. `version` identifies the blob in its store.
-- Checksum before its comments were reworded: 39ff20fc41e3c124d284a2651d25abd69cb9c78e11e1fcc9c1ccc403ddef4205
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
