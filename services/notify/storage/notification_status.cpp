#include "storage/notification_status.hpp"

#include "domain/status.hpp"
#include "jobs/queue.hpp"
#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "pg/uuids.hpp"
#include "storage/keys.hpp"
#include "storage/notification_rows.hpp"
#include "storage/webhook_events.hpp"

#include <map>

namespace notify::notifications {

namespace {

using QueuesById = std::map<core::Uuid, std::vector<std::string>>;

/// Withdraws the jobs of the queued notifications, and returns the queues of the withdrawn jobs. If a worker
/// has begun a job of a notification, none of the notification's jobs is withdrawn. Before that worker writes
/// the outcome, it locks the notification and sees the new status.
QueuesById withdraw_queued(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids)
{
    auto const queued = tx.run(R"(
        SELECT notification_id, channel
        FROM notifications
        WHERE scope_id = $1 AND notification_id = ANY ($2::uuid[]) AND status = 'queued'
        ORDER BY notification_id)",
        {scope_id, pg::uuids(ids)});
    QueuesById withdrawn;
    for (auto const& row : queued) {
        pg::RowReader r(row);
        core::Uuid const id = r.uuid();
        auto queues = jobs::withdraw(tx, queues_of(r.one_of<Channel>()), scope_id, id);
        if (!queues.empty()) withdrawn.emplace(id, std::move(queues));
    }
    return withdrawn;
}

void write(pg::Tx& tx, std::span<StatusChange const> changes)
{
    auto const column = [changes](auto member) {
        return pg::column(changes, [&](StatusChange const& c) { return member(c.notification); });
    };
    std::vector<pg::Param> const params{pg::column(changes, [](StatusChange const& c) { return c.scope_id; }),
        column([](Notification const& n) { return n.id; }),
        column([](Notification const& n) { return to_string(n.status); }),
        column([](Notification const& n) { return n.failure_reason; }),
        column([](Notification const& n) { return n.attempts; }),
        column([](Notification const& n) { return n.provider_id; }),
        column([](Notification const& n) { return n.attempt_token; }),
        column([](Notification const& n) { return n.sent_at; }),
        column([](Notification const& n) { return n.delivered_at; }),
        column([](Notification const& n) { return n.opened_at; }),
        column([](Notification const& n) { return n.failed_at; }),
        pg::column(changes, [](StatusChange const& c) { return c.at; }),
        pg::column(changes, [](StatusChange const& c) { return c.detail; })};
    tx.run(R"(
        WITH m AS (
            SELECT *
            FROM unnest(
                $1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::uuid[],
                $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[],
                $12::timestamptz[], $13::text[]
            ) AS m(
                scope_id, id, status, reason, attempts, provider_id, attempt_token, sent_at, delivered_at, opened_at,
                failed_at, at, detail
            )
        ),
        updated AS (
            UPDATE notifications n
            SET status = m.status, failure_reason = m.reason, attempts = m.attempts,
                provider_id = m.provider_id, attempt_token = m.attempt_token, sent_at = m.sent_at,
                delivered_at = m.delivered_at, opened_at = m.opened_at, failed_at = m.failed_at
            FROM m
            WHERE n.scope_id = m.scope_id AND n.notification_id = m.id
        ),
        files AS (
            DELETE FROM notification_attachments f
            USING m
            WHERE m.status <> 'failed' AND f.scope_id = m.scope_id AND f.notification_id = m.id
                AND f.content IS NOT NULL
        )
        INSERT INTO notification_events (scope_id, notification_id, place, status, at, detail)
        SELECT m.scope_id, m.id,
            1 + coalesce(
                (
                    SELECT max(e.place)
                    FROM notification_events e
                    WHERE e.scope_id = m.scope_id AND e.notification_id = m.id
                ),
                0
            ),
            m.status, m.at, m.detail
        FROM m)",
        params);
}

} // namespace

std::vector<Notification> lock(pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM notifications n
        WHERE n.scope_id = $1 AND n.notification_id = ANY ($2::uuid[])
        ORDER BY n.notification_id
        FOR NO KEY UPDATE)"),
        {scope_id, pg::uuids(ids)});
    return pg::read_rows(result, read);
}

std::map<Key, Notification> lock(pg::Tx& tx, std::span<Key const> keys)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT n.scope_id, {columns}
        FROM notifications n
        JOIN unnest($1::bigint[], $2::uuid[]) AS k(scope_id, notification_id)
            ON n.scope_id = k.scope_id AND n.notification_id = k.notification_id
        ORDER BY n.scope_id, n.notification_id
        FOR NO KEY UPDATE OF n)"),
        {scope_column(keys), id_column(keys)});
    std::map<Key, Notification> locked;
    for (auto const& row : result) {
        pg::RowReader r(row);
        auto const scope_id = r.scope_id();
        auto n = read(r);
        Key const key{scope_id, n.id};
        locked.emplace(key, std::move(n));
    }
    return locked;
}

std::optional<Notification> lock(pg::Tx& tx, core::ScopeId scope_id, core::Uuid id)
{
    auto found = lock(tx, scope_id, std::span(&id, 1));
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::optional<Notification> lock_if_queued_at(
    pg::Tx& tx, core::ScopeId scope_id, core::Uuid id, core::Time queued_at)
{
    auto n = lock(tx, scope_id, id);
    return n && n->queued_at == queued_at ? std::move(n) : std::nullopt;
}

std::vector<Notification> withdraw_and_lock(
    pg::Tx& tx, core::ScopeId scope_id, std::span<core::Uuid const> ids)
{
    auto const withdrawn = withdraw_queued(tx, scope_id, ids);
    auto locked = lock(tx, scope_id, ids);
    for (auto const& n : locked) {
        // If a worker set the push to `sent` before the job was withdrawn, the job is enqueued again. It
        // sends the push to the remaining devices.
        auto const it = withdrawn.find(n.id);
        if (n.status != Status::sent || it == withdrawn.end()) continue;
        for (auto const& queue : it->second)
            jobs::enqueue(tx, queue, scope_id, n.id, n.send_at);
    }
    return locked;
}

std::vector<Notification> change_statuses(pg::Tx& tx, std::vector<StatusChange> changes, core::Time now)
{
    std::erase_if(
        changes, [](StatusChange& c) { return !advance(c.notification, c.to, c.detail.value_or(""), c.at); });
    if (changes.empty()) return {};
    write(tx, changes);
    std::vector<webhook_events::Changed> published;
    published.reserve(changes.size());
    for (auto const& c : changes)
        published.push_back({c.scope_id, c.notification});
    webhook_events::publish(tx, published, now);
    std::vector<Notification> changed;
    changed.reserve(changes.size());
    for (auto& c : changes)
        changed.push_back(std::move(c.notification));
    return changed;
}

bool change_status(pg::Tx& tx, core::ScopeId scope_id, Notification& n, Status to,
    std::optional<std::string> const& detail, core::Time now)
{
    auto changed = change_statuses(tx, {StatusChange{scope_id, n, to, detail, now}}, now);
    if (changed.empty()) return false;
    n = std::move(changed.front());
    return true;
}

void update_progress(pg::Tx& tx, std::span<Progress const> all)
{
    if (all.empty()) return;
    tx.run(R"(
        UPDATE notifications n
        SET attempts = m.attempts, provider_id = m.provider_id, attempt_token = m.attempt_token
        FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::uuid[])
            AS m(scope_id, id, attempts, provider_id, attempt_token)
        WHERE n.scope_id = m.scope_id AND n.notification_id = m.id)",
        {pg::column(all, [](Progress const& p) { return p.scope_id; }),
            pg::column(all, [](Progress const& p) { return pg::Param(p.notification.id); }),
            pg::column(all, [](Progress const& p) { return p.notification.attempts; }),
            pg::column(all, [](Progress const& p) { return p.notification.provider_id; }),
            pg::column(all, [](Progress const& p) { return p.notification.attempt_token; })});
}

void update_progress(pg::Tx& tx, core::ScopeId scope_id, Notification const& n)
{
    Progress const one{scope_id, n};
    update_progress(tx, {&one, 1});
}

std::optional<Notification> enqueue_and_lock(pg::Tx& tx, core::ScopeId scope_id, Notification const& n)
{
    jobs::enqueue(tx, queue_of(n.channel), scope_id, n.id, n.send_at);
    return lock(tx, scope_id, n.id);
}

void requeue(pg::Tx& tx, core::ScopeId scope_id, Notification& n, core::Time now)
{
    // The new `queued_at` is later than the old value, even if the clock went back, because `queued_at`
    // distinguishes one cycle of retries from the next.
    core::Time const at = std::max(now, n.queued_at + std::chrono::microseconds(1));
    tx.run(R"(
        WITH devices AS (DELETE FROM push_deliveries WHERE scope_id = $1 AND notification_id = $2),
        updated AS (
            UPDATE notifications
            SET status = 'queued', failure_reason = NULL, attempts = 0, provider_id = NULL,
                attempt_token = NULL, queued_at = $3, sent_at = NULL, failed_at = NULL
            WHERE scope_id = $1 AND notification_id = $2
        )
        INSERT INTO notification_events (scope_id, notification_id, place, status, at)
        SELECT $1, $2, 1 + coalesce(max(place), 0), 'queued', $3
        FROM notification_events
        WHERE scope_id = $1 AND notification_id = $2)",
        {scope_id, n.id, at});
    n.status = Status::queued;
    n.failure_reason.reset();
    n.attempts = 0;
    n.provider_id.reset();
    n.attempt_token.reset();
    n.queued_at = at;
    n.sent_at.reset();
    n.failed_at.reset();
}

} // namespace notify::notifications
