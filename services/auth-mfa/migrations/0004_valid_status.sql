-- Checks the rows that existed before the constraint, without a lock that blocks writes.
ALTER TABLE users VALIDATE CONSTRAINT users_status;
