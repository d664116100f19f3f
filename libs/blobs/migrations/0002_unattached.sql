-- What waits to be attached, by scope: its bytes are limited.
CREATE INDEX attachments_unattached ON attachments (scope_id) INCLUDE (size_bytes) WHERE state <> 'attached';
