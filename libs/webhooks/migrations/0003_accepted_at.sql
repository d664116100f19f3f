-- When the endpoint last accepted a delivery, to the hour: one that accepts others is not disabled because one event
-- keeps failing. Endpoints of before count as accepting now, since what they accepted was not kept.
ALTER TABLE webhooks ADD COLUMN accepted_at timestamptz DEFAULT now();
ALTER TABLE webhooks ALTER COLUMN accepted_at DROP DEFAULT;
