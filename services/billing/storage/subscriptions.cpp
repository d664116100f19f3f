#include "storage/subscriptions.hpp"

#include "core/json_writer.hpp"
#include "pg/sql.hpp"

#include <boost/json.hpp>

namespace billing::subscriptions {

namespace {

namespace json = boost::json;

// Times are stored as microseconds since 1970, also core::Time::min() and core::Time::max().

std::int64_t count(core::Time time)
{
    return time.time_since_epoch().count();
}

std::optional<std::int64_t> count(std::optional<core::Time> time)
{
    return time ? std::optional(count(*time)) : std::nullopt;
}

core::Time time(json::value const& value)
{
    return core::Time(core::Time::duration(value.to_number<std::int64_t>()));
}

std::optional<core::Time> optional_time(json::value const& value)
{
    return value.is_null() ? std::nullopt : std::optional(time(value));
}

std::string text(json::value const& value)
{
    return std::string(value.as_string());
}

template <core::NamedEnum E> E named(json::value const& value)
{
    return core::stored_enum<E>(std::string_view(value.as_string()));
}

void write(core::JsonWriter& w, EventOrder const& order)
{
    w.begin_object()
        .member("at", count(order.at))
        .member("rank", order.rank)
        .member("periodEnd", count(order.period_end))
        .member("eventId", order.event_id)
        .end_object();
}

EventOrder read_order(json::value const& v)
{
    return {.at = time(v.at("at")),
        .rank = v.at("rank").to_number<int>(),
        .period_end = time(v.at("periodEnd")),
        .event_id = text(v.at("eventId"))};
}

void write(core::JsonWriter& w, SubscriptionItem const& item)
{
    w.begin_object()
        .member("product", item.product)
        .member("alternative", item.alternative)
        .member("since", count(item.since))
        .member("ends", count(item.ends))
        .end_object();
}

SubscriptionItem read_item(json::value const& v)
{
    return {.product = text(v.at("product")),
        .alternative = text(v.at("alternative")),
        .since = optional_time(v.at("since")),
        .ends = optional_time(v.at("ends"))};
}

void write(core::JsonWriter& w, Subscription::Removed const& removed)
{
    w.begin_object().member("userId", removed.user_id).key("item");
    write(w, removed.item);
    w.member("type", removed.type).key("order");
    write(w, removed.order);
    w.end_object();
}

Subscription::Removed read_removed(json::value const& v)
{
    return {.user_id = core::UserId(text(v.at("userId"))),
        .item = read_item(v.at("item")),
        .type = text(v.at("type")),
        .order = read_order(v.at("order"))};
}

void write(core::JsonWriter& w, Subscription::Paid const& paid)
{
    w.begin_object().key("order");
    write(w, paid.order);
    w.key("lines").begin_array();
    for (auto const& line : paid.lines)
        w.begin_object().member("product", line.product).member("ends", count(line.ends)).end_object();
    w.end_array().end_object();
}

Subscription::Paid read_paid(json::value const& v)
{
    Subscription::Paid paid{.order = read_order(v.at("order"))};
    for (auto const& line : v.at("lines").as_array())
        paid.lines.push_back({text(line.at("product")), time(line.at("ends"))});
    return paid;
}

} // namespace

std::string to_json(Subscription const& s)
{
    core::JsonWriter w(512);
    w.begin_object()
        .member("type", to_string(s.type))
        .member("status", to_string(s.status))
        .member("cancels", s.cancels_at_period_end)
        .member("endedAt", count(s.ended_at))
        .key("order");
    write(w, s.order);
    w.key("items").begin_array();
    for (auto const& item : s.items)
        write(w, item);
    w.end_array().key("removed").begin_array();
    for (auto const& removed : s.removed)
        write(w, removed);
    w.end_array().key("paid");
    if (s.paid)
        write(w, *s.paid);
    else
        w.null();
    w.end_object();
    return std::move(w).str();
}

Subscription read(pg::RowReader& r)
{
    Subscription s;
    s.id = r.text();
    s.user_id = r.user_id();
    auto const column = r.view();
    auto const state = json::parse(json::string_view(column.data(), column.size()));
    s.type = named<PaymentEventType>(state.at("type"));
    s.status = named<SubscriptionStatus>(state.at("status"));
    s.cancels_at_period_end = state.at("cancels").as_bool();
    s.ended_at = optional_time(state.at("endedAt"));
    s.order = read_order(state.at("order"));
    for (auto const& item : state.at("items").as_array())
        s.items.push_back(read_item(item));
    for (auto const& removed : state.at("removed").as_array())
        s.removed.push_back(read_removed(removed));
    if (!state.at("paid").is_null()) s.paid = read_paid(state.at("paid"));
    s.revision = r.integer();
    return s;
}

std::optional<Subscription> find(pg::Tx& tx, core::ScopeId scope_id, std::string const& id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM payment_subscriptions s
        WHERE s.scope_id = $1 AND s.subscription_id = $2)"),
        {scope_id, id});
    return pg::read_first(result, read);
}

std::vector<Subscription> of_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM payment_subscriptions s
        WHERE s.scope_id = $1 AND s.user_id = $2
        ORDER BY s.subscription_id)"),
        {scope_id, user_id});
    return pg::read_rows(result, read);
}

std::vector<Subscription> list_about_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id,
    std::string const& after, std::size_t limit)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM (
            (
                SELECT x.subscription_id
                FROM payment_subscriptions x
                WHERE x.scope_id = $1 AND x.user_id = $2 AND x.subscription_id > $3
                ORDER BY x.subscription_id
                LIMIT $4::bigint
            )
            UNION (
                SELECT x.subscription_id
                FROM subscription_former_users x
                WHERE x.scope_id = $1 AND x.user_id = $2 AND x.subscription_id > $3
                ORDER BY x.subscription_id
                LIMIT $4::bigint
            )
        ) AS found
        CROSS JOIN LATERAL (
            SELECT *
            FROM payment_subscriptions x
            WHERE x.scope_id = $1 AND x.subscription_id = found.subscription_id
            LIMIT 1
        ) AS s
        ORDER BY s.subscription_id
        LIMIT $4::bigint)"),
        {scope_id, user_id, after, limit});
    return pg::read_rows(result, read);
}

void upsert(pg::Tx& tx, core::ScopeId scope_id, Subscription const& s)
{
    tx.run(R"(
        INSERT INTO payment_subscriptions AS s (scope_id, subscription_id, user_id, state, revision)
        VALUES ($1, $2, $3, $4::json, 1)
        ON CONFLICT (scope_id, subscription_id) DO UPDATE SET user_id = excluded.user_id,
            state = excluded.state, revision = s.revision + 1)",
        {scope_id, s.id, s.user_id, to_json(s)});
}

void remove(pg::Tx& tx, core::ScopeId scope_id, std::string const& id)
{
    tx.run(R"(
        WITH gone AS (
            DELETE FROM payment_subscriptions s
            WHERE s.scope_id = $1 AND s.subscription_id = $2
            RETURNING s.state
        )
        DELETE FROM subscription_former_users f
        USING gone CROSS JOIN LATERAL json_array_elements(gone.state -> 'removed') AS item
        WHERE f.scope_id = $1 AND f.user_id = item ->> 'userId' AND f.subscription_id = $2)",
        {scope_id, id});
}

} // namespace billing::subscriptions
