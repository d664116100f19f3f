-- Accepted notifications, and their outcome. The keys of all tables begin with scope_id.
-- Checksum before its comments were reworded: 532fd42c048b1642b85deb811fd35d6ea18b2f1b1cde6d352ac7b660d891fd6e
CREATE TABLE notifications (
    scope_id        bigint      NOT NULL,
    notification_id uuid        NOT NULL,
    channel         text        NOT NULL CHECK (channel IN ('email', 'push', 'sms')),
    template_name   text        NOT NULL,
    recipient       text        NOT NULL,
    -- Rendered at acceptance, because the template may change before the notification is sent.
    subject         text        NOT NULL,
    body            text        NOT NULL,
    html            boolean     NOT NULL,
    data            json,
    status          text        NOT NULL DEFAULT 'queued'
                                CHECK (status IN ('queued', 'sent', 'delivered', 'opened', 'failed')),
    failure_reason  text,
    attempts        integer     NOT NULL DEFAULT 0, -- since queued_at
    provider_id     text,
    traceparent     text,
    created_at      timestamptz NOT NULL,
    queued_at       timestamptz NOT NULL,
    send_at         timestamptz,
    sent_at         timestamptz,
    delivered_at    timestamptz,
    opened_at       timestamptz,
    failed_at       timestamptz,
    PRIMARY KEY (scope_id, notification_id),
    CHECK ((status = 'failed') = (failed_at IS NOT NULL)),
    CHECK ((status = 'failed') = (failure_reason IS NOT NULL))
);

-- One index per order or filter of the list. Each index ends with the columns of the keyset cursor.
CREATE INDEX notifications_by_time ON notifications (scope_id, created_at DESC, notification_id DESC);
CREATE INDEX notifications_by_status ON notifications (scope_id, status, created_at DESC, notification_id DESC);
CREATE INDEX notifications_by_channel ON notifications (scope_id, channel, created_at DESC, notification_id DESC);
CREATE INDEX notifications_by_recipient
    ON notifications (scope_id, recipient, created_at DESC, notification_id DESC);

-- The changes of a notification's status after its acceptance. The acceptance is recorded in the notification's own
-- row.
CREATE TABLE notification_events (
    scope_id        bigint      NOT NULL,
    notification_id uuid        NOT NULL,
    place           integer     NOT NULL CHECK (place > 0),
    status          text        NOT NULL,
    at              timestamptz NOT NULL,
    detail          text,
    PRIMARY KEY (scope_id, notification_id, place),
    FOREIGN KEY (scope_id, notification_id) REFERENCES notifications ON DELETE CASCADE
);

-- The files of an email: the content from the request, or a reference to an upload.
CREATE TABLE notification_attachments (
    scope_id        bigint      NOT NULL,
    notification_id uuid        NOT NULL,
    place           integer     NOT NULL,
    filename        text        NOT NULL,
    content_type    text        NOT NULL,
    size_bytes      bigint      NOT NULL,
    content         bytea,
    attachment_id   uuid,
    version         text,
    PRIMARY KEY (scope_id, notification_id, place),
    FOREIGN KEY (scope_id, notification_id) REFERENCES notifications ON DELETE CASCADE,
    CHECK ((content IS NULL) = (attachment_id IS NOT NULL)),
    CHECK ((attachment_id IS NULL) = (version IS NULL))
);

-- EXTERNAL stores the content without compression, because most files are compressed already.
ALTER TABLE notification_attachments ALTER COLUMN content SET STORAGE EXTERNAL;

-- The state of a push at each device that its user had at the first attempt.
CREATE TABLE push_deliveries (
    scope_id        bigint      NOT NULL,
    notification_id uuid        NOT NULL,
    device_id       bigint      NOT NULL,
    token           text        NOT NULL,
    platform        text        NOT NULL CHECK (platform IN ('ios', 'android', 'web')),
    status          text        NOT NULL DEFAULT 'pending'
                                CHECK (status IN ('pending', 'sent', 'invalid', 'failed')),
    attempts        integer     NOT NULL DEFAULT 0,
    reason          text,
    provider_id     text,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (scope_id, notification_id, device_id),
    FOREIGN KEY (scope_id, notification_id) REFERENCES notifications ON DELETE CASCADE
);

-- Finds the deliveries that waited for a paused platform, when the pause ends. Most deliveries never have an entry in
-- this index: they are inserted with the outcome of their first attempt.
CREATE INDEX push_deliveries_pending ON push_deliveries (scope_id, notification_id) WHERE status = 'pending';

SELECT protect_by_scope('notifications');
SELECT protect_by_scope('notification_events');
SELECT protect_by_scope('notification_attachments');
SELECT protect_by_scope('push_deliveries');

GRANT SELECT, INSERT, UPDATE, DELETE ON notifications, push_deliveries TO :service_role;
GRANT SELECT, INSERT, DELETE ON notification_events, notification_attachments TO :service_role;
