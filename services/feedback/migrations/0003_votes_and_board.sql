-- Votes, followers, the visibility of threads, and threads that were merged into another thread.
--
-- The previous version may run beside this one. Its threads are private and have no votes.
ALTER TABLE feedbacks
    ADD COLUMN user_email_verified boolean,  -- the claim of the reporter's token; NULL without a token
    ADD COLUMN visibility text NOT NULL DEFAULT 'private' CHECK (visibility IN ('private', 'public')),
    ADD COLUMN vote_count integer NOT NULL DEFAULT 0 CHECK (vote_count >= 0),
    ADD COLUMN votes_changed_at timestamptz, -- the last time that vote_count changed
    ADD COLUMN merged_into uuid;             -- the thread that continues this one

-- The orders of lists. Each index ends with the columns of the keyset cursor.
CREATE INDEX feedbacks_by_votes ON feedbacks (scope_id, vote_count DESC, feedback_id DESC);
CREATE INDEX feedbacks_by_vote_change ON feedbacks (scope_id, votes_changed_at) WHERE votes_changed_at IS NOT NULL;
CREATE INDEX feedbacks_on_board_by_votes ON feedbacks (scope_id, vote_count DESC, feedback_id DESC)
    WHERE visibility = 'public' AND deleted_at IS NULL AND merged_into IS NULL;
CREATE INDEX feedbacks_on_board_by_time ON feedbacks (scope_id, created_at DESC, feedback_id DESC)
    WHERE visibility = 'public' AND deleted_at IS NULL AND merged_into IS NULL;

-- One vote of each user for a thread. feedbacks.vote_count is their number.
CREATE TABLE votes (
    scope_id    bigint      NOT NULL,
    feedback_id uuid        NOT NULL,
    user_id     text        NOT NULL,
    vote_id     uuid        NOT NULL, -- for the cursors of lists
    created_at  timestamptz NOT NULL,
    counted_at  timestamptz NOT NULL, -- when vote_count of this thread rose; later than created_at after a merge
    PRIMARY KEY (scope_id, feedback_id, user_id),
    FOREIGN KEY (scope_id, feedback_id) REFERENCES feedbacks ON DELETE CASCADE
);

CREATE INDEX votes_by_user ON votes (scope_id, user_id, feedback_id);
CREATE INDEX votes_by_time ON votes (scope_id, feedback_id, created_at DESC, vote_id DESC);

-- The users who get emails about a thread besides its reporter: the voters, and the reporters of threads that were
-- merged into it.
CREATE TABLE followers (
    scope_id       bigint      NOT NULL,
    feedback_id    uuid        NOT NULL,
    user_id        text        NOT NULL,
    email          text,                            -- the claim of the user's token; NULL without a token
    email_verified boolean     NOT NULL DEFAULT false,
    reporter       boolean     NOT NULL DEFAULT false, -- of a merged thread: follows also without a vote
    since          timestamptz NOT NULL,
    PRIMARY KEY (scope_id, feedback_id, user_id),
    FOREIGN KEY (scope_id, feedback_id) REFERENCES feedbacks ON DELETE CASCADE
);

CREATE INDEX followers_by_user ON followers (scope_id, user_id, feedback_id);

-- A merge is in the histories of both threads.
ALTER TABLE status_moves
    ADD COLUMN merged_into uuid,
    ADD COLUMN merged_from uuid;

SELECT protect_by_scope('votes');
SELECT protect_by_scope('followers');

GRANT SELECT, INSERT, UPDATE, DELETE ON votes, followers TO :service_role;
