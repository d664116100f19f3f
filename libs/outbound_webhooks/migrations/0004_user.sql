-- The user whom the event is about, and another user whom it concerns (such as the assignee of a thread), so that the
-- erasure of a user finds the deliveries. `filed`: whether both columns are filled in. It is false for deliveries that
-- earlier versions wrote, before or during the upgrade. The erasure of a user files those of the scope first.
-- `rewritten`: the erasure of a user changed the payload. No response is stored any more, because an attempt may have sent
-- the payload before, and the receiver may return it.
ALTER TABLE webhook_deliveries
    ADD COLUMN IF NOT EXISTS user_id       text,
    ADD COLUMN IF NOT EXISTS other_user_id text,
    ADD COLUMN IF NOT EXISTS filed         boolean NOT NULL DEFAULT false,
    ADD COLUMN IF NOT EXISTS rewritten     boolean NOT NULL DEFAULT false;

-- Fills in the users of at most `max_rows` deliveries that are not filed. Returns their number. A payload that is not
-- valid as jsonb has no users: json allows U+0000, which jsonb does not. An author can also be an API key or the master
-- key.
CREATE FUNCTION file_webhook_deliveries(of_scope bigint, max_rows bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    delivery record;
    data     jsonb;
    done     bigint := 0;
BEGIN
    FOR delivery IN
        SELECT delivery_id, payload
        FROM webhook_deliveries
        WHERE scope_id = of_scope AND NOT filed
        ORDER BY delivery_id
        LIMIT max_rows
        FOR NO KEY UPDATE
    LOOP
        BEGIN
            data := delivery.payload::jsonb -> 'data';
        EXCEPTION WHEN OTHERS THEN
            data := NULL;
        END;
        UPDATE webhook_deliveries
        SET filed = true,
            user_id = coalesce(data ->> 'userId', data #>> '{entitlement,userId}', data #>> '{user,userId}',
                               CASE WHEN data ->> 'authorId' <> 'master' AND NOT starts_with(data ->> 'authorId', 'key:')
                                   THEN data ->> 'authorId' END,
                               CASE WHEN data ->> 'channel' IN ('email', 'push', 'sms') THEN data ->> 'to' END),
            other_user_id = data ->> 'assigneeId'
        WHERE scope_id = of_scope AND delivery_id = delivery.delivery_id;
        done := done + 1;
    END LOOP;
    RETURN done;
END
$$;

-- Replaces, in the data of an event, the value of each member whose name ends in `Id` and whose value is the user's id by
-- `pseudonym`, and sets the member with the same beginning and the end `Email` to null: `assigneeId`, `assigneeEmail`.
-- NULL: no member has the user's id.
CREATE FUNCTION replace_user_in_event(payload text, erased text, pseudonym text) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    document jsonb := payload;
    changed  boolean := false;
    member   text;
    email    text;
BEGIN
    FOR member IN SELECT key FROM jsonb_each_text(document -> 'data') WHERE key LIKE '%Id' AND value = erased LOOP
        document := jsonb_set(document, ARRAY['data', member], to_jsonb(pseudonym));
        email := left(member, -2) || 'Email';
        IF document -> 'data' ? email THEN
            document := jsonb_set(document, ARRAY['data', email], 'null');
        END IF;
        changed := true;
    END LOOP;
    RETURN CASE WHEN changed THEN document::text END;
END
$$;
