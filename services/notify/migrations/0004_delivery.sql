-- What waits for a platform that is paused is found by this when the pause ends. Most pushes never have a row in it: they
-- are written with the outcome of their first attempt.
CREATE INDEX push_deliveries_pending ON push_deliveries (scope_id, notification_id) WHERE status = 'pending';
