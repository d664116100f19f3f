-- The W3C trace of the request that caused the event. It is sent with every attempt.
-- Checksum before its comments were reworded: 9a018263c2b71159eb37b14c7453a7291c2168bd398a7b20f5fa72c998a4a184
ALTER TABLE webhook_deliveries ADD COLUMN traceparent text;
