#pragma once

#include "core/secret.hpp"
#include "core/user_id.hpp"
#include "domain/subscriber.hpp"
#include "observe/metrics.hpp"
#include "providers/provider_client.hpp"

#include <stop_token>
#include <string>

namespace billing {

/// The purchase provider's REST API, RevenueCat's version 1
/// (https://www.revenuecat.com/docs/api-v1#tag/customers). Its requests block, so call it on worker threads,
/// never on an I/O thread. Thread-safe.
class PurchasesApi {
public:
    /// `base_url`: PURCHASES_API_URL. `client` and `metrics` outlive this object. `metrics` counts the
    /// answers as provider `purchases`.
    PurchasesApi(std::string base_url, http_client::Client& client, observe::Metrics& metrics);

    /// Fetches all purchases of the user with `GET /v1/subscribers/{userId}`. Status 201 means that the
    /// provider did not know the user; the result then has no purchases. Throws ProviderApiError for any
    /// response other than 201, or 200 with a subscriber document. `traceparent` is the trace of the request
    /// that causes the call; it may be empty.
    Subscriber fetch(core::UserId const& user_id, core::Secret const& api_key,
        std::stop_token const& stop = {}, std::string const& traceparent = {}) const;

private:
    ProviderClient const client_;
};

} // namespace billing
