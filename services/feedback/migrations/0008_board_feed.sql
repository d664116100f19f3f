-- The feed of the board lists the threads that were resolved last.
CREATE INDEX status_moves_by_time ON status_moves (scope_id, to_status, at DESC);
