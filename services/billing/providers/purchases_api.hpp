#pragma once

#include "core/error.hpp"
#include "core/secret.hpp"
#include "core/user_id.hpp"
#include "domain/subscriber.hpp"
#include "observe/metrics.hpp"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

namespace http_client {
class Client;
struct Request;
} // namespace http_client

namespace billing {

/// A failed request to the provider.
class PurchasesApiError : public std::runtime_error {
public:
    enum class Kind {
        throttled,    ///< status 429
        unknown_user, ///< status 404
        refused,      ///< any other status 4xx, for example if the API key is invalid
        unavailable,  ///< status 5xx, a time-out, or no connection
        nonsense,     ///< an answer that is not a subscriber document
        stopped,      ///< a stop was requested
    };

    PurchasesApiError(
        Kind kind, std::string const& what, std::optional<std::chrono::seconds> retry_after = std::nullopt)
        : std::runtime_error(what), kind_(kind), retry_after_(retry_after)
    {
    }

    Kind kind() const noexcept { return kind_; }

    /// The `Retry-After` of the provider's response; nullopt if it had none.
    std::optional<std::chrono::seconds> retry_after() const noexcept { return retry_after_; }

private:
    Kind kind_;
    std::optional<std::chrono::seconds> retry_after_;
};

/// The purchase provider's REST API, RevenueCat's version 1
/// (https://www.revenuecat.com/docs/api-v1#tag/customers). Its requests block, so call it on worker threads,
/// never on an I/O thread. Thread-safe.
class PurchasesApi {
public:
    /// Time limit of a request.
    static constexpr std::chrono::milliseconds timeout{10'000};

    /// `base_url`: PURCHASES_API_URL. `client` and `metrics` outlive this object. `metrics` counts the
    /// answers as provider `purchases`.
    PurchasesApi(std::string base_url, http_client::Client& client, observe::Metrics& metrics);

    /// Fetches all purchases of the user with `GET /v1/subscribers/{userId}`. Status 201 means that the
    /// provider did not know the user; the result then has no purchases. Throws PurchasesApiError for any
    /// response other than 201, or 200 with a subscriber document. `traceparent` is the trace of the request
    /// that causes the call; it may be empty.
    Subscriber fetch(core::UserId const& user_id, core::Secret const& api_key,
        std::stop_token const& stop = {}, std::string const& traceparent = {}) const;

private:
    Subscriber ask(http_client::Request const& request) const;

    std::string base_url_; ///< without a slash at the end
    http_client::Client& client_;
    observe::AnswerMetrics const answers_;
};

} // namespace billing
