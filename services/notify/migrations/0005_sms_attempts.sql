-- The attempt to send a text message that has begun and has no outcome yet: the token of the job's lease. It is stored
-- before the request to the provider. If the process dies, the next run fails the message instead of sending it again.
ALTER TABLE notifications ADD COLUMN attempt_token uuid;
