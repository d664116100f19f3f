-- The users whose data the stored response contains, so that the erasure of a user finds it: the caller, and another
-- user whom the response is about. NULL also for responses that earlier versions stored; they expire within a day.
ALTER TABLE idempotency_keys
    ADD COLUMN IF NOT EXISTS user_id       text,
    ADD COLUMN IF NOT EXISTS about_user_id text;

-- The service's role may delete the stored responses of its scopes. Before, only the purge deleted rows.
GRANT DELETE ON idempotency_keys TO :service_role;
