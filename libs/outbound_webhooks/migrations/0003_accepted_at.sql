-- When the endpoint last accepted a delivery, accurate to the hour. An endpoint that accepts other deliveries is not
-- disabled because one event keeps failing. Existing webhooks get the current time, because their last acceptance was
-- not stored.
-- Checksum before its comments were reworded: afe90c6eb38ac22dbe92638f992176b9a4cdb444ed0cdbd96e7592df086d842a
ALTER TABLE webhooks ADD COLUMN accepted_at timestamptz DEFAULT now();
ALTER TABLE webhooks ALTER COLUMN accepted_at DROP DEFAULT;
