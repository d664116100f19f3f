#include "domain/event.hpp"

#include "domain/named_users.hpp"
#include "domain/own_event.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include <utility>

namespace billing {

namespace {

constexpr std::size_t depth_limit = 32;

ParsedEvent parse(Provider provider, boost::json::value const& document)
{
    switch (provider) {
    case Provider::purchases:
        return parse_purchase_event(document);
    case Provider::payments:
        return parse_payment_event(document);
    case Provider::internal:
        break;
    }
    return parse_own_event(document);
}

/// Sets the time of receipt of events that have one.
struct SetReceivedAt {
    core::Time at;

    void operator()(PurchaseEvent& event) const { event.received_at = at; }

    void operator()(SubscriptionEvent& event) const { event.received_at = at; }

    void operator()(InvoiceEvent& event) const { event.received_at = at; }

    void operator()(CheckoutEvent& event) const { event.received_at = at; }

    void operator()(ReversalEvent& event) const { event.received_at = at; }

    void operator()(SyncEvent& event) const
    {
        for (auto& purchase : event.purchases)
            purchase.received_at = at;
    }

    void operator()(auto&) const {}
};

} // namespace

void Event::set_received_at(core::Time when)
{
    std::visit(SetReceivedAt{when}, data);
}

std::optional<boost::json::value> parse_document(std::string_view body, boost::json::storage_ptr memory)
{
    boost::json::parse_options options;
    options.max_depth = depth_limit;
    boost::system::error_code failed;
    auto document = boost::json::parse(
        boost::json::string_view(body.data(), body.size()), failed, std::move(memory), options);
    if (failed) return std::nullopt;
    return document;
}

ParsedEvent parse_event(Provider provider, boost::json::value const& document)
{
    auto parsed = parse(provider, document);
    parsed.event.named_users = named_users(provider, document);
    return parsed;
}

} // namespace billing
