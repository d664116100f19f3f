-- For lists of the archived events with one result. Most events are applied, and such lists find them soon without an index. The
-- others are few, so the index is small, and most events do not write to it. The archive may be large, so the operator may have
-- created the index of each partition before (CREATE INDEX CONCURRENTLY).
CREATE INDEX IF NOT EXISTS events_unapplied ON events (scope_id, result, received_at DESC, archive_id DESC)
    WHERE result <> 'applied';
