#include "domain/own_event.hpp"

#include "core/fields.hpp"
#include "domain/event_fields.hpp"
#include "domain/purchase_json.hpp"
#include "domain/stored_json.hpp"

#include <boost/json/serialize.hpp>

#include <stdexcept>

namespace billing {

namespace {

namespace json = boost::json;

void write(core::JsonWriter& w, PurchaseEvent const& event)
{
    w.begin_object().member("source", to_string(event.source)).member("userId", event.user_id);
    w.member("product", event.product);
    stored_json::write(w, "store", event.store);
    stored_json::write(w, "purchaseId", event.purchase_id);
    w.key("fact");
    purchase_json::write(w, event.fact);
    w.end_object();
}

PurchaseEvent read_purchase(json::value const& v)
{
    return {.source = stored_json::named<Source>(v.at("source")),
        .user_id = core::UserId(stored_json::text(v.at("userId"))),
        .product = stored_json::text(v.at("product")),
        .store = stored_json::text_or_empty(v, "store"),
        .purchase_id = stored_json::text_or_empty(v, "purchaseId"),
        .fact = purchase_json::read_fact(v.at("fact")),
        .aliases = {}};
}

/// Begins a payload with the members of every own event.
void begin(core::JsonWriter& w, Event const& event)
{
    w.begin_object()
        .member("id", event.id)
        .member("type", event.type)
        .member("environment", core::to_string(event.environment.value()))
        .member("at", stored_json::count(event.at.value()));
    if (event.user_id) w.member("userId", *event.user_id);
}

struct WriteData {
    core::JsonWriter& w;

    void operator()(PurchaseEvent const& event) const
    {
        w.key("purchase");
        write(w, event);
    }

    void operator()(SyncEvent const& event) const
    {
        w.key("purchases").begin_array();
        for (auto const& purchase : event.purchases)
            write(w, purchase);
        w.end_array();
    }

    void operator()(SettingsEvent const& event) const
    {
        write_settings(event.settings);
        w.key("previous").begin_object();
        write_settings(event.previous);
        w.end_object();
    }

    void write_settings(AccessSettings const& settings) const
    {
        w.member("pastDueIsActive", settings.past_due_is_active)
            .member("renewalLeewaySeconds", settings.renewal_leeway.count());
    }

    void operator()(auto const&) const {} // LINK: the references alone
};

void read_references(Event& event, json::value const& document)
{
    auto const* references = stored_json::find(document, "references");
    if (references == nullptr) return;
    for (auto const& id : references->as_array())
        event.references.push_back(stored_json::text(id));
}

AccessSettings read_settings(json::value const& v)
{
    return {.past_due_is_active = stored_json::is_true(v, "pastDueIsActive"),
        .renewal_leeway = std::chrono::seconds(v.at("renewalLeewaySeconds").to_number<std::int64_t>())};
}

EventData read_data(Event const& event, json::value const& document)
{
    if (event.type == settings_type)
        return SettingsEvent{read_settings(document), read_settings(document.at("previous"))};
    if (event.type == grant_type || event.type == revoke_type) return read_purchase(document.at("purchase"));
    if (event.type != sync_type) return Skipped{"connects_payments"};
    SyncEvent sync;
    for (auto const& purchase : document.at("purchases").as_array())
        sync.purchases.push_back(read_purchase(purchase));
    return sync;
}

/// Throws if the payload is not one that this service wrote.
Event read(json::value const& document)
{
    Event event{.provider = Provider::internal,
        .id = stored_json::text(document.at("id")),
        .type = stored_json::text(document.at("type"))};
    event.environment = stored_json::named<core::Environment>(document.at("environment"));
    event.at = stored_json::time(document.at("at"));
    if (auto const* user = stored_json::find(document, "userId"))
        event.user_id = core::UserId(stored_json::text(*user));
    read_references(event, document);
    event.data = read_data(event, document);
    return event;
}

} // namespace

std::string own_payload(Event const& event)
{
    core::JsonWriter w(512);
    begin(w, event);
    if (!event.references.empty()) w.member("references", event.references);
    std::visit(WriteData{w}, event.data);
    w.end_object();
    return std::move(w).str();
}

std::string own_payload(Event const& event, json::value const& object)
{
    core::JsonWriter w(4096);
    begin(w, event);
    w.key("order");
    purchase_json::write(w, std::get<SubscriptionEvent>(event.data).order);
    w.key("subscription").raw(json::serialize(object)).end_object();
    return std::move(w).str();
}

ParsedEvent parse_own_event(json::value const& document)
{
    ParsedEvent parsed;
    try {
        if (auto const* subscription = stored_json::find(document, "subscription"))
            return parse_fetched_subscription(*subscription, purchase_json::read_order(document.at("order")));
        parsed.event = read(document);
    } catch (std::exception const&) {
        parsed.event.provider = Provider::internal;
        parsed.faults.push_back({"", "format", "is not an event of this service"});
    }
    return parsed;
}

} // namespace billing
