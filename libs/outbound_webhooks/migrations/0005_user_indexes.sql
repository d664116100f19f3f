CREATE INDEX IF NOT EXISTS webhook_deliveries_by_user ON webhook_deliveries (scope_id, user_id)
    WHERE user_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS webhook_deliveries_by_other_user ON webhook_deliveries (scope_id, other_user_id)
    WHERE other_user_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS webhook_deliveries_not_filed ON webhook_deliveries (scope_id, delivery_id)
    WHERE NOT filed;
