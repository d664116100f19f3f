-- For the erasure and the export of a user: the attachments of one user, and those of one thread or message.
CREATE INDEX IF NOT EXISTS attachments_by_owner ON attachments (scope_id, owner, attachment_id) WHERE owner IS NOT NULL;
CREATE INDEX IF NOT EXISTS attachments_by_parent ON attachments (scope_id, parent_id) WHERE parent_id IS NOT NULL;
