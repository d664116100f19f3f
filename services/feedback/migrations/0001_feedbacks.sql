-- Threads of feedback, their replies and the moves of their status. Every table leads with scope_id.
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
    -- What staff see, internal notes included, and what the user sees.
    reply_count          integer     NOT NULL DEFAULT 0,
    last_reply_at        timestamptz,
    public_reply_count   integer     NOT NULL DEFAULT 0,
    public_last_reply_at timestamptz,
    search               tsvector    NOT NULL GENERATED ALWAYS AS (to_tsvector('simple', title || ' ' || body)) STORED,
    PRIMARY KEY (scope_id, feedback_id)
);

-- One index per order or filter that a page can be asked for; each ends in the keyset.
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
-- None for tags and text: their operators are not leakproof, so under row-level security no index on them can be used.
-- Both filters walk the scope along one of the orders above.

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

-- Moves of a thread's status after its creation, which its own row tells.
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
