#pragma once

#include "core/error.hpp"
#include "core/secret.hpp"
#include "domain/subscriber.hpp"
#include "observe/metrics.hpp"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

namespace http {
class Client;
struct OutboundRequest;
} // namespace http

namespace billing {

/// The platform did not answer as it should.
class PurchasesApiError : public std::runtime_error {
public:
    enum class Kind {
        throttled,    ///< 429
        unknown_user, ///< 404
        refused,      ///< any other 4xx: the key
        unavailable,  ///< 5xx, a hang, nobody there
        nonsense,     ///< an answer that is no subscriber document
        stopped,      ///< the caller was told to end
    };

    PurchasesApiError(
        Kind kind, std::string const& what, std::optional<std::chrono::seconds> retry_after = std::nullopt)
        : std::runtime_error(what), kind_(kind), retry_after_(retry_after)
    {
    }

    Kind kind() const noexcept { return kind_; }

    /// How long the platform asks to be left alone.
    std::optional<std::chrono::seconds> retry_after() const noexcept { return retry_after_; }

private:
    Kind kind_;
    std::optional<std::chrono::seconds> retry_after_;
};

/// The purchase platform's REST API, RevenueCat's version 1
/// (https://www.revenuecat.com/docs/api-v1#tag/customers). Blocking: for worker threads, never for an I/O
/// thread. Safe from any number of them.
class PurchasesApi {
public:
    /// A request is given up after this long.
    static constexpr std::chrono::milliseconds timeout{10'000};

    /// `base_url`: PURCHASES_API_URL. `client` outlives this object, and so do `metrics`, which count the
    /// answers as those of provider `purchases`.
    PurchasesApi(std::string base_url, http::Client& client, observe::Metrics& metrics);

    /// `GET /v1/subscribers/{userId}`: everything the user bought. 201 is a user whom the platform did not
    /// know: nothing. Throws PurchasesApiError for anything else but 200 with a subscriber document.
    /// `traceparent`: of the request that wants to know; empty: nobody's.
    Subscriber fetch(std::string_view user_id, core::Secret const& api_key, std::stop_token const& stop = {},
        std::string const& traceparent = {}) const;

private:
    Subscriber ask(http::OutboundRequest const& request) const;

    std::string base_url_; ///< without a slash at its end
    http::Client& client_;
    observe::AnswerMetrics const answers_;
};

} // namespace billing
