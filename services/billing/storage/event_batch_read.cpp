#include "pg/row.hpp"
#include "pg/sql.hpp"
#include "storage/entitlement_rows.hpp"
#include "storage/event_batch.hpp"
#include "storage/subscriptions.hpp"

namespace billing::event_batch {

pg::Batch<std::vector<Subscription>> read_subscriptions(pg::BatchConnection& connection,
    pg::Scopes const& scopes, std::span<SubscriptionQuery const> queries, std::size_t limit)
{
    std::vector<pg::Param> const params{pg::column(queries, [](auto const& q) { return q.scope_id; }),
        pg::column(queries, [](auto const& q) { return q.subscription_id; }),
        pg::column(queries, [](auto const& q) { return q.user_id; }), limit};
    static constexpr auto sql = pg::sql<subscriptions::columns>(R"(
        WITH k AS MATERIALIZED (
            SELECT u.*, coalesce(u.named, o.user_id) AS user_id
            FROM unnest($1::bigint[], $2::text[], $3::text[]) WITH ORDINALITY AS u(
                scope_id, subject, named, place
            )
            LEFT JOIN LATERAL (
                SELECT x.user_id
                FROM payment_subscriptions x
                WHERE x.scope_id = u.scope_id AND x.subscription_id = u.subject
                LIMIT 1
            ) AS o
                ON true
        )
        SELECT k.place, {columns}
        FROM k
        CROSS JOIN LATERAL (
            (
                SELECT *
                FROM payment_subscriptions x
                WHERE x.scope_id = k.scope_id AND x.subscription_id = k.subject
                LIMIT 1
            )
            UNION ALL (
                SELECT *
                FROM payment_subscriptions x
                WHERE x.scope_id = k.scope_id AND x.user_id = k.user_id
                    AND x.subscription_id <> k.subject
                LIMIT $4::bigint
            )
            UNION ALL (
                SELECT y.*
                FROM (
                    SELECT *
                    FROM subscription_former_users x
                    WHERE x.scope_id = k.scope_id AND x.user_id = k.user_id
                        AND x.subscription_id <> k.subject
                    LIMIT $4::bigint
                ) AS f
                CROSS JOIN LATERAL (
                    SELECT *
                    FROM payment_subscriptions x
                    WHERE x.scope_id = k.scope_id AND x.subscription_id = f.subscription_id
                        AND x.user_id <> k.user_id
                    LIMIT 1
                ) AS y
            )
        ) AS s)");
    auto const result = co_await connection.run(scopes, sql, params);
    std::vector<std::vector<Subscription>> found(queries.size());
    for (auto const row : result) {
        pg::RowReader r(row);
        auto& list = found[static_cast<std::size_t>(r.integer() - 1)];
        list.push_back(subscriptions::read(r));
    }
    co_return found;
}

pg::Batch<State> read_state(
    pg::BatchConnection& connection, pg::Scopes const& scopes, std::span<StateQuery const> queries)
{
    auto const ids = [](StateQuery const& q) {
        return pg::column(q.entitlement_ids, [](core::Uuid const& id) { return id; }).text();
    };
    auto const users = [](StateQuery const& q) {
        auto const bytes = [](crypto::Digest const& hash) { return pg::Param::bytes(crypto::view(hash)); };
        return pg::column(q.users, bytes).text();
    };
    auto const references = [](StateQuery const& q) {
        return pg::column(q.references, [](std::string const& id) { return std::string_view(id); }).text();
    };
    std::vector<pg::Param> const params{pg::column(queries, [](auto const& q) { return q.scope_id; }),
        pg::column(queries, [](auto const& q) { return q.claim; }),
        pg::column(queries, [](auto const& q) { return q.waiting_claim; }), pg::column(queries, ids),
        pg::column(queries, [](auto const& q) { return q.erased_claim; }), pg::column(queries, users),
        pg::column(queries, [](auto const& q) { return q.mentioned_user; }), pg::column(queries, references)};
    static constexpr auto sql = pg::sql<entitlements::all_columns>(R"(
        SELECT k.place, c.yes IS NOT NULL, h.yes IS NOT NULL, a.yes IS NOT NULL,
            s.yes IS NOT NULL OR u.yes IS NOT NULL, m.yes IS NOT NULL, p.yes IS NOT NULL, {all_columns}
        FROM unnest(
            $1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::text[]
        ) WITH ORDINALITY
            AS k(scope_id, claim, waiting, ids, erased, users, mentioned, refs, place)
        LEFT JOIN LATERAL (
            SELECT true AS yes
            FROM event_claims x
            WHERE x.scope_id = k.scope_id AND x.claim = k.claim
            LIMIT 1
        ) AS c
            ON true
        LEFT JOIN LATERAL (
            SELECT true AS yes
            FROM webhooks x
            WHERE x.scope_id = k.scope_id AND x.enabled
            LIMIT 1
        ) AS h
            ON true
        LEFT JOIN LATERAL (
            SELECT true AS yes
            FROM event_claims x
            WHERE x.scope_id = k.scope_id AND x.claim = k.waiting
            LIMIT 1
        ) AS a
            ON true
        LEFT JOIN LATERAL (
            SELECT true AS yes
            FROM event_claims x
            WHERE x.scope_id = k.scope_id AND x.claim = k.erased
            LIMIT 1
        ) AS s
            ON true
        LEFT JOIN LATERAL (
            SELECT true AS yes
            FROM unnest(k.users::bytea[]) AS i(hash)
            CROSS JOIN LATERAL (
                SELECT
                FROM erased_users x
                WHERE x.user_hash = i.hash
                LIMIT 1
            ) AS found
            LIMIT 1
        ) AS u
            ON true
        LEFT JOIN LATERAL (
            SELECT true AS yes
            FROM event_users x
            WHERE x.scope_id = k.scope_id AND x.user_id = k.mentioned
            LIMIT 1
        ) AS m
            ON true
        LEFT JOIN LATERAL (
            SELECT true AS yes
            FROM unnest(k.refs::text[]) AS i(reference)
            CROSS JOIN LATERAL (
                SELECT
                FROM payment_references x
                WHERE x.scope_id = k.scope_id AND x.reference = i.reference
                LIMIT 1
            ) AS found
            LIMIT 1
        ) AS p
            ON true
        LEFT JOIN LATERAL (
            SELECT x.*
            FROM unnest(k.ids::uuid[]) AS i(id)
            CROSS JOIN LATERAL (
                SELECT *
                FROM entitlements y
                WHERE y.scope_id = k.scope_id AND y.entitlement_id = i.id
                LIMIT 1
            ) AS x
        ) AS e
            ON true)");
    auto const result = co_await connection.run(scopes, sql, params);
    std::vector<State> states(queries.size());
    for (auto const row : result) {
        pg::RowReader r(row);
        auto& state = states[static_cast<std::size_t>(r.integer() - 1)];
        state.is_claimed = r.boolean();
        state.has_webhook = r.boolean();
        state.has_history = r.boolean();
        state.has_erased = r.boolean();
        state.is_named = r.boolean();
        state.has_references = r.boolean();
        if (!r.is_null()) state.entitlements.push_back(entitlements::read_all(r));
    }
    co_return states;
}

} // namespace billing::event_batch
