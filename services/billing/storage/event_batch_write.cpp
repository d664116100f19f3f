#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/entitlement_rows.hpp"
#include "storage/event_batch.hpp"
#include "storage/event_claims.hpp"
#include "storage/payment_references.hpp"
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
            for (std::size_t i = 0; i < event.entitlements.size(); ++i) {
                entitlements_.push_back({&event.entitlements[i], event.is_open[i]});
                entitlement_places_.push_back(place);
            }
            if (!event.unnamed_user.empty()) unnamed_places_.push_back(place);
            for (auto const& id : event.node.ids) {
                reference_places_.push_back(place);
                references_.push_back(id);
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
        add(reference_places_, same);
        add(references_, [](std::string const& id) { return std::string_view(id); });
        add(reference_places_,
            [&](std::size_t place) { return payment_references::to_json(events_[place]->node); });
        add(unnamed_places_, same);
        add(unnamed_places_,
            [&](std::size_t place) { return std::string_view(events_[place]->unnamed_user.text()); });
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
    std::vector<entitlements::Row> entitlements_;
    std::vector<std::string> references_;
    std::vector<core::UserId> filed_users_;
    std::vector<std::size_t> entitlement_places_, subscription_places_, user_places_, filed_places_,
        reference_places_, unnamed_places_;
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
            $39::bigint[], $40::boolean[], $41::uuid[], $42::uuid[], $43::uuid[], $44::text[],
            $45::text[], $46::text[], $47::text[], $48::text[], $49::text[], $50::text[],
            $51::timestamptz[], $52::text[]
        ) WITH ORDINALITY AS u(
            scope_id, is_first, waiting, archive_id, claim, provider, event_id, type, result, reason,
            user_id, subject, event_at, payload, ordinal
        )
        WHERE u.scope_id = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])
    ),
    changed AS MATERIALIZED (
        SELECT g.place
        FROM unnest($57::bigint[], $58::uuid[], $59::bigint[]) AS g(place, id, revision)
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
        FROM unnest($60::bigint[], $61::text[], $62::bigint[]) AS g(place, id, revision)
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
        FROM unnest($63::bigint[], $64::text[], $65::bigint[]) AS g(place, user_id, n)
        JOIN e ON e.place = g.place
        CROSS JOIN LATERAL (
            SELECT count(*) AS n
            FROM (
                SELECT
                FROM payment_subscriptions x
                WHERE x.scope_id = e.scope_id AND x.user_id = g.user_id
                UNION ALL
                SELECT
                FROM subscription_former_users x
                CROSS JOIN LATERAL (
                    SELECT
                    FROM payment_subscriptions y
                    WHERE y.scope_id = e.scope_id AND y.subscription_id = x.subscription_id
                        AND y.user_id <> g.user_id
                    LIMIT 1
                ) AS moved
                WHERE x.scope_id = e.scope_id AND x.user_id = g.user_id
            ) AS theirs
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
        UNION ALL
        SELECT g.place
        FROM unnest($68::bigint[], $69::text[]) AS g(place, reference)
        JOIN e ON e.place = g.place
        CROSS JOIN LATERAL (
            SELECT
            FROM payment_references x
            WHERE x.scope_id = e.scope_id AND x.reference = g.reference
            LIMIT 1
        ) AS those
        UNION ALL
        SELECT g.place
        FROM unnest($71::bigint[], $72::text[]) AS g(place, user_id)
        JOIN e ON e.place = g.place
        CROSS JOIN LATERAL (
            SELECT
            FROM event_users x
            WHERE x.scope_id = e.scope_id AND x.user_id = g.user_id
            LIMIT 1
        ) AS naming
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
        FROM unnest($66::bigint[], $67::text[]) AS u(place, user_id)
        JOIN taken t ON t.place = u.place
        CROSS JOIN n
    ),
    referenced AS (
        INSERT INTO payment_references (scope_id, reference, archive_id, received_at, node)
        SELECT t.scope_id, u.reference, t.archive_id, n.at, u.node::json
        FROM unnest($68::bigint[], $69::text[], $70::text[]) AS u(place, reference, node)
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
        FROM unnest($53::bigint[], $54::text[], $55::text[], $56::text[]) AS u(
            place, id, user_id, state
        )
        JOIN taken t ON t.place = u.place
        ON CONFLICT (scope_id, subscription_id) DO UPDATE SET user_id = excluded.user_id,
            state = excluded.state, revision = s.revision + 1, updated_at = clock_timestamp()
    ),
    w AS (
        SELECT t.scope_id, u.*
        FROM unnest({arrays}, $38::bigint[]) AS u({names}, place)
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
