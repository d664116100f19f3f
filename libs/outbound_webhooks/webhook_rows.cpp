#include "outbound_webhooks/webhook_rows.hpp"

#include "outbound_webhooks/outbound_webhooks.hpp"
#include "pg/row.hpp"

namespace outbound_webhooks::store {

namespace {

Webhook read_webhook(pg::RowReader& r)
{
    Webhook w;
    w.id = r.uuid();
    w.url = r.text();
    w.events = r.texts();
    w.description = r.optional_text();
    w.enabled = r.boolean();
    w.disabled_reason = r.optional_text();
    w.version = r.integer();
    w.created_at = r.time();
    w.updated_at = r.time();
    return w;
}

Delivery read_delivery(pg::RowReader& r)
{
    Delivery d;
    d.id = r.uuid();
    d.webhook_id = r.uuid();
    d.event_type = r.text();
    d.status = r.text();
    d.attempts = r.integer();
    d.next_attempt_at = r.optional_time();
    d.last_status = r.optional_integer();
    d.last_error = r.optional_text();
    d.response_excerpt = r.optional_text();
    d.created_at = r.time();
    d.delivered_at = r.optional_time();
    return d;
}

} // namespace

std::string secret_aad(core::ScopeId scope_id, core::Uuid const& webhook_id)
{
    return "webhooks.secret/" + core::to_string(scope_id) + '/' + webhook_id.to_string();
}

std::int64_t count(pg::Tx& tx, core::ScopeId scope_id)
{
    auto const rows = tx.run("SELECT count(*) FROM webhooks WHERE scope_id = $1", {scope_id});
    return pg::RowReader(rows[0]).integer();
}

void insert(pg::Tx& tx, core::ScopeId scope_id, Webhook const& w, std::string const& sealed_secret)
{
    tx.run(R"(
        INSERT INTO webhooks (scope_id, webhook_id, url, events, description, enabled, disabled_reason, version,
                              created_at, updated_at, secret)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11))",
        {scope_id, w.id, w.url, w.events, w.description, w.enabled, w.disabled_reason, w.version,
            w.created_at, w.updated_at, sealed_secret});
}

std::optional<Webhook> find(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    auto const rows = tx.run(R"(
        SELECT webhook_id, url, events, description, enabled, disabled_reason, version, created_at, updated_at
        FROM webhooks WHERE scope_id = $1 AND webhook_id = $2)",
        {scope_id, id});
    return pg::read_first(rows, read_webhook);
}

std::optional<Webhook> find_for_update(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    auto const rows = tx.run(R"(
        SELECT webhook_id, url, events, description, enabled, disabled_reason, version, created_at, updated_at
        FROM webhooks WHERE scope_id = $1 AND webhook_id = $2 FOR NO KEY UPDATE)",
        {scope_id, id});
    return pg::read_first(rows, read_webhook);
}

std::vector<Webhook> list(
    pg::Tx& tx, core::ScopeId scope_id, std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT webhook_id, url, events, description, enabled, disabled_reason, version, created_at, updated_at
        FROM webhooks
        WHERE scope_id = $1 AND (created_at, webhook_id) < ($2::timestamptz, $3::uuid)
        ORDER BY created_at DESC, webhook_id DESC
        LIMIT $4::bigint)",
        {scope_id, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(rows, read_webhook);
}

void update(pg::Tx& tx, core::ScopeId scope_id, Webhook const& w)
{
    tx.run(R"(
        UPDATE webhooks
        SET url = $3, events = $4, description = $5, enabled = $6, disabled_reason = $7, version = $8,
            updated_at = $9
        WHERE scope_id = $1 AND webhook_id = $2)",
        {scope_id, w.id, w.url, w.events, w.description, w.enabled, w.disabled_reason, w.version,
            w.updated_at});
}

bool remove(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& id)
{
    auto const gone = tx.run("DELETE FROM webhooks WHERE scope_id = $1 AND webhook_id = $2", {scope_id, id})
                          .affected_rows();
    if (gone == 0) return false;
    tx.run("DELETE FROM webhook_deliveries WHERE scope_id = $1 AND webhook_id = $2", {scope_id, id});
    return true;
}

void replace_secret(pg::Tx& tx, core::ScopeId scope_id, Webhook const& w, std::string const& sealed_secret,
    core::Time previous_until)
{
    tx.run(R"(
        UPDATE webhooks
        SET previous_secret = secret, previous_until = $4, secret = $3, version = $5, updated_at = $6
        WHERE scope_id = $1 AND webhook_id = $2)",
        {scope_id, w.id, sealed_secret, previous_until, w.version, w.updated_at});
}

bool any_enabled(pg::Tx& tx, core::ScopeId scope_id)
{
    auto const rows =
        tx.run("SELECT EXISTS (SELECT FROM webhooks WHERE scope_id = $1 AND enabled)", {scope_id});
    return pg::RowReader(rows[0]).boolean();
}

std::set<core::ScopeId> with_enabled(pg::Tx& tx, std::span<core::ScopeId const> scopes)
{
    auto const rows = tx.run(
        "SELECT DISTINCT scope_id FROM webhooks WHERE scope_id = ANY ($1::bigint[]) AND enabled", {scopes});
    std::set<core::ScopeId> enabled;
    for (auto const& row : rows)
        enabled.insert(pg::RowReader(row).scope_id());
    return enabled;
}

std::size_t insert_deliveries(pg::Tx& tx, std::span<Event const> events)
{
    auto const column = [events](auto member) {
        return pg::column(events, [&](Event const& e) { return pg::Param(e.*member); });
    };
    // A delivery is created after all earlier deliveries of its webhook, so that lists keep their order.
    auto const rows = tx.run(R"(
        WITH events AS MATERIALIZED (
            SELECT *
            FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[],
                        $7::text[], $8::text[]) WITH ORDINALITY
                AS e (scope_id, type, payload, at, expires_at, traceparent, user_id, other_user_id, place)
        ), inserted AS (
            INSERT INTO webhook_deliveries (scope_id, delivery_id, webhook_id, event_type, payload, next_attempt_at,
                                            expires_at, traceparent, user_id, other_user_id, filed, created_at)
            SELECT e.scope_id, gen_random_uuid(), w.webhook_id, e.type, e.payload, e.at, e.expires_at,
                   nullif(e.traceparent, ''), nullif(e.user_id, ''), nullif(e.other_user_id, ''), true,
                   greatest(e.at, (SELECT max(d.created_at) + interval '1 microsecond' FROM webhook_deliveries d
                                   WHERE d.scope_id = e.scope_id AND d.webhook_id = w.webhook_id))
                   + (row_number() OVER (PARTITION BY e.scope_id, w.webhook_id ORDER BY e.place) - 1)
                     * interval '1 microsecond'
            FROM events e
            JOIN webhooks w ON w.scope_id = e.scope_id AND w.enabled AND (w.events = '{}' OR e.type = ANY (w.events))
            RETURNING scope_id, delivery_id
        )
        SELECT count(*), enqueue_jobs($9, array_agg(scope_id), array_agg(delivery_id),
                                      array_agg(NULL::timestamptz))
        FROM inserted
        HAVING count(*) > 0)",
        {column(&Event::scope_id), column(&Event::type), column(&Event::payload), column(&Event::at),
            column(&Event::expires_at), column(&Event::traceparent), column(&Event::user_id),
            column(&Event::other_user_id), queue});
    return rows.empty() ? 0 : static_cast<std::size_t>(pg::RowReader(rows[0]).integer());
}

std::vector<Delivery> list_deliveries(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& webhook_id,
    std::optional<std::string_view> status, std::optional<paging::Position> const& after, std::size_t limit)
{
    auto const rows = tx.run(R"(
        SELECT delivery_id, webhook_id, event_type, status, attempts, next_attempt_at, last_status, last_error,
               response_excerpt, created_at, delivered_at
        FROM webhook_deliveries
        WHERE scope_id = $1 AND webhook_id = $2 AND ($3::text IS NULL OR status = $3)
          AND (created_at, delivery_id) < ($4::timestamptz, $5::uuid)
        ORDER BY created_at DESC, delivery_id DESC
        LIMIT $6::bigint)",
        {scope_id, webhook_id, status, paging::time_of(after), paging::id_of(after), limit});
    return pg::read_rows(rows, read_delivery);
}

std::optional<Delivery> find_delivery(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& webhook_id, core::Uuid const& delivery_id)
{
    auto const rows = tx.run(R"(
        SELECT delivery_id, webhook_id, event_type, status, attempts, next_attempt_at, last_status, last_error,
               response_excerpt, created_at, delivered_at, payload
        FROM webhook_deliveries
        WHERE scope_id = $1 AND webhook_id = $2 AND delivery_id = $3)",
        {scope_id, webhook_id, delivery_id});
    return pg::read_first(rows, [](pg::RowReader& r) {
        Delivery delivery = read_delivery(r);
        delivery.payload = r.text();
        return delivery;
    });
}

std::optional<Delivery> reopen_delivery(pg::Tx& tx, core::ScopeId scope_id, core::Uuid const& webhook_id,
    core::Uuid const& delivery_id, core::Time now, core::Time expires_at)
{
    auto const rows = tx.run(R"(
        UPDATE webhook_deliveries
        SET status = 'pending', next_attempt_at = $4, expires_at = $5, delivered_at = NULL
        WHERE scope_id = $1 AND webhook_id = $2 AND delivery_id = $3
        RETURNING delivery_id, webhook_id, event_type, status, attempts, next_attempt_at, last_status, last_error,
                  response_excerpt, created_at, delivered_at)",
        {scope_id, webhook_id, delivery_id, now, expires_at});
    return pg::read_first(rows, read_delivery);
}

std::size_t file_deliveries(pg::Tx& tx, core::ScopeId scope_id, std::size_t limit)
{
    auto const rows = tx.run("SELECT file_webhook_deliveries($1, $2)", {scope_id, limit});
    return static_cast<std::size_t>(pg::RowReader(rows[0]).integer());
}

// The job of a deleted delivery ends by itself.

std::size_t erase_deliveries_of(
    pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id, std::size_t limit)
{
    auto const rows = tx.run(R"(
        WITH gone AS (
            DELETE FROM webhook_deliveries
            WHERE scope_id = $1 AND delivery_id = ANY (ARRAY(
                SELECT delivery_id FROM webhook_deliveries WHERE scope_id = $1 AND user_id = $2 LIMIT $3::bigint))
            RETURNING delivery_id
        ), dead AS (
            DELETE FROM dead_jobs
            WHERE scope_id = $1 AND queue = $4 AND ref = ANY (ARRAY(SELECT delivery_id FROM gone))
        )
        SELECT count(*) FROM gone)",
        {scope_id, user_id, limit, queue});
    return static_cast<std::size_t>(pg::RowReader(rows[0]).integer());
}

std::size_t erase_from_deliveries(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    std::string_view pseudonym, std::size_t limit)
{
    auto const rows = tx.run(R"(
        WITH found AS (
            SELECT delivery_id, replace_user_in_event(payload, $2, $3) AS payload
            FROM webhook_deliveries
            WHERE scope_id = $1 AND other_user_id = $2
            LIMIT $4::bigint
        ), gone AS (
            DELETE FROM webhook_deliveries
            WHERE scope_id = $1 AND delivery_id = ANY (ARRAY(SELECT delivery_id FROM found WHERE payload IS NULL))
        ), dead AS (
            DELETE FROM dead_jobs
            WHERE scope_id = $1 AND queue = $5
              AND ref = ANY (ARRAY(SELECT delivery_id FROM found WHERE payload IS NULL))
        ), changed AS (
            UPDATE webhook_deliveries d
            SET payload = found.payload, other_user_id = NULL, response_excerpt = NULL, rewritten = true
            FROM found
            WHERE d.scope_id = $1 AND d.delivery_id = found.delivery_id AND found.payload IS NOT NULL
        )
        SELECT count(*) FROM found)",
        {scope_id, user_id, pseudonym, limit, queue});
    return static_cast<std::size_t>(pg::RowReader(rows[0]).integer());
}

} // namespace outbound_webhooks::store
