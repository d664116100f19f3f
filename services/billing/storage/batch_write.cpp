#include "pg/row.hpp"
#include "storage/batch.hpp"
#include "storage/entitlement_rows.hpp"
#include "storage/subscriptions.hpp"

#include <set>

namespace billing::apply {

namespace {

/// The shared claim of the events that wait for the event's subscription (`claim_of_waiting`). The first
/// event of the subscription requires that the claim is free. An event that waits inserts the claim.
std::optional<core::Uuid> claim_of_waiting(Plan const& plan)
{
    bool const waits = plan.row.outcome.reason == archive::awaiting_subscription;
    if (!plan.is_first && !waits) return std::nullopt;
    return archive::claim_of_waiting(*plan.row.subject);
}

/// Arrays for the statement below: the rows to write, and the revisions that must be unchanged.
class Written {
public:
    explicit Written(std::span<Step* const> steps) : steps_(steps)
    {
        for (std::size_t place = 0; place < steps.size(); ++place) {
            auto const& plan = *steps[place]->plan;
            for (auto const& entitlement : plan.writes) {
                entitlements_.push_back(entitlement);
                entitlement_places_.push_back(place);
            }
            if (plan.subscription) subscription_places_.push_back(place);
            for (auto const& [id, revision] : plan.entitlements)
                entitlement_guards_.push_back({place, id, {}, revision});
            for (auto const& [id, revision] : plan.subscriptions)
                subscription_guards_.push_back({place, {}, id, revision});
            if (!plan.user_id.empty()) user_places_.push_back(place);
        }
    }

    std::vector<pg::Param> params() const
    {
        auto params = entitlements::params(entitlements_);
        auto const add = [&](pg::Param param) { params.push_back(std::move(param)); };
        add(pg::column(entitlement_places_, [](std::size_t place) { return place; }));
        add_rows(params);
        add(pg::column(subscription_places_, [](std::size_t place) { return place; }));
        add(pg::column(subscription_places_, [&](std::size_t place) { return subscription(place).id; }));
        add(pg::column(subscription_places_, [&](std::size_t place) { return subscription(place).user_id; }));
        add(pg::column(subscription_places_,
            [&](std::size_t place) { return subscriptions::to_json(subscription(place)); }));
        add(pg::column(entitlement_guards_, [](Guard const& g) { return g.place; }));
        add(pg::column(entitlement_guards_, [](Guard const& g) { return g.entitlement_id; }));
        add(pg::column(entitlement_guards_, [](Guard const& g) { return g.revision; }));
        add(pg::column(subscription_guards_, [](Guard const& g) { return g.place; }));
        add(pg::column(
            subscription_guards_, [](Guard const& g) { return std::string_view(g.subscription_id); }));
        add(pg::column(subscription_guards_, [](Guard const& g) { return g.revision; }));
        add(pg::column(user_places_, [](std::size_t place) { return place; }));
        add(pg::column(
            user_places_, [&](std::size_t place) { return std::string_view(plan_at(place).user_id); }));
        add(pg::column(user_places_, [&](std::size_t place) { return plan_at(place).count_of_user; }));
        return params;
    }

private:
    struct Guard {
        std::size_t place;
        core::Uuid entitlement_id;
        std::string subscription_id;
        std::int64_t revision;
    };

    Plan const& plan_at(std::size_t place) const { return *steps_[place]->plan; }

    Subscription const& subscription(std::size_t place) const { return *plan_at(place).subscription; }

    void add_rows(std::vector<pg::Param>& params) const
    {
        auto const add = [&](auto const& member) { params.push_back(pg::column(steps_, member)); };
        auto const of_row = [&](auto const& member) {
            add([&](Step const* step) { return pg::Param(member(step->plan->row)); });
        };
        add([](Step const* step) { return step->scope_id(); });
        add([](Step const* step) { return step->plan->is_first; });
        add([](Step const* step) { return claim_of_waiting(*step->plan); });
        of_row([](archive::Row const& r) { return r.archive_id; });
        of_row([](archive::Row const& r) { return r.claim; });
        of_row([](archive::Row const& r) { return to_string(r.provider); });
        of_row([](archive::Row const& r) { return r.event_id; });
        of_row([](archive::Row const& r) { return r.type; });
        of_row([](archive::Row const& r) { return to_string(r.outcome.result); });
        of_row([](archive::Row const& r) {
            return r.outcome.reason.empty() ? std::nullopt : std::optional(r.outcome.reason);
        });
        of_row([](archive::Row const& r) { return r.user_id; });
        of_row([](archive::Row const& r) { return r.subject; });
        of_row([](archive::Row const& r) { return r.event_at; });
        of_row([](archive::Row const& r) { return r.payload; });
    }

    std::span<Step* const> steps_;
    std::vector<Entitlement> entitlements_;
    std::vector<std::size_t> entitlement_places_, subscription_places_, user_places_;
    std::vector<Guard> entitlement_guards_, subscription_guards_;
};

// In this statement, the index `place` of an event counts from 0. Under the scope's lock, an event is written
// unless a row that it depends on has changed, the scope now has an enabled webhook, or its id is claimed.
constexpr std::string_view write_sql =
    "WITH n AS MATERIALIZED (SELECT clock_timestamp() AS at), "
    "e AS MATERIALIZED (SELECT u.*, u.ordinal - 1 AS place FROM unnest($23::bigint[], $24::boolean[], "
    "$25::uuid[], $26::uuid[], $27::uuid[], $28::text[], $29::text[], $30::text[], $31::text[], $32::text[], "
    "$33::text[], "
    "$34::text[], $35::timestamptz[], $36::text[]) WITH ORDINALITY AS u(scope_id, is_first, waiting, "
    "archive_id, "
    "claim, "
    "provider, event_id, type, result, reason, user_id, subject, event_at, payload, ordinal) "
    "WHERE u.scope_id = ANY (string_to_array(current_setting('app.scopes'), ',')::bigint[])), "
    "changed AS MATERIALIZED ("
    "SELECT g.place FROM unnest($41::bigint[], $42::uuid[], $43::bigint[]) AS g(place, id, revision) "
    "JOIN e ON e.place = g.place LEFT JOIN LATERAL (SELECT x.revision FROM entitlements x "
    "WHERE x.scope_id = e.scope_id AND x.entitlement_id = g.id LIMIT 1) AS now ON true "
    "WHERE coalesce(now.revision, 0) <> g.revision UNION ALL "
    "SELECT g.place FROM unnest($44::bigint[], $45::text[], $46::bigint[]) AS g(place, id, revision) "
    "JOIN e ON e.place = g.place LEFT JOIN LATERAL (SELECT x.revision FROM payment_subscriptions x "
    "WHERE x.scope_id = e.scope_id AND x.subscription_id = g.id LIMIT 1) AS now ON true "
    "WHERE coalesce(now.revision, 0) <> g.revision UNION ALL "
    "SELECT g.place FROM unnest($47::bigint[], $48::text[], $49::bigint[]) AS g(place, user_id, n) "
    "JOIN e ON e.place = g.place CROSS JOIN LATERAL (SELECT count(*) AS n FROM payment_subscriptions x "
    "WHERE x.scope_id = e.scope_id AND x.user_id = g.user_id) AS now WHERE now.n <> g.n UNION ALL "
    "SELECT e.place FROM e CROSS JOIN LATERAL (SELECT FROM event_claims x WHERE x.scope_id = e.scope_id "
    "AND x.claim = e.waiting LIMIT 1) AS those WHERE e.is_first UNION ALL "
    "SELECT e.place FROM e CROSS JOIN LATERAL (SELECT FROM webhooks x WHERE x.scope_id = e.scope_id "
    "AND x.enabled LIMIT 1) AS listening), "
    "claimed AS (INSERT INTO event_claims (scope_id, claim, archive_id, received_at) "
    "SELECT e.scope_id, e.claim, e.archive_id, n.at FROM e, n WHERE e.place NOT IN (SELECT place FROM "
    "changed) "
    "ON CONFLICT DO NOTHING RETURNING archive_id), "
    "taken AS MATERIALIZED (SELECT e.* FROM e JOIN claimed USING (archive_id)), "
    "archived AS (INSERT INTO events (scope_id, received_at, archive_id, provider, event_id, type, result, "
    "reason, user_id, subject, event_at, payload) SELECT t.scope_id, n.at, t.archive_id, t.provider, "
    "t.event_id, "
    "t.type, t.result, t.reason, t.user_id, t.subject, t.event_at, t.payload FROM taken t, n), "
    "waits AS (INSERT INTO event_claims (scope_id, claim, archive_id, received_at) SELECT t.scope_id, "
    "t.waiting, "
    "t.archive_id, n.at FROM taken t, n WHERE t.waiting IS NOT NULL AND NOT t.is_first "
    "ON CONFLICT (scope_id, claim) DO UPDATE SET archive_id = excluded.archive_id, "
    "received_at = excluded.received_at), "
    "subscribed AS (INSERT INTO payment_subscriptions AS s (scope_id, subscription_id, user_id, state, "
    "revision) "
    "SELECT t.scope_id, u.id, u.user_id, u.state::json, 1 FROM unnest($37::bigint[], $38::text[], "
    "$39::text[], "
    "$40::text[]) AS u(place, id, user_id, state) JOIN taken t ON t.place = u.place "
    "ON CONFLICT (scope_id, subscription_id) DO UPDATE SET user_id = excluded.user_id, state = "
    "excluded.state, "
    "revision = s.revision + 1), "
    "w AS (SELECT t.scope_id, u.* FROM unnest(" BILLING_ENTITLEMENT_ARRAYS
    ", $22::bigint[]) AS u(" BILLING_ENTITLEMENT_NAMES ", place) JOIN taken t ON t.place = u.place), "
    "entitled AS (" BILLING_ENTITLEMENT_INSERT "FROM w, n WHERE true" BILLING_ENTITLEMENT_REPLACE ") "
    "SELECT place FROM taken";

pg::Scopes scopes_of(std::span<Step* const> steps)
{
    std::set<std::int64_t> ids;
    for (Step const* step : steps)
        ids.insert(step->scope_id());
    return pg::Scopes(std::vector<std::int64_t>(ids.begin(), ids.end()));
}

} // namespace

asio::awaitable<std::vector<bool>> write(pg::Session& session, std::span<Step* const> steps)
{
    auto const params = Written(steps).params();
    auto const result = co_await session.run_serialised(scopes_of(steps), write_sql, params);
    std::vector<bool> taken(steps.size());
    for (auto const row : result) {
        pg::RowReader r(row);
        taken[static_cast<std::size_t>(r.integer())] = true;
    }
    co_return taken;
}

} // namespace billing::apply
