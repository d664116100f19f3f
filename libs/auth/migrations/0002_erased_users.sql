-- Users that were erased because their account was deleted. `user_hash` is the SHA-256 of the scope's id and the user's
-- id. Access tokens of these users are refused until `refuse_until`, when the last of them has expired. Then a job, whose
-- ref is erasure_id, erases the user a second time, to delete what requests wrote that were running during the first
-- erasure. Until then, `sealed_user_id` has the user's id, encrypted. The row itself is kept: it says that later data for
-- this user must not be stored.
--
-- The table is read before the scope's rows are visible, so it has no row-level security. It contains no data of tenants.
CREATE TABLE erased_users (
    user_hash      bytea       PRIMARY KEY CHECK (length(user_hash) = 32),
    scope_id       bigint      NOT NULL,
    erasure_id     uuid        NOT NULL UNIQUE,
    sealed_user_id text,
    refuse_until   timestamptz NOT NULL
);

CREATE INDEX erased_users_by_scope ON erased_users (scope_id);
CREATE INDEX erased_users_by_end ON erased_users (refuse_until);

CREATE FUNCTION erased_users_announce() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('erased_users', encode(NEW.user_hash, 'hex'));
    RETURN NULL;
END
$$;

CREATE TRIGGER erased_users_added AFTER INSERT ON erased_users
    FOR EACH ROW EXECUTE FUNCTION erased_users_announce();

GRANT SELECT, INSERT, UPDATE, DELETE ON erased_users TO :service_role;
