#include "domain/purchase_json.hpp"

#include "domain/stored_json.hpp"

#include <boost/json/parse.hpp>

namespace billing::purchase_json {

namespace {

namespace json = boost::json;

void write(core::JsonWriter& w, SyncedState const& synced)
{
    w.begin_object().member("status", to_string(synced.status));
    stored_json::write_flag(w, "willRenew", synced.will_renew);
    stored_json::write_flag(w, "inBillingIssue", synced.in_billing_issue);
    stored_json::write(w, "endedAt", synced.ended_at);
    w.end_object();
}

SyncedState read_synced(json::value const& v)
{
    return {.status = stored_json::named<Status>(v.at("status")),
        .will_renew = stored_json::is_true(v, "willRenew"),
        .in_billing_issue = stored_json::is_true(v, "inBillingIssue"),
        .ended_at = stored_json::optional_time(v, "endedAt")};
}

} // namespace

void write(core::JsonWriter& w, EventOrder const& order)
{
    w.begin_object()
        .member("at", stored_json::count(order.at))
        .member("rank", order.rank)
        .member("periodEnd", stored_json::count(order.period_end))
        .member("eventId", order.event_id)
        .end_object();
}

EventOrder read_order(json::value const& v)
{
    return {.at = stored_json::time(v.at("at")),
        .rank = v.at("rank").to_number<int>(),
        .period_end = stored_json::time(v.at("periodEnd")),
        .event_id = stored_json::text(v.at("eventId"))};
}

void write(core::JsonWriter& w, PurchaseFact const& fact)
{
    w.begin_object().member("type", to_string(fact.type)).key("order");
    write(w, fact.order);
    stored_json::write_flag(w, "isRefund", fact.is_refund);
    stored_json::write(w, "purchasedAt", fact.purchased_at);
    stored_json::write(w, "expiresAt", fact.expires_at);
    stored_json::write(w, "graceUntil", fact.grace_until);
    stored_json::write(w, "transactionId", fact.transaction_id);
    if (fact.period_type) w.member("periodType", to_string(*fact.period_type));
    stored_json::write(w, "quantity", fact.quantity);
    if (fact.price) w.member("amount", fact.price->amount).member("currency", fact.price->currency);
    stored_json::write(w, "cancelReason", fact.cancel_reason);
    if (fact.reason) w.member("reason", *fact.reason);
    if (fact.synced) {
        w.key("synced");
        write(w, *fact.synced);
    }
    w.end_object();
}

PurchaseFact read_fact(json::value const& v)
{
    PurchaseFact fact{.type = stored_json::named<PurchaseEventType>(v.at("type")),
        .order = read_order(v.at("order")),
        .is_refund = stored_json::is_true(v, "isRefund"),
        .purchased_at = stored_json::optional_time(v, "purchasedAt"),
        .expires_at = stored_json::optional_time(v, "expiresAt"),
        .grace_until = stored_json::optional_time(v, "graceUntil"),
        .transaction_id = stored_json::text_or_empty(v, "transactionId")};
    if (auto const* type = stored_json::find(v, "periodType"))
        fact.period_type = stored_json::named<PeriodType>(*type);
    fact.quantity = stored_json::optional_integer(v, "quantity");
    if (auto const amount = stored_json::optional_integer(v, "amount"))
        fact.price = Price{*amount, stored_json::text(v.at("currency"))};
    fact.cancel_reason = stored_json::text_or_empty(v, "cancelReason");
    if (auto const* reason = stored_json::find(v, "reason")) fact.reason = stored_json::text(*reason);
    if (auto const* synced = stored_json::find(v, "synced")) fact.synced = read_synced(*synced);
    return fact;
}

std::string to_json(std::vector<PurchaseLine> const& lines)
{
    core::JsonWriter w(256);
    w.begin_array();
    for (auto const& line : lines) {
        w.begin_object().member("store", line.store).key("facts").begin_array();
        for (auto const& fact : line.facts)
            write(w, fact);
        w.end_array().end_object();
    }
    w.end_array();
    return std::move(w).str();
}

std::vector<PurchaseLine> read_lines(std::string_view text)
{
    std::vector<PurchaseLine> lines;
    auto const stored = json::parse(json::string_view(text.data(), text.size()));
    for (auto const& item : stored.as_array()) {
        PurchaseLine line{.store = stored_json::text(item.at("store")), .facts = {}};
        for (auto const& fact : item.at("facts").as_array())
            line.facts.push_back(read_fact(fact));
        lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace billing::purchase_json
