#include "providers/purchases_api.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

namespace billing {

namespace {

Subscriber read_subscriber(http_client::Response const& response)
{
    if (response.status == 201) return {.subscriptions = {}, .consumables = std::vector<Purchase>()};
    if (response.status != 200) throw_status(response);
    try {
        return parse_subscriber(response.body);
    } catch (std::invalid_argument const& e) {
        throw ProviderApiError(ProviderApiError::Kind::nonsense, e.what());
    }
}

} // namespace

PurchasesApi::PurchasesApi(std::string base_url, http_client::Client& client, observe::Metrics& metrics)
    : client_(std::move(base_url), client, metrics, "purchases")
{
}

Subscriber PurchasesApi::fetch(core::UserId const& user_id, core::Secret const& api_key,
    std::stop_token const& stop, std::string const& traceparent) const
{
    return client_.get({.target = "/v1/subscribers/" + path_segment(user_id.text()),
                           .api_key = api_key,
                           .stop = stop,
                           .traceparent = traceparent},
        read_subscriber);
}

} // namespace billing
