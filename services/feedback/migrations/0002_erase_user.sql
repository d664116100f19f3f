-- For the erasure and the export of a user: the replies of one author, and the changes of status by one actor.
CREATE INDEX IF NOT EXISTS replies_by_author ON replies (scope_id, author_id, feedback_id, reply_id);
CREATE INDEX IF NOT EXISTS status_moves_by_actor ON status_moves (scope_id, actor_id, feedback_id, move_id);

-- The erasure replaces the author of replies and the actor of changes of status by a pseudonym.
GRANT UPDATE ON replies, status_moves TO :service_role;
