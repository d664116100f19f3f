#pragma once

#include "core/clock.hpp"
#include "http_client/client.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reads the responses of the payments provider's REST API. Each function throws ProviderApiError for a
/// failed request, and for a response that is not one of this API.
namespace billing::payments_responses {

/// A page of a list or of the results of a search.
struct Page {
    std::vector<boost::json::value> data{}; ///< objects with valid ids
    bool has_more = false;
    std::string next_page{};                   ///< only of a search
    std::string last_id{};                     ///< of the last object
    std::optional<core::Time> platform_time{}; ///< the provider's clock when it responded: `Date`
};

/// Throws that the response is not one of this API.
[[noreturn]] void malformed(std::string const& what);

/// The object in a response with the status 200.
boost::json::object read_object(http_client::Response const& response);

std::optional<core::Time> date_of(http_client::Response const& response);

/// Whether the response says that an object which the request names does not exist.
bool is_missing(http_client::Response const& response);

/// The id of an object of the type. Throws if the object has another type or no valid id.
std::string id_of(boost::json::value const& object, std::string_view type);

Page read_subscriptions(http_client::Response const& response);

/// The results of a search; nullopt if the account cannot search.
std::optional<Page> read_search(http_client::Response const& response);

/// A page of the items of a subscription; nullopt if the subscription does not exist.
std::optional<Page> read_items(http_client::Response const& response);

/// The id of the invoice of a payment intent: preferably one that it has paid.
std::optional<std::string> read_invoice(
    http_client::Response const& response, std::string const& payment_intent_id);

} // namespace billing::payments_responses
