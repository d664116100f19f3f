#include "histories/reference_model.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace histories::model {

namespace {

/// A refund or a lost dispute is later than a checkout in the same second.
constexpr int reversal_rank = 1;

/// The ids of the charge, payment, invoice and session that an event names. They belong to one payment.
std::set<std::string> references_of(json::object const& event)
{
    auto const& object = event.at("data").at("object");
    auto const kind = text(object, "object");
    std::set<std::string> references;
    if (kind == "charge" || kind == "invoice" || kind == "checkout.session")
        references.insert(text(object, "id"));
    if (kind == "invoice" || kind == "invoice_payment" || kind == "charge" || kind == "dispute" ||
        kind == "checkout.session")
        for (auto const* const name : {"invoice", "charge", "payment_intent"})
            references.insert(text(object, name));
    if (auto const* payment = find(&object, {"payment"}); kind == "invoice_payment" && payment != nullptr)
        for (auto const* const name : {"charge", "payment_intent"})
            references.insert(text(*payment, name));
    references.erase("");
    return references;
}

/// Whether the event takes back all that was paid.
bool is_reversal(json::object const& event)
{
    auto const& object = event.at("data").at("object");
    auto const type = text(event, "type");
    if (type == "charge.dispute.closed") return text(object, "status") == "lost";
    auto const* refunded = find(&object, {"refunded"});
    return type == "charge.refunded" && refunded != nullptr && refunded->as_bool();
}

/// The references that belong to the same payment as `found`, according to all events.
std::set<std::string> connected(std::set<std::string> found, std::vector<json::object const*> const& events)
{
    for (std::size_t before = 0; before != found.size();) {
        before = found.size();
        for (auto const* event : events) {
            auto const references = references_of(*event);
            bool const is_connected =
                std::ranges::any_of(references, [&](auto const& id) { return found.contains(id); });
            if (is_connected) found.insert(references.begin(), references.end());
        }
    }
    return found;
}

/// Whether the event is a paid checkout of the user for a product that is sold once.
bool is_purchase(json::object const& event, History const& history, std::string const& user)
{
    auto const& object = event.at("data").at("object");
    auto const type = text(event, "type"), paid = text(object, "payment_status");
    if (type != "checkout.session.completed" && type != "checkout.session.async_payment_succeeded")
        return false;
    if (text(object, "mode") != "payment" || (paid != "paid" && paid != "no_payment_required")) return false;
    auto const* metadata = find(&object, {"metadata"});
    if (metadata == nullptr || text(*metadata, "userId") != user) return false;
    return std::ranges::any_of(history.catalog, [&](Product const& product) {
        return product.id == text(*metadata, "productId") && product.kind != "subscription";
    });
}

} // namespace

std::vector<json::object const*> payment_events(History const& history)
{
    std::vector<json::object const*> events;
    std::set<std::string> ids;
    for (auto const& webhook : history.events)
        if (webhook.payment && ids.insert(text(webhook.event, "id")).second) events.push_back(&webhook.event);
    return events;
}

std::vector<Reversal> reversals_in(std::vector<json::object const*> const& events)
{
    std::vector<Reversal> reversals;
    for (auto const* event : events) {
        if (!is_reversal(*event)) continue;
        reversals.push_back(
            {.order = {time(*event, "created", second).value(), reversal_rank, never, text(*event, "id")},
                .type = text(*event, "type"),
                .references = connected(references_of(*event), events)});
    }
    std::ranges::sort(reversals, {}, &Reversal::order);
    return reversals;
}

std::vector<Parts> checkouts_of(History const& history, std::string const& user)
{
    auto const events = payment_events(history);
    auto const reversals = reversals_in(events);
    std::map<std::pair<std::string, std::string>, std::vector<LineEvent>> lines; // by product and transaction
    for (auto const* event : events) {
        if (!is_purchase(*event, history, user)) continue;
        auto const& session = event->at("data").at("object");
        auto const intent = text(session, "payment_intent");
        auto const transaction = intent.empty() ? text(session, "id") : intent;
        auto& line = lines[{text(session.at("metadata"), "productId"), transaction}];
        line.push_back({.order = {time(*event, "created", second).value(), 0, never, text(*event, "id")},
            .type = text(*event, "type"),
            .effect = Effect::period,
            .transaction = transaction});
        for (auto const& reversal : reversals)
            if (reversal.references.contains(text(session, "id")))
                line.push_back({.order = reversal.order,
                    .type = reversal.type,
                    .effect = Effect::refunded,
                    .states_purchase = false});
    }
    std::vector<Parts> entitlements;
    entitlements.reserve(lines.size());
    for (auto const& [key, line] : lines)
        entitlements.push_back({"payments", key.first, {part_of(line, true)}});
    return entitlements;
}

} // namespace histories::model
