-- Web Push: keys of a scope, and subscriptions of web devices.

-- The previous version cannot read this kind. Store keys for Web Push only when every replica has this version.
ALTER TABLE platforms
    ADD COLUMN subject    text, -- Web Push only, like the next column
    ADD COLUMN public_key text, -- the current key
    DROP CONSTRAINT platforms_kind_check,
    ADD CONSTRAINT platforms_kind_check CHECK (kind IN ('fcm', 'apns', 'webpush')) NOT VALID;
ALTER TABLE platforms VALIDATE CONSTRAINT platforms_kind_check;

-- Web devices that are reached by a subscription instead of a token. Their token is the SHA-256 of the endpoint.
ALTER TABLE devices
    ADD COLUMN web_subscription text, -- sealed
    ADD COLUMN web_key          text, -- the public key that the device registered under
    ADD CONSTRAINT devices_web_subscription CHECK ((web_subscription IS NULL) = (web_key IS NULL)) NOT VALID;

-- The carrier of a delivery. NULL: the carrier that reaches the platform by a token.
ALTER TABLE push_deliveries
    ADD COLUMN carrier text,
    ADD CONSTRAINT push_deliveries_carrier CHECK (carrier IN ('fcm', 'apns', 'webpush')) NOT VALID;
