#include "api/user_export.hpp"

#include "api/event_json.hpp"
#include "core/json_writer.hpp"
#include "domain/entitlement_view.hpp"
#include "domain/event_erasure.hpp"
#include "domain/named_users.hpp"
#include "domain/subscription.hpp"
#include "domain/text_or_null.hpp"
#include "paging/cursor.hpp"
#include "storage/entitlements.hpp"
#include "storage/event_archive.hpp"
#include "storage/settings.hpp"
#include "storage/subscriptions.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace billing {

namespace {

using event_archive::ArchivedEvent;
using user_data::ExportPage;

/// A page of a list by time. The position of an export is the cursor of the list.
paging::PageRequest asked(std::string const& position)
{
    return {.limit = user_data::export_page, .after = paging::decode(position, 0)};
}

/// An object whose members `write` writes.
template <class Write> std::string object(Write const& write)
{
    core::JsonWriter w(1024);
    w.begin_object();
    write(w);
    w.end_object();
    return std::move(w).str();
}

// --- entitlements

ExportPage export_entitlements(pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id,
    std::string const& position, entitlements::Origin origin, core::Time now)
{
    auto page = entitlements::list_of_user(tx, scope.id, user_id, origin, asked(position));
    auto const type = origin == entitlements::Origin::granted ? "grant" : "entitlement";
    auto const settings = settings::read_access_settings(tx, scope);
    ExportPage exported{.lines = {}, .next = page.cursor};
    for (auto const& view : entitlements::join_catalog(tx, scope, std::move(page.items)))
        exported.add(type, object([&](core::JsonWriter& w) {
            write_entitlement_members(w, view, scope.environment(), settings, now);
        }));
    return exported;
}

// --- subscriptions

void write_item(core::JsonWriter& w, SubscriptionItem const& item)
{
    w.member("providerProductId", item.product)
        .member("alternativeProductId", text_or_null(item.alternative))
        .member("purchasedAt", item.since)
        .member("expiresAt", item.ends)
        .member("quantity", item.quantity)
        .key("price");
    write_price(w, item.price);
}

void write_items(core::JsonWriter& w, std::vector<SubscriptionItem> const& items)
{
    w.key("items").begin_array();
    for (auto const& item : items) {
        w.begin_object();
        write_item(w, item);
        w.end_object();
    }
    w.end_array();
}

void write_removed_items(core::JsonWriter& w, Subscription const& s, core::UserId const& user_id)
{
    w.key("removedItems").begin_array();
    for (auto const& removed : s.removed) {
        if (removed.user_id != user_id) continue;
        w.begin_object();
        write_item(w, removed.item);
        w.member("removedAt", removed.order.at).end_object();
    }
    w.end_array();
}

void write_invoice(core::JsonWriter& w, Subscription::Paid const& paid)
{
    w.begin_object()
        .member("invoiceId", text_or_null(paid.invoice_id))
        .member("paidAt", paid.order.at)
        .key("lines")
        .begin_array();
    for (auto const& line : paid.lines)
        w.begin_object()
            .member("providerProductId", line.product)
            .member("expiresAt", line.ends)
            .end_object();
    w.end_array().end_object();
}

void write_invoices(core::JsonWriter& w, std::vector<Subscription::Paid> const& paid)
{
    w.key("lastPaidInvoice");
    if (paid.empty())
        w.null();
    else
        write_invoice(w, paid.back());
    w.key("paidInvoices").begin_array();
    for (auto const& invoice : paid)
        write_invoice(w, invoice);
    w.end_array();
}

void write_reversals(core::JsonWriter& w, std::vector<Subscription::Reversal> const& reversals)
{
    w.key("reversals").begin_array();
    for (auto const& reversal : reversals)
        w.begin_object()
            .member("eventType", reversal.type)
            .member("eventAt", reversal.order.at)
            .member("coversFrom", reversal.covers_from)
            .member("coversUntil", reversal.covers_until)
            .end_object();
    w.end_array();
}

/// Writes what the subscription contains about the user. If it belongs to another user now, these are only
/// the items that it had while it belonged to this user.
void write_subscription_members(core::JsonWriter& w, Subscription const& s, core::UserId const& user_id)
{
    bool const owns = s.user_id == user_id;
    auto const if_own = [owns](auto value) { return owns ? std::optional(value) : std::nullopt; };
    auto const terms = owns ? s.terms : SubscriptionTerms();
    w.member("subscriptionId", s.id)
        .member("userId", user_id)
        .member("status", if_own(to_string(s.status)))
        .member("cancelsAtPeriodEnd", if_own(s.terms.cancels_at_period_end))
        .member("cancelAt", terms.cancel_at)
        .member("cancelReason", text_or_null(terms.cancel_reason))
        .member("endedAt", terms.ended_at)
        .member("trialEndsAt", terms.trial_ends_at)
        .member("lastEventType", if_own(to_string(s.type)))
        .member("lastEventAt", if_own(s.order.at));
    write_items(w, owns ? s.items : std::vector<SubscriptionItem>());
    write_removed_items(w, s, user_id);
    write_invoices(w, owns ? s.paid : std::vector<Subscription::Paid>());
    write_reversals(w, owns ? s.reversals : std::vector<Subscription::Reversal>());
}

ExportPage export_subscriptions(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    auto const page = subscriptions::list_about_user(tx, scope.id, user_id, position, user_data::export_page);
    ExportPage exported;
    for (auto const& subscription : page)
        exported.add("subscription",
            object([&](core::JsonWriter& w) { write_subscription_members(w, subscription, user_id); }));
    if (page.size() == user_data::export_page) exported.next = page.back().id;
    return exported;
}

// --- events

void add_event(ExportPage& page, ArchivedEvent const& event)
{
    page.add("event", object([&](core::JsonWriter& w) { write_event_members(w, event, "eventType"); }));
}

ExportPage export_events(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    event_archive::Filter filter;
    filter.user_id = user_id;
    auto const page = event_archive::list(tx, scope, filter, asked(position));
    ExportPage exported{.lines = {}, .next = page.cursor};
    for (auto const& event : page.items)
        add_event(exported, event);
    return exported;
}

/// Whether the event does not belong to a user, and its payload names no person other than this user.
bool is_about_only(ArchivedEvent const& event, core::UserId const& user_id)
{
    auto const document = parse_document(event.payload);
    auto const named = document ? named_users(event.provider, *document) : named_users(event.payload);
    return !event.user_id && std::ranges::none_of(named,
                                 [&](core::UserId const& id) { return id != user_id && is_person(id); });
}

/// Exports events that name the user but do not belong to the user. If such an event belongs to another user,
/// or names another person, its payload may contain that person's data. This payload is left out.
ExportPage export_mentions(
    pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id, std::string const& position)
{
    event_archive::Filter filter;
    filter.named_user = user_id;
    auto page = event_archive::list(tx, scope, filter, asked(position));
    ExportPage exported{.lines = {}, .next = page.cursor};
    for (auto& event : page.items) {
        if (!is_about_only(event, user_id)) event.payload = removed_payload;
        event.user_id = user_id;
        add_event(exported, event);
    }
    return exported;
}

} // namespace

std::vector<user_data::ExportPart> export_parts(core::Clock const& clock)
{
    using entitlements::Origin;
    auto const of_origin = [&clock](Origin origin) {
        return [&clock, origin](pg::Tx& tx, core::Scope const& scope, core::UserId const& user_id,
                   std::string const& position) {
            return export_entitlements(tx, scope, user_id, position, origin, clock.now());
        };
    };
    return {of_origin(Origin::provider), of_origin(Origin::granted), export_subscriptions, export_events,
        export_mentions};
}

} // namespace billing
