#pragma once

#include "core/scope.hpp"
#include "domain/event_erasure.hpp"
#include "domain/event_fields.hpp"
#include "domain/history.hpp"
#include "domain/named_users.hpp"
#include "domain/purchase_json.hpp"
#include "fuzz.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Checks for webhooks of both billing providers. The input has one payload on each line.
namespace fuzz {

inline constexpr std::size_t max_events = 16;
inline constexpr core::ScopeId scope_id{5};

/// Whether the database can store the text as an id.
inline bool is_id(std::string const& text)
{
    return is_text(text) && core::count_code_points(text) <= billing::event_fields::max_id;
}

inline bool is_time(std::optional<core::Time> const& time)
{
    return !time || core::is_representable(*time);
}

inline bool is_price(std::optional<billing::Price> const& price)
{
    return !price || (price->currency.size() == 3 && is_text(price->currency));
}

/// The guarantees of what an event states about a purchase.
inline bool is_fact(billing::PurchaseFact const& fact)
{
    return is_id(fact.transaction_id) && is_id(fact.cancel_reason) && is_time(fact.purchased_at) &&
           is_time(fact.expires_at) && is_time(fact.grace_until) && is_time(fact.order.at) &&
           fact.order.rank >= 0 && is_price(fact.price) && fact.quantity.value_or(1) >= 1;
}

/// The guarantees of every accepted event.
inline void check_envelope(billing::Event const& event)
{
    require(!event.id.empty() && is_id(event.id) && !event.type.empty() && is_id(event.type));
    require(!event.user_id || (!event.user_id->empty() && is_id(event.user_id->text())));
    require((!event.subscription_id || is_id(*event.subscription_id)) && is_time(event.at));
    for (auto const& reference : event.references)
        require(!reference.empty() && is_id(reference));
    if (auto const* skipped = std::get_if<billing::Skipped>(&event.data))
        require(!skipped->reason.empty());
    else
        require(event.environment && event.at);
}

/// Every user that the payload names can be erased from it.
inline void check_erasure(
    billing::Provider provider, std::string const& payload, std::vector<core::UserId> const& named)
{
    core::UserId const pseudonym("deleted:0190a5d2-0000-7000-8000-0000000000ff");
    for (auto const& user : named) {
        require(!user.empty() && is_id(user.text()));
        if (user == pseudonym) continue;
        auto const erased =
            billing::erase_from_event(provider, std::nullopt, payload, std::span(&user, 1), pseudonym);
        auto const document = billing::parse_document(erased.payload);
        require(document.has_value());
        auto const left = billing::named_users(provider, *document);
        require(std::ranges::find(left, user) == left.end());
    }
}

/// The events of the valid payloads. Each id occurs once. `check` gets each JSON document.
inline std::vector<billing::Event> read_events(
    Input input, billing::Provider provider, void (*check)(boost::json::value const&) = nullptr)
{
    std::vector<billing::Event> events;
    std::set<std::string> ids;
    for (std::size_t i = 0; i < max_events && !input.empty(); ++i) {
        std::string const line(input.line());
        auto const document = billing::parse_document(line);
        if (!document) check_erasure(provider, line, billing::named_users(line));
        if (!document) continue;
        if (check != nullptr) check(*document);
        auto parsed = billing::parse_event(provider, *document);
        check_erasure(provider, line, parsed.event.named_users);
        require(parsed.faults.size() <= core::Fields::max_faults);
        if (!parsed.faults.empty()) continue;
        check_envelope(parsed.event);
        if (ids.insert(parsed.event.id).second) events.push_back(std::move(parsed.event));
    }
    return events;
}

/// The guarantees of an entitlement that results from events.
inline void check_entitlement(billing::Entitlement const& e)
{
    require(!e.provider_product_id.empty() && is_id(e.provider_product_id) && is_id(e.store));
    require(is_time(e.purchased_at) && is_time(e.expires_at) && is_time(e.grace_until));
    require(is_time(e.trial_ends_at) && is_price(e.price));
    for (bool const lenient : {false, true})
        require(is_time(billing::access_until(e.access, {.past_due_is_active = lenient})));
    require(billing::purchase_json::read_lines(billing::purchase_json::to_json(e.lines)) == e.lines);
}

/// The entitlements after the events do not depend on the order of the events.
inline void check_history(
    std::vector<billing::Event> events, std::set<core::UserId> const& users, billing::Known const& known = {})
{
    for (auto const& user : users) {
        auto const there = billing::entitlements_after(scope_id, user, events, known);
        std::ranges::reverse(events);
        require(billing::entitlements_after(scope_id, user, events, known) == there);
        for (auto const& e : there) {
            require(e.user_id == user);
            check_entitlement(e);
        }
    }
}

} // namespace fuzz
