-- Retention: the contents of finished notifications and broadcasts are erased after 7 days, and the rows are deleted after the
-- days of the setting `notificationRetentionDays`.

-- When the subject, the body and the data were replaced by nothing. Such a notification cannot be sent any more. A replica of
-- an earlier version does not know the column, and may not queue the notification again either.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS content_erased_at timestamptz;
ALTER TABLE notifications ADD CONSTRAINT notifications_erased_is_not_queued
    CHECK (status <> 'queued' OR content_erased_at IS NULL) NOT VALID;
ALTER TABLE broadcasts ADD COLUMN IF NOT EXISTS content_erased_at timestamptz;

-- Finds the finished notifications that still have their content, in the order in which they were finished. The table may be
-- large, so the operator may have created the index before (CREATE INDEX CONCURRENTLY).
CREATE INDEX IF NOT EXISTS notifications_with_content
    ON notifications (
        scope_id, (coalesce(failed_at, sent_at, delivered_at, opened_at, queued_at)), notification_id
    )
    WHERE status <> 'queued' AND content_erased_at IS NULL;
CREATE INDEX IF NOT EXISTS broadcasts_with_content ON broadcasts (scope_id, completed_at, broadcast_id)
    WHERE completed_at IS NOT NULL AND content_erased_at IS NULL;

-- Finds the claim of a broadcast that is deleted.
CREATE INDEX IF NOT EXISTS broadcast_claims_by_broadcast ON broadcast_claims (scope_id, broadcast_id);
