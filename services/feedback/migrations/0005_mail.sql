-- Emails about threads: to the address `notifyEmail` of the settings, and to reporters and followers.
--
-- The previous version may run beside this one. It sends no emails, and its changes cause none.

-- One row for each thread and recipient while an email is pending, and for 5 minutes after an email was sent. Changes
-- in these minutes are sent together, in one email. Each row has a job in the queue `thread_mails`, whose ref is
-- mail_id. The content of an email is read from the thread when it is sent.
CREATE TABLE thread_mails (
    scope_id     bigint      NOT NULL,
    feedback_id  uuid        NOT NULL,
    recipient    text        NOT NULL, -- the user's id; empty: `notifyEmail`
    mail_id      uuid        NOT NULL,
    since        timestamptz NOT NULL, -- the email reports changes after this time
    version      bigint      NOT NULL, -- advances with each change
    requested_at timestamptz,          -- the last change that was not sent, by jobs_now(); NULL: none is pending
    sent_at      timestamptz,          -- the last email, by jobs_now()
    failures     integer     NOT NULL DEFAULT 0, -- attempts that failed since the last email
    PRIMARY KEY (scope_id, mail_id),
    UNIQUE (scope_id, feedback_id, recipient),
    FOREIGN KEY (scope_id, feedback_id) REFERENCES feedbacks ON DELETE CASCADE
);

-- For the erasure of a user.
CREATE INDEX thread_mails_by_recipient ON thread_mails (scope_id, recipient, mail_id);

-- Changes of threads whose recipients still have to be found. Each row has a job in the queue `mail_fan_outs`, whose
-- ref is feedback_id. The job adds rows to thread_mails in the order of the recipients.
CREATE TABLE mail_fan_outs (
    scope_id    bigint      NOT NULL,
    feedback_id uuid        NOT NULL,
    since       timestamptz NOT NULL,            -- as in thread_mails
    after_user  text        NOT NULL DEFAULT '', -- the last recipient that was added
    PRIMARY KEY (scope_id, feedback_id),
    FOREIGN KEY (scope_id, feedback_id) REFERENCES feedbacks ON DELETE CASCADE
);

-- The key of a scope for the tokens that end emails, and for the hashes of addresses. It does not change when
-- ENCRYPTION_KEYS change, because links in old emails have to work for years.
CREATE TABLE mail_keys (
    scope_id bigint PRIMARY KEY,
    sealed   text   NOT NULL
);

-- Recipients who want no emails about one thread, or no emails of the scope. Only hashes of their addresses are stored.
CREATE TABLE thread_opt_outs (
    scope_id     bigint NOT NULL,
    feedback_id  uuid   NOT NULL,
    address_hash text   NOT NULL, -- 64 hexadecimal digits
    PRIMARY KEY (scope_id, feedback_id, address_hash),
    FOREIGN KEY (scope_id, feedback_id) REFERENCES feedbacks ON DELETE CASCADE
);

CREATE TABLE scope_opt_outs (
    scope_id     bigint NOT NULL,
    address_hash text   NOT NULL,
    PRIMARY KEY (scope_id, address_hash)
);

SELECT protect_by_scope('thread_mails');
SELECT protect_by_scope('mail_fan_outs');
SELECT protect_by_scope('mail_keys');
SELECT protect_by_scope('thread_opt_outs');
SELECT protect_by_scope('scope_opt_outs');

GRANT SELECT, INSERT, UPDATE, DELETE ON thread_mails, mail_fan_outs TO :service_role;
GRANT SELECT, INSERT, UPDATE ON mail_keys TO :service_role;
GRANT SELECT, INSERT, DELETE ON thread_opt_outs TO :service_role;
GRANT SELECT, INSERT ON scope_opt_outs TO :service_role;
