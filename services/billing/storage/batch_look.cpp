#include "pg/row.hpp"
#include "storage/batch.hpp"
#include "storage/entitlement_rows.hpp"
#include "storage/subscriptions.hpp"

#include <algorithm>

namespace billing::apply {

namespace {

std::vector<core::Uuid> distinct(std::vector<core::Uuid> ids)
{
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return ids;
}

asio::awaitable<void> look_at_subscriptions(
    pg::Session& session, pg::Scopes const& scopes, std::vector<Step>& steps)
{
    std::vector<Step*> of_payments;
    for (auto& step : steps)
        if (is_about_subscription(step)) of_payments.push_back(&step);
    if (of_payments.empty()) co_return;
    std::vector<pg::Param> const params{
        pg::column(of_payments, [](Step const* s) { return s->incoming->scope_id; }),
        pg::column(of_payments, [](Step const* s) { return s->incoming->event.subject; }),
        pg::column(of_payments, [](Step const* s) { return s->incoming->event.user_id; }),
        max_subscriptions + 1};
    auto const result = co_await session.run(scopes,
        "WITH k AS MATERIALIZED (SELECT u.*, coalesce(u.named, o.user_id) AS user_id "
        "FROM unnest($1::bigint[], $2::text[], $3::text[]) WITH ORDINALITY AS u(scope_id, subject, named, "
        "place) "
        "LEFT JOIN LATERAL (SELECT x.user_id FROM payment_subscriptions x WHERE x.scope_id = u.scope_id "
        "AND x.subscription_id = u.subject LIMIT 1) AS o ON true) "
        "SELECT k.place, " BILLING_SUBSCRIPTION_COLUMNS " FROM k CROSS JOIN LATERAL ("
        "(SELECT * FROM payment_subscriptions x WHERE x.scope_id = k.scope_id AND x.subscription_id = "
        "k.subject "
        "LIMIT 1) UNION ALL (SELECT * FROM payment_subscriptions x WHERE x.scope_id = k.scope_id "
        "AND x.user_id = k.user_id AND x.subscription_id <> k.subject LIMIT $4::bigint)) AS s",
        params);
    for (auto const row : result) {
        pg::RowReader r(row);
        auto& seen = of_payments[static_cast<std::size_t>(r.integer() - 1)]->seen;
        seen.subscriptions.push_back(subscriptions::read(r));
    }
}

/// The shared claim of the events that wait for the event's subscription (`claim_of_waiting`). nullopt if the
/// subscription has a stored state, or if the event contains no subscription.
std::optional<core::Uuid> claim_of_those_waiting(Step const& step)
{
    auto const& event = step.incoming->event;
    bool const is_carried = std::holds_alternative<SubscriptionEvent>(event.fact);
    if (!is_carried || step.incoming->rejected || known_subscription(step.seen, event.subject))
        return std::nullopt;
    return archive::claim_of_waiting(*event.subject);
}

asio::awaitable<void> look_at_entitlements(
    pg::Session& session, pg::Scopes const& scopes, std::vector<Step>& steps)
{
    auto const ids = [](Step const& step) {
        auto const concerned = ids_concerned(step);
        return pg::column(concerned, [](core::Uuid const& id) { return id; }).text();
    };
    std::vector<pg::Param> const params{pg::column(steps, [](Step const& s) { return s.scope_id(); }),
        pg::column(steps, [](Step const& s) { return claim_of(*s.incoming); }),
        pg::column(steps, claim_of_those_waiting), pg::column(steps, ids)};
    auto const result = co_await session.run(scopes,
        "SELECT k.place, c.yes IS NOT NULL, h.yes IS NOT NULL, a.yes IS NOT "
        "NULL, " BILLING_ENTITLEMENT_COLUMNS
        " FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[]) WITH ORDINALITY "
        "AS k(scope_id, claim, waiting, ids, place) "
        "LEFT JOIN LATERAL (SELECT true AS yes FROM event_claims x WHERE x.scope_id = k.scope_id "
        "AND x.claim = k.claim LIMIT 1) AS c ON true "
        "LEFT JOIN LATERAL (SELECT true AS yes FROM webhooks x WHERE x.scope_id = k.scope_id AND x.enabled "
        "LIMIT 1) AS h ON true "
        "LEFT JOIN LATERAL (SELECT true AS yes FROM event_claims x WHERE x.scope_id = k.scope_id "
        "AND x.claim = k.waiting LIMIT 1) AS a ON true "
        "LEFT JOIN LATERAL (SELECT x.* FROM unnest(k.ids::uuid[]) AS i(id) CROSS JOIN LATERAL (SELECT * "
        "FROM entitlements y WHERE y.scope_id = k.scope_id AND y.entitlement_id = i.id LIMIT 1) AS x) AS e "
        "ON true",
        params);
    for (auto const row : result) {
        pg::RowReader r(row);
        auto& seen = steps[static_cast<std::size_t>(r.integer() - 1)].seen;
        seen.claimed = r.boolean();
        seen.announced = r.boolean();
        seen.has_history = r.boolean();
        if (!r.is_null()) seen.entitlements.push_back(entitlements::read(r));
    }
}

} // namespace

std::optional<Subscription> known_subscription(Seen const& seen, std::optional<std::string> const& id)
{
    auto const it =
        std::ranges::find_if(seen.subscriptions, [&](Subscription const& s) { return id && s.id == *id; });
    return it == seen.subscriptions.end() ? std::nullopt : std::optional(*it);
}

bool is_about_subscription(Step const& step)
{
    auto const& fact = step.incoming->event.fact;
    bool const names_one =
        std::holds_alternative<SubscriptionEvent>(fact) || std::holds_alternative<InvoiceEvent>(fact);
    return names_one && !step.incoming->rejected;
}

std::string user_of(Step const& step)
{
    auto const& event = step.incoming->event;
    if (event.user_id) return *event.user_id;
    auto const known = known_subscription(step.seen, event.subject);
    return known ? known->user_id : std::string();
}

bool is_crowded(Seen const& seen)
{
    std::size_t parts = 0;
    for (auto const& subscription : seen.subscriptions)
        parts += subscription.items.size() + subscription.removed.size();
    return seen.subscriptions.size() > max_subscriptions || parts > max_parts;
}

std::vector<core::Uuid> ids_concerned(Step const& step)
{
    if (step.incoming->rejected || is_crowded(step.seen)) return {};
    auto const& fact = step.incoming->event.fact;
    if (auto const* purchase = std::get_if<PurchaseEvent>(&fact)) {
        auto const both = entitlements_concerned(*purchase, step.scope_id());
        return distinct({both.begin(), both.end()});
    }
    std::vector<core::Uuid> ids;
    std::string const user = user_of(step);
    auto const add = [&](std::string const& product) {
        ids.push_back(entitlement_id(step.scope_id(), Source::payments, user, product));
    };
    for (auto const& subscription : step.seen.subscriptions) {
        for (auto const& item : subscription.items)
            add(item.product);
        for (auto const& removed : subscription.removed)
            add(removed.item.product);
    }
    if (auto const* carried = std::get_if<SubscriptionEvent>(&fact))
        for (auto const& item : carried->items)
            add(item.product);
    return distinct(std::move(ids));
}

asio::awaitable<void> look(pg::Session& session, pg::Scopes const& scopes, std::vector<Step>& steps)
{
    co_await look_at_subscriptions(session, scopes, steps);
    co_await look_at_entitlements(session, scopes, steps);
}

} // namespace billing::apply
