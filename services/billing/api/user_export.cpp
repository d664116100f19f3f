#include "api/user_export.hpp"

#include "api/event_json.hpp"
#include "core/json_writer.hpp"
#include "domain/entitlement_view.hpp"
#include "domain/event_erasure.hpp"
#include "domain/named_users.hpp"
#include "domain/subscription.hpp"
#include "paging/cursor.hpp"
#include "storage/entitlements.hpp"
#include "storage/event_archive.hpp"
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
    ExportPage exported{.lines = {}, .next = page.cursor};
    for (auto const& view : entitlements::join_catalog(tx, scope, std::move(page.items)))
        exported.add(type, object([&](core::JsonWriter& w) {
            write_entitlement_members(w, view, scope.environment(), now);
        }));
    return exported;
}

// --- subscriptions

void write_item(core::JsonWriter& w, SubscriptionItem const& item)
{
    w.member("providerProductId", item.product)
        .member(
            "alternativeProductId", item.alternative.empty() ? std::nullopt : std::optional(item.alternative))
        .member("purchasedAt", item.since)
        .member("expiresAt", item.ends);
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

void write_paid_invoice(core::JsonWriter& w, std::optional<Subscription::Paid> const& paid)
{
    w.key("lastPaidInvoice");
    if (!paid) {
        w.null();
        return;
    }
    w.begin_object().member("paidAt", paid->order.at).key("lines").begin_array();
    for (auto const& line : paid->lines)
        w.begin_object()
            .member("providerProductId", line.product)
            .member("expiresAt", line.ends)
            .end_object();
    w.end_array().end_object();
}

/// Writes what the subscription contains about the user. If it belongs to another user now, these are only
/// the items that it had while it belonged to this user.
void write_subscription_members(core::JsonWriter& w, Subscription const& s, core::UserId const& user_id)
{
    bool const owns = s.user_id == user_id;
    auto const if_own = [owns](auto value) { return owns ? std::optional(value) : std::nullopt; };
    w.member("subscriptionId", s.id)
        .member("userId", user_id)
        .member("status", if_own(to_string(s.status)))
        .member("cancelsAtPeriodEnd", if_own(s.cancels_at_period_end))
        .member("endedAt", owns ? s.ended_at : std::nullopt)
        .member("lastEventType", if_own(to_string(s.type)))
        .member("lastEventAt", if_own(s.order.at));
    write_items(w, owns ? s.items : std::vector<SubscriptionItem>());
    write_removed_items(w, s, user_id);
    write_paid_invoice(w, owns ? s.paid : std::nullopt);
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
