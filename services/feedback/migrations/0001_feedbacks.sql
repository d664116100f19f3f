-- Feedback threads, their replies, and the changes of their status. The keys of all tables begin with scope_id.
-- Checksum before its comments were reworded: 8b5119e75b483c4b16ddfcefab9f8c48cbf2d66971614e28f27a9f02d00cc392
CREATE TABLE feedbacks (
    scope_id             bigint      NOT NULL,
    feedback_id          uuid        NOT NULL,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    deleted_at           timestamptz,
    version              bigint      NOT NULL DEFAULT 1,
    status               text        NOT NULL CHECK (status IN ('open', 'in-progress', 'resolved', 'closed')),
    category             text        NOT NULL CHECK (category IN ('bug', 'feature', 'general', 'support')),
    priority             text        CHECK (priority IN ('low', 'medium', 'high', 'critical')),
    title                text        NOT NULL,
    body                 text        NOT NULL,
    app_context          json,
    attachment_ids       uuid[]      NOT NULL DEFAULT '{}',
    tags                 text[]      NOT NULL DEFAULT '{}',
    author_id            text        NOT NULL,
    author_role          text        NOT NULL,
    user_id              text,
    user_email           text,
    assignee_id          text,
    assignee_email       text,
    -- reply_count and last_reply_at are for staff and include internal notes. The public_ columns are for the user
    -- and exclude them.
    reply_count          integer     NOT NULL DEFAULT 0,
    last_reply_at        timestamptz,
    public_reply_count   integer     NOT NULL DEFAULT 0,
    public_last_reply_at timestamptz,
    search               tsvector    NOT NULL GENERATED ALWAYS AS (to_tsvector('simple', title || ' ' || body)) STORED,
    PRIMARY KEY (scope_id, feedback_id)
);

-- One index per order or filter of the list. Each index ends with the columns of the keyset cursor.
CREATE INDEX feedbacks_by_time ON feedbacks (scope_id, created_at DESC, feedback_id DESC);
CREATE INDEX feedbacks_by_status ON feedbacks (scope_id, status, created_at DESC, feedback_id DESC);
CREATE INDEX feedbacks_by_user ON feedbacks (scope_id, user_id, created_at DESC, feedback_id DESC)
    WHERE user_id IS NOT NULL;
CREATE INDEX feedbacks_by_assignee ON feedbacks (scope_id, assignee_id, created_at DESC, feedback_id DESC)
    WHERE assignee_id IS NOT NULL;
CREATE INDEX feedbacks_by_priority ON feedbacks (scope_id, priority, created_at DESC, feedback_id DESC)
    WHERE priority IS NOT NULL;
CREATE INDEX feedbacks_by_last_reply
    ON feedbacks (scope_id, (coalesce(last_reply_at, '-infinity')) DESC, feedback_id DESC);
-- Tags and text have no index: their operators are not leakproof, so PostgreSQL could not use it under row-level
-- security. Both filters scan the scope in one of the orders above.

CREATE TABLE replies (
    scope_id       bigint      NOT NULL,
    feedback_id    uuid        NOT NULL,
    reply_id       uuid        NOT NULL,
    created_at     timestamptz NOT NULL,
    body           text        NOT NULL,
    attachment_ids uuid[]      NOT NULL DEFAULT '{}',
    author_id      text        NOT NULL,
    author_role    text        NOT NULL CHECK (author_role IN ('user', 'admin', 'owner')),
    internal       boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (scope_id, feedback_id, reply_id),
    FOREIGN KEY (scope_id, feedback_id) REFERENCES feedbacks ON DELETE CASCADE
);

CREATE INDEX replies_by_time ON replies (scope_id, feedback_id, created_at, reply_id);

-- The changes of a thread's status after its creation. The creation is recorded in the thread's own row.
CREATE TABLE status_moves (
    scope_id    bigint      NOT NULL,
    feedback_id uuid        NOT NULL,
    move_id     uuid        NOT NULL,
    at          timestamptz NOT NULL,
    actor_id    text        NOT NULL,
    actor_role  text        NOT NULL,
    from_status text        NOT NULL,
    to_status   text        NOT NULL,
    PRIMARY KEY (scope_id, feedback_id, move_id),
    FOREIGN KEY (scope_id, feedback_id) REFERENCES feedbacks ON DELETE CASCADE
);

SELECT protect_by_scope('feedbacks');
SELECT protect_by_scope('replies');
SELECT protect_by_scope('status_moves');

GRANT SELECT, INSERT, UPDATE, DELETE ON feedbacks TO :service_role;
GRANT SELECT, INSERT, DELETE ON replies, status_moves TO :service_role;
