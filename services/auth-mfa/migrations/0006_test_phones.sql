-- A factor that was enrolled with the fixed code of a test phone proves nothing about the owner of the phone. When the phone is no
-- test phone any more, no code is sent to it.
ALTER TABLE users ADD COLUMN phone_is_test boolean NOT NULL DEFAULT false;
