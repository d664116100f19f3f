-- The W3C trace that the event's cause belongs to: sent with every attempt.
ALTER TABLE webhook_deliveries ADD COLUMN traceparent text;
