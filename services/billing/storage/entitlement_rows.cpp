#include "storage/entitlement_rows.hpp"

#include "domain/purchase_json.hpp"

#include <optional>
#include <string_view>

namespace billing::entitlements {

namespace {

/// The event that decided a row which the previous version has written. It stands for all events of the row.
PurchaseFact fact_of_previous_version(Entitlement const& e)
{
    PurchaseFact fact;
    fact.type = core::parse_enum<PurchaseEventType>(e.last_event_type).value_or(PurchaseEventType::sync);
    fact.order = e.last;
    fact.purchased_at = e.purchased_at;
    fact.expires_at = e.expires_at;
    fact.grace_until = e.grace_until;
    fact.transaction_id = e.last_transaction_id;
    fact.reason = e.reason;
    bool const in_issue = fact.type == PurchaseEventType::billing_issue;
    bool const has_ended = e.status == Status::expired && !in_issue;
    fact.synced = SyncedState{.status = e.status,
        .will_renew = e.will_renew,
        .in_billing_issue = in_issue,
        .ended_at = has_ended ? std::optional(e.last.at) : std::nullopt};
    return fact;
}

Access read_access(pg::RowReader& r)
{
    Access access;
    access.until = r.time();
    access.renewal_until = r.optional_time();
    access.leeway_ends_at = r.optional_time();
    access.past_due_until = r.optional_time();
    access.is_ended = r.boolean();
    return access;
}

std::optional<Price> read_price(pg::RowReader& r)
{
    auto const amount = r.optional_integer();
    auto currency = r.optional_text();
    return amount && currency ? std::optional(Price{*amount, *std::move(currency)}) : std::nullopt;
}

/// Whether events about the purchase decide the state, and not subscriptions of the payments provider.
bool has_lines(Entitlement const& e)
{
    return e.source != Source::payments || !e.transaction_id.empty();
}

} // namespace

Entitlement read(pg::RowReader& r)
{
    Entitlement e;
    e.id = r.uuid();
    e.user_id = r.user_id();
    e.source = r.one_of<Source>();
    e.provider_product_id = r.text();
    e.alternative_product_id = r.text();
    e.transaction_id = r.text();
    e.status = r.one_of<Status>();
    e.purchased_at = r.optional_time();
    e.expires_at = r.optional_time();
    e.grace_until = r.optional_time();
    e.will_renew = r.boolean();
    e.reason = r.optional_text();
    e.last_event_type = r.text();
    e.last.at = r.time();
    e.last.rank = static_cast<int>(r.integer());
    e.last.period_end = r.time();
    e.last.event_id = r.text();
    e.last_transaction_id = r.text();
    e.created_at = r.time();
    e.updated_at = r.time();
    e.revision = r.integer();
    e.access = read_access(r);
    if (r.boolean()) e.status = Status::past_due;
    if (auto const type = r.optional_text()) e.period_type = core::stored_enum<PeriodType>(*type);
    e.trial_ends_at = r.optional_time();
    e.store = r.text();
    e.quantity = r.optional_integer();
    e.price = read_price(r);
    e.monthly_amount = r.optional_integer();
    e.cancel_reason = r.text();
    return e;
}

Entitlement read_all(pg::RowReader& r)
{
    Entitlement e = read(r);
    e.lines = purchase_json::read_lines(r.view());
    if (e.lines.empty() && has_lines(e)) e.lines = {{.store = {}, .facts = {fact_of_previous_version(e)}}};
    return e;
}

std::vector<pg::Param> params(std::span<Row const> rows)
{
    auto const column = [&](auto const& of) {
        return pg::column(rows, [&](Row const& row) { return pg::Param(of(*row.entitlement)); });
    };
    auto const text = [&](std::string Entitlement::* member) {
        return column([member](Entitlement const& e) { return std::string_view(e.*member); });
    };
    auto const value = [&](auto Entitlement::* member) {
        return column([member](Entitlement const& e) { return e.*member; });
    };
    auto const access = [&](auto Access::* member) {
        return column([member](Entitlement const& e) { return e.access.*member; });
    };
    // The previous version does not know the status past_due, and reads rows during an upgrade.
    auto const status = [](Entitlement const& e) {
        return to_string(e.status == Status::past_due ? Status::expired : e.status);
    };
    auto const price = [&](auto Price::* member) {
        return column([member](Entitlement const& e) {
            return e.price ? std::optional((*e.price).*member) : std::nullopt;
        });
    };
    return {
        value(&Entitlement::id),
        column([](Entitlement const& e) { return std::string_view(e.user_id.text()); }),
        column([](Entitlement const& e) { return to_string(e.source); }),
        text(&Entitlement::provider_product_id),
        text(&Entitlement::alternative_product_id),
        text(&Entitlement::transaction_id),
        column(status),
        value(&Entitlement::purchased_at),
        value(&Entitlement::expires_at),
        value(&Entitlement::grace_until),
        value(&Entitlement::will_renew),
        value(&Entitlement::reason),
        text(&Entitlement::last_event_type),
        column([](Entitlement const& e) { return e.last.at; }),
        column([](Entitlement const& e) { return e.last.rank; }),
        column([](Entitlement const& e) { return e.last.period_end; }),
        column([](Entitlement const& e) { return std::string_view(e.last.event_id); }),
        text(&Entitlement::last_transaction_id),
        value(&Entitlement::created_at),
        value(&Entitlement::updated_at),
        value(&Entitlement::revision),
        access(&Access::until),
        access(&Access::renewal_until),
        access(&Access::leeway_ends_at),
        access(&Access::past_due_until),
        access(&Access::is_ended),
        column([](Entitlement const& e) { return e.status == Status::past_due; }),
        column([](Entitlement const& e) {
            return e.period_type ? std::optional(to_string(*e.period_type)) : std::nullopt;
        }),
        value(&Entitlement::trial_ends_at),
        text(&Entitlement::store),
        value(&Entitlement::quantity),
        price(&Price::amount),
        price(&Price::currency),
        value(&Entitlement::monthly_amount),
        text(&Entitlement::cancel_reason),
        column([](Entitlement const& e) { return purchase_json::to_json(e.lines); }),
        pg::column(rows, [](Row const& row) { return row.is_open; }),
    };
}

} // namespace billing::entitlements
