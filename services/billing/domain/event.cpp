#include "domain/event.hpp"

#include "domain/named_users.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include <utility>

namespace billing {

namespace {

constexpr std::size_t depth_limit = 32;

} // namespace

void Event::set_received_at(core::Time when)
{
    if (auto* purchase = std::get_if<PurchaseEvent>(&data)) purchase->received_at = when;
    if (auto* subscription = std::get_if<SubscriptionEvent>(&data)) subscription->received_at = when;
    if (auto* invoice = std::get_if<InvoiceEvent>(&data)) invoice->received_at = when;
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
    auto parsed =
        provider == Provider::purchases ? parse_purchase_event(document) : parse_payment_event(document);
    parsed.event.named_users = named_users(provider, document);
    return parsed;
}

} // namespace billing
