-- For the erasure of a user: the former users of subscriptions. When a subscription gets another user, its column state
-- keeps the items of the former user in `removed`.
CREATE TABLE subscription_former_users (
    scope_id        bigint NOT NULL,
    user_id         text   NOT NULL,
    subscription_id text   NOT NULL,
    PRIMARY KEY (scope_id, user_id, subscription_id)
);

SELECT protect_by_scope('subscription_former_users');

GRANT SELECT, INSERT, DELETE ON subscription_former_users TO :service_role;
GRANT DELETE ON payment_subscriptions TO :service_role;

-- A trigger, so that the rows of the previous version are covered during an upgrade, too.
CREATE FUNCTION add_former_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO subscription_former_users (scope_id, user_id, subscription_id)
    SELECT DISTINCT NEW.scope_id, item ->> 'userId', NEW.subscription_id
    FROM json_array_elements(NEW.state -> 'removed') AS item
    WHERE item ->> 'userId' <> NEW.user_id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER payment_subscriptions_moved AFTER INSERT OR UPDATE ON payment_subscriptions
    FOR EACH ROW WHEN (json_array_length(NEW.state -> 'removed') > 0) EXECUTE FUNCTION add_former_users();
