-- For the erasure of a user.

-- After the erasure of a user, the suppression of the user's address stays: `address` is then the SHA-256 of the scope's
-- id, the channel and the address.
ALTER TABLE suppressions ADD COLUMN hashed boolean NOT NULL DEFAULT false;

-- Finds the deliveries to a device. They may belong to pushes to another user, whose device it was before. The tables may
-- be large, so the operator may have created the indexes before (CREATE INDEX CONCURRENTLY).
CREATE INDEX IF NOT EXISTS push_deliveries_by_device ON push_deliveries (scope_id, device_id);

-- Finds the emails that use an upload.
CREATE INDEX IF NOT EXISTS notification_attachments_by_upload ON notification_attachments (scope_id, attachment_id)
    WHERE attachment_id IS NOT NULL;
