-- For staff: the times of the first response and of the resolution of a thread, and edits of replies.
--
-- first_response_at: the first public reply by staff; NULL if there is none. resolved_at: the last change to
-- `resolved` or `closed`; NULL for a thread with another status. The previous version writes neither of them.
-- Migration 0007 fills both.
--
-- internal_changes: the number of edits and deletions of internal notes. It is part of the ETag of staff, because the
-- version of a thread must not show users that there are internal notes.
ALTER TABLE feedbacks
    ADD COLUMN first_response_at timestamptz,
    ADD COLUMN resolved_at       timestamptz,
    ADD COLUMN internal_changes  bigint NOT NULL DEFAULT 0;

-- For the statistics of the times, which read only this index. A new thread is not in it.
CREATE INDEX feedbacks_by_response ON feedbacks (scope_id, created_at)
    INCLUDE (status, first_response_at, resolved_at)
    WHERE deleted_at IS NULL AND merged_into IS NULL AND (first_response_at IS NOT NULL OR resolved_at IS NOT NULL);

ALTER TABLE replies ADD COLUMN edited_at timestamptz;

-- The previous bodies of edited replies. edited_at: the time of the edit that replaced the body.
CREATE TABLE reply_edits (
    scope_id    bigint      NOT NULL,
    feedback_id uuid        NOT NULL,
    reply_id    uuid        NOT NULL,
    edit_id     uuid        NOT NULL,
    edited_at   timestamptz NOT NULL,
    body        text        NOT NULL,
    PRIMARY KEY (scope_id, feedback_id, reply_id, edit_id),
    FOREIGN KEY (scope_id, feedback_id, reply_id) REFERENCES replies ON DELETE CASCADE
);

SELECT protect_by_scope('reply_edits');

GRANT SELECT, INSERT, DELETE ON reply_edits TO :service_role;
