#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/entitlement_rows.hpp"
#include "storage/event_batch.hpp"
#include "storage/event_claims.hpp"
#include "storage/subscriptions.hpp"

#include <string_view>

namespace billing::event_batch {

namespace {

/// The shared claim of the events that wait for the event's subscription. The first event of the subscription
/// requires that the claim is free. An event that waits inserts the claim.
std::optional<core::Uuid> waiting_claim_of(EventWrite const& event)
{
    bool const waits = event.row.outcome.reason == awaiting_subscription;
    if (!event.is_first && !waits) return std::nullopt;
    return event_claims::claim_of_waiting(*event.row.subscription_id);
}

/// Arrays for the statement below: the rows to write, and the revisions that must be unchanged. `place` is
/// the index of an event.
class WriteParams {
public:
    explicit WriteParams(std::span<EventWrite const* const> events) : events_(events)
    {
        for (std::size_t place = 0; place < events.size(); ++place) {
            auto const& event = *events[place];
            for (auto const& entitlement : event.entitlements) {
                entitlements_.push_back(entitlement);
                entitlement_places_.push_back(place);
            }
            if (event.subscription) subscription_places_.push_back(place);
            for (auto const& [id, revision] : event.entitlement_revisions)
                entitlement_revisions_.push_back({place, id, revision});
            for (auto const& [id, revision] : event.subscription_revisions)
                subscription_revisions_.push_back({place, id, revision});
            if (!event.user_id.empty()) user_places_.push_back(place);
            for (auto& user : event_archive::other_users(event.row)) {
                filed_users_.push_back(std::move(user));
                filed_places_.push_back(place);
            }
        }
    }

    std::vector<pg::Param> params() const
    {
        auto params = entitlements::params(entitlements_);
        auto const add = [&](auto const& rows, auto const& member) {
            params.push_back(pg::column(rows, member));
        };
        auto const same = [](std::size_t place) { return place; };
        add(entitlement_places_, same);
        add_events(params);
        add(subscription_places_, same);
        add(subscription_places_, [&](std::size_t place) { return subscription(place).id; });
        add(subscription_places_, [&](std::size_t place) { return subscription(place).user_id; });
        add(subscription_places_,
            [&](std::size_t place) { return subscriptions::to_json(subscription(place)); });
        add(entitlement_revisions_, [](auto const& r) { return r.place; });
        add(entitlement_revisions_, [](auto const& r) { return r.id; });
        add(entitlement_revisions_, [](auto const& r) { return r.revision; });
        add(subscription_revisions_, [](auto const& r) { return r.place; });
        add(subscription_revisions_, [](auto const& r) { return std::string_view(r.id); });
        add(subscription_revisions_, [](auto const& r) { return r.revision; });
        add(user_places_, same);
        add(user_places_,
            [&](std::size_t place) { return std::string_view(events_[place]->user_id.text()); });
        add(user_places_, [&](std::size_t place) { return events_[place]->subscription_count; });
        add(filed_places_, same);
        add(filed_users_, [](core::UserId const& user) { return std::string_view(user.text()); });
        return params;
    }

private:
    /// The revision of a row that the event at `place` depends on.
    template <class Id> struct Revision {
        std::size_t place;
        Id id;
        std::int64_t revision;
    };

    Subscription const& subscription(std::size_t place) const { return *events_[place]->subscription; }

    void add_events(std::vector<pg::Param>& params) const
    {
        auto const add = [&](auto const& member) { params.push_back(pg::column(events_, member)); };
        auto const of_row = [&](auto const& member) {
            add([&](EventWrite const* event) { return pg::Param(member(event->row)); });
        };
        using Row = event_archive::NewEvent;
        add([](EventWrite const* event) { return event->scope_id; });
        add([](EventWrite const* event) { return event->is_first; });
        add([](EventWrite const* event) { return waiting_claim_of(*event); });
        of_row([](Row const& r) { return r.archive_id; });
        of_row([](Row const& r) { return r.claim; });
        of_row([](Row const& r) { return to_string(r.provider); });
        of_row([](Row const& r) { return r.event_id; });
        of_row([](Row const& r) { return r.type; });
        of_row([](Row const& r) { return to_string(r.outcome.result); });
        of_row([](Row const& r) { return r.outcome.stored_reason(); });
        of_row([](Row const& r) { return r.user_id; });
        of_row([](Row const& r) { return r.subscription_id; });
        of_row([](Row const& r) { return r.event_at; });
        of_row([](Row const& r) { return r.payload; });
    }

    std::span<EventWrite const* const> events_;
    std::vector<Entitlement> entitlements_;
    std::vector<core::UserId> filed_users_;
    std::vector<std::size_t> entitlement_places_, subscription_places_, user_places_, filed_places_;
    std::vector<Revision<core::Uuid>> entitlement_revisions_;
    std::vector<Revision<std::string>> subscription_revisions_;
};

// In this statement, the index `place` of an event counts from 0. The statement checks the conditions for
// writing an event (event_batch.hpp) under the scope's lock.
constexpr auto write_sql = pg::sql<entitlements::arrays, entitlements::names, entitlements::insert_rows,
    entitlements::on_conflict_replace>(R"(
    WITH n AS MATERIALIZED (SELECT clock_timestamp() AS at),
    e AS MATERIALIZED (
        SELECT u.*, u.ordinal - 1 AS place
        FROM unnest(
            $23::bigint[], $24::boolean[], $25::uuid[], $26::uuid[], $27::uuid[], $28::text[],
            $29::text[], $30::text[], $31::text[], $32::text[], $33::text[], $34::text[],
            $35::timestamptz[], $36::text[]
        ) WITH ORDINALITY AS u(
            scope_id, is_first, waiting, archive_id, claim, provider, event_id, type, result, reason,
            user_id, subject, event_at, payload, ordinal
        )
        WHERE u.scope_id = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])
    ),
    changed AS MATERIALIZED (
        SELECT g.place
        FROM unnest($41::bigint[], $42::uuid[], $43::bigint[]) AS g(place, id, revision)
        JOIN e ON e.place = g.place
        LEFT JOIN LATERAL (
            SELECT x.revision
            FROM entitlements x
            WHERE x.scope_id = e.scope_id AND x.entitlement_id = g.id
            LIMIT 1
        ) AS now
            ON true
        WHERE coalesce(now.revision, 0) <> g.revision
        UNION ALL
        SELECT g.place
        FROM unnest($44::bigint[], $45::text[], $46::bigint[]) AS g(place, id, revision)
        JOIN e ON e.place = g.place
        LEFT JOIN LATERAL (
            SELECT x.revision
            FROM payment_subscriptions x
            WHERE x.scope_id = e.scope_id AND x.subscription_id = g.id
            LIMIT 1
        ) AS now
            ON true
        WHERE coalesce(now.revision, 0) <> g.revision
        UNION ALL
        SELECT g.place
        FROM unnest($47::bigint[], $48::text[], $49::bigint[]) AS g(place, user_id, n)
        JOIN e ON e.place = g.place
        CROSS JOIN LATERAL (
            SELECT count(*) AS n
            FROM payment_subscriptions x
            WHERE x.scope_id = e.scope_id AND x.user_id = g.user_id
        ) AS now
        WHERE now.n <> g.n
        UNION ALL
        SELECT e.place
        FROM e
        CROSS JOIN LATERAL (
            SELECT
            FROM event_claims x
            WHERE x.scope_id = e.scope_id AND x.claim = e.waiting
            LIMIT 1
        ) AS those
        WHERE e.is_first
        UNION ALL
        SELECT e.place
        FROM e
        CROSS JOIN LATERAL (
            SELECT
            FROM webhooks x
            WHERE x.scope_id = e.scope_id AND x.enabled
            LIMIT 1
        ) AS listening
    ),
    claimed AS (
        INSERT INTO event_claims (scope_id, claim, archive_id, received_at)
        SELECT e.scope_id, e.claim, e.archive_id, n.at
        FROM e, n
        WHERE e.place NOT IN (SELECT place FROM changed)
        ON CONFLICT DO NOTHING
        RETURNING archive_id
    ),
    taken AS MATERIALIZED (SELECT e.* FROM e JOIN claimed USING (archive_id)),
    archived AS (
        INSERT INTO events (
            scope_id, received_at, archive_id, provider, event_id, type, result, reason, user_id,
            subject, event_at, payload, is_filed
        )
        SELECT t.scope_id, n.at, t.archive_id, t.provider, t.event_id, t.type, t.result, t.reason,
            t.user_id, t.subject, t.event_at, t.payload, true
        FROM taken t, n
    ),
    filed AS (
        INSERT INTO event_users (scope_id, user_id, received_at, archive_id)
        SELECT t.scope_id, u.user_id, n.at, t.archive_id
        FROM unnest($50::bigint[], $51::text[]) AS u(place, user_id)
        JOIN taken t ON t.place = u.place
        CROSS JOIN n
    ),
    waits AS (
        INSERT INTO event_claims (scope_id, claim, archive_id, received_at)
        SELECT t.scope_id, t.waiting, t.archive_id, n.at
        FROM taken t, n
        WHERE t.waiting IS NOT NULL AND NOT t.is_first
        ON CONFLICT (scope_id, claim) DO UPDATE SET archive_id = excluded.archive_id,
            received_at = excluded.received_at
    ),
    subscribed AS (
        INSERT INTO payment_subscriptions AS s (scope_id, subscription_id, user_id, state, revision)
        SELECT t.scope_id, u.id, u.user_id, u.state::json, 1
        FROM unnest($37::bigint[], $38::text[], $39::text[], $40::text[]) AS u(
            place, id, user_id, state
        )
        JOIN taken t ON t.place = u.place
        ON CONFLICT (scope_id, subscription_id) DO UPDATE SET user_id = excluded.user_id,
            state = excluded.state, revision = s.revision + 1
    ),
    w AS (
        SELECT t.scope_id, u.*
        FROM unnest({arrays}, $22::bigint[]) AS u({names}, place)
        JOIN taken t ON t.place = u.place
    ),
    entitled AS (
        {insert_rows}
        FROM w, n
        WHERE true
        {on_conflict_replace}
    )
    SELECT place
    FROM taken)");

pg::Scopes scopes_of(std::span<EventWrite const* const> events)
{
    std::vector<core::ScopeId> ids;
    for (auto const* event : events)
        ids.push_back(event->scope_id);
    return pg::Scopes::distinct(std::move(ids));
}

} // namespace

pg::Batch<bool> write(pg::BatchConnection& connection, std::span<EventWrite const* const> events)
{
    auto const params = WriteParams(events).params();
    auto const result = co_await connection.run_with_scope_locks(scopes_of(events), write_sql, params);
    std::vector<bool> written(events.size());
    for (auto const row : result) {
        pg::RowReader r(row);
        written[static_cast<std::size_t>(r.integer())] = true;
    }
    co_return written;
}

} // namespace billing::event_batch
