CREATE INDEX IF NOT EXISTS idempotency_keys_by_user ON idempotency_keys (scope_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS idempotency_keys_by_about_user ON idempotency_keys (scope_id, about_user_id)
    WHERE about_user_id IS NOT NULL;
