#include "storage/subscriptions.hpp"

#include "core/json_writer.hpp"
#include "domain/purchase_json.hpp"
#include "domain/stored_json.hpp"
#include "pg/sql.hpp"

#include <boost/json.hpp>

namespace billing::subscriptions {

namespace {

namespace json = boost::json;

using stored_json::count, stored_json::text, stored_json::time, stored_json::optional_time;

void write_time(core::JsonWriter& w, std::optional<core::Time> const& value)
{
    if (value)
        w.value(count(*value));
    else
        w.null();
}

void write(core::JsonWriter& w, SubscriptionItem const& item)
{
    w.begin_object().member("product", item.product).member("alternative", item.alternative).key("since");
    write_time(w, item.since);
    w.key("ends");
    write_time(w, item.ends);
    stored_json::write(w, "starts", item.starts);
    w.member("quantity", item.quantity);
    if (item.price) w.member("amount", item.price->amount).member("currency", item.price->currency);
    stored_json::write(w, "monthlyAmount", item.monthly_amount);
    w.end_object();
}

SubscriptionItem read_item(json::value const& v)
{
    SubscriptionItem item{.product = text(v.at("product")),
        .alternative = text(v.at("alternative")),
        .since = optional_time(v, "since"),
        .starts = optional_time(v, "starts"),
        .ends = optional_time(v, "ends")};
    item.quantity = stored_json::optional_integer(v, "quantity").value_or(1);
    if (auto const amount = stored_json::optional_integer(v, "amount"))
        item.price = Price{*amount, text(v.at("currency"))};
    item.monthly_amount = stored_json::optional_integer(v, "monthlyAmount");
    return item;
}

void write(core::JsonWriter& w, Subscription::Removed const& removed)
{
    w.begin_object().member("userId", removed.user_id).key("item");
    write(w, removed.item);
    w.member("type", removed.type).key("order");
    purchase_json::write(w, removed.order);
    w.end_object();
}

Subscription::Removed read_removed(json::value const& v)
{
    return {.user_id = core::UserId(text(v.at("userId"))),
        .item = read_item(v.at("item")),
        .type = text(v.at("type")),
        .order = purchase_json::read_order(v.at("order"))};
}

void write(core::JsonWriter& w, Subscription::Paid const& paid)
{
    w.begin_object().member("invoiceId", paid.invoice_id).key("order");
    purchase_json::write(w, paid.order);
    w.key("lines").begin_array();
    for (auto const& line : paid.lines) {
        w.begin_object().member("product", line.product);
        stored_json::write(w, "starts", line.starts);
        w.member("ends", count(line.ends)).end_object();
    }
    w.end_array().end_object();
}

Subscription::Paid read_paid(json::value const& v)
{
    Subscription::Paid paid{.order = purchase_json::read_order(v.at("order")),
        .invoice_id = stored_json::text_or_empty(v, "invoiceId"),
        .lines = {}};
    for (auto const& line : v.at("lines").as_array())
        paid.lines.push_back(
            {text(line.at("product")), optional_time(line, "starts"), time(line.at("ends"))});
    return paid;
}

/// Rows of the previous version have the last paid invoice, even if it is older than the last event.
std::vector<Subscription::Paid> read_all_paid(json::value const& state, EventOrder const& order)
{
    std::vector<Subscription::Paid> all;
    if (auto const* invoices = stored_json::find(state, "invoices"))
        for (auto const& invoice : invoices->as_array())
            all.push_back(read_paid(invoice));
    else if (auto const* last = stored_json::find(state, "paid"))
        all.push_back(read_paid(*last));
    std::erase_if(all, [&](Subscription::Paid const& paid) { return paid.order < order; });
    return all;
}

void write(core::JsonWriter& w, Subscription::Reversal const& reversal)
{
    w.begin_object().member("type", reversal.type).key("order");
    purchase_json::write(w, reversal.order);
    stored_json::write(w, "coversFrom", reversal.covers_from);
    stored_json::write(w, "coversUntil", reversal.covers_until);
    w.member("receivedAt", count(reversal.received_at)).end_object();
}

Subscription::Reversal read_reversal(json::value const& v)
{
    return {.type = text(v.at("type")),
        .order = purchase_json::read_order(v.at("order")),
        .covers_from = optional_time(v, "coversFrom"),
        .covers_until = optional_time(v, "coversUntil"),
        .received_at = time(v.at("receivedAt"))};
}

/// An array of what `write` writes.
void write_all(core::JsonWriter& w, std::string_view name, auto const& values)
{
    w.key(name).begin_array();
    for (auto const& value : values)
        write(w, value);
    w.end_array();
}

/// Members that the previous version reads too. It requires `paid`.
void write_terms(core::JsonWriter& w, SubscriptionTerms const& terms)
{
    w.member("cancels", terms.cancels_at_period_end).key("endedAt");
    write_time(w, terms.ended_at);
    w.key("paid").null();
    stored_json::write(w, "cancelAt", terms.cancel_at);
    stored_json::write(w, "trialEndsAt", terms.trial_ends_at);
    stored_json::write(w, "latestInvoice", terms.latest_invoice);
    stored_json::write(w, "cancelReason", terms.cancel_reason);
}

SubscriptionTerms read_terms(json::value const& state)
{
    return {.cancels_at_period_end = stored_json::is_true(state, "cancels"),
        .cancel_at = optional_time(state, "cancelAt"),
        .ended_at = optional_time(state, "endedAt"),
        .trial_ends_at = optional_time(state, "trialEndsAt"),
        .latest_invoice = stored_json::text_or_empty(state, "latestInvoice"),
        .cancel_reason = stored_json::text_or_empty(state, "cancelReason")};
}

} // namespace

std::string to_json(Subscription const& s)
{
    core::JsonWriter w(512);
    w.begin_object().member("type", to_string(s.type)).member("status", to_string(s.status));
    write_terms(w, s.terms);
    w.key("order");
    purchase_json::write(w, s.order);
    write_all(w, "items", s.items);
    write_all(w, "removed", s.removed);
    write_all(w, "invoices", s.paid);
    write_all(w, "reversals", s.reversals);
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
    s.type = stored_json::named<PaymentEventType>(state.at("type"));
    s.status = stored_json::named<SubscriptionStatus>(state.at("status"));
    s.terms = read_terms(state);
    s.order = purchase_json::read_order(state.at("order"));
    for (auto const& item : state.at("items").as_array())
        s.items.push_back(read_item(item));
    for (auto const& removed : state.at("removed").as_array())
        s.removed.push_back(read_removed(removed));
    s.paid = read_all_paid(state, s.order);
    if (auto const* reversals = stored_json::find(state, "reversals"))
        for (auto const& reversal : reversals->as_array())
            s.reversals.push_back(read_reversal(reversal));
    s.revision = r.integer();
    s.updated_at = r.time();
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

std::vector<Subscription> about_user(pg::Tx& tx, core::ScopeId scope_id, core::UserId const& user_id)
{
    auto const result = tx.run(pg::sql<columns>(R"(
        SELECT {columns}
        FROM (
            SELECT x.subscription_id
            FROM payment_subscriptions x
            WHERE x.scope_id = $1 AND x.user_id = $2
            UNION
            SELECT x.subscription_id
            FROM subscription_former_users x
            WHERE x.scope_id = $1 AND x.user_id = $2
        ) AS found
        CROSS JOIN LATERAL (
            SELECT *
            FROM payment_subscriptions x
            WHERE x.scope_id = $1 AND x.subscription_id = found.subscription_id
            LIMIT 1
        ) AS s
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
            state = excluded.state, revision = s.revision + 1, updated_at = clock_timestamp())",
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
