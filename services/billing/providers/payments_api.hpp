#pragma once

#include "core/clock.hpp"
#include "core/secret.hpp"
#include "core/user_id.hpp"
#include "observe/metrics.hpp"
#include "providers/provider_client.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace billing {

/// How often a request is repeated after status 429 or 5xx, or without a response.
struct Retries {
    unsigned attempts = 4; ///< including the first one
    /// The pauses are a backoff with jitter.
    std::chrono::milliseconds first_pause{500};
    std::chrono::milliseconds longest_pause{8'000};
    /// A response with a longer `Retry-After` ends the call.
    std::chrono::seconds longest_retry_after{10};
};

/// The circumstances of a call of PaymentsApi.
struct PaymentsCall {
    core::Secret const& api_key;
    std::stop_token stop{};    ///< ends the call, also while it pauses, with the error `stopped`
    std::string traceparent{}; ///< trace of the request that causes the call; may be empty
    Retries retries{};         ///< for each request of the call
    /// No request begins or lasts beyond this time. The call then fails with the error `unavailable`, or with
    /// the error of its last request.
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

/// The payments provider's REST API, Stripe's (https://docs.stripe.com/api). Its requests block, so call it
/// on worker threads, never on an I/O thread. Thread-safe.
///
/// A call sends one or more requests, and repeats a failed request. Calls throw ProviderApiError.
/// Subscriptions are returned as the provider's JSON objects. Each has `id`, a valid text. Its other members
/// are not checked. A subscription has all its items: if it did not contain all of them, the call has fetched
/// the rest.
class PaymentsApi {
public:
    /// The API version of all requests (https://docs.stripe.com/api/versioning).
    static constexpr char const* version = "2025-03-31.basil";
    /// The number of objects that a request asks for, which is the provider's maximum.
    static constexpr unsigned page_size = 100;
    /// The number of pages that `search` reads: of a search, or of a list if the account cannot search.
    static constexpr unsigned max_search_pages = 5;
    static constexpr unsigned max_list_pages = 10;
    /// The number of pages of a subscription's items. More items are `nonsense`.
    static constexpr unsigned max_item_pages = 10;

    struct Subscriptions {
        std::vector<boost::json::value> subscriptions;
        bool has_more = false; ///< whether the provider has further subscriptions
        /// The provider's clock when the first page was requested; nullopt if the response did not state it.
        std::optional<core::Time> platform_time;
    };

    struct FetchedSubscription {
        boost::json::value subscription;
        std::optional<core::Time> platform_time; ///< as above
    };

    struct ListQuery {
        std::optional<core::Time> since{}; ///< only subscriptions created at or after this time
        std::string starting_after{};      ///< the last id of the previous page; empty: the first page
        std::string customer{};            ///< the provider's customer id; empty: of all customers
        unsigned limit = page_size;        ///< 1 to page_size
    };

    /// `base_url`: PAYMENTS_API_URL. `client` and `metrics` outlive this object. `metrics` counts the answers
    /// as provider `payments`.
    PaymentsApi(std::string base_url, http_client::Client& client, observe::Metrics& metrics);

    /// A page of the account's subscriptions of all statuses, newest first (GET /v1/subscriptions).
    Subscriptions list(ListQuery const& query, PaymentsCall const& call) const;

    /// The subscriptions whose `metadata.userId` is `user_id` (GET /v1/subscriptions/search). A subscription
    /// that was created in the last minute may be missing, because the provider indexes subscriptions with a
    /// delay. For the same reason each subscription that has not ended is fetched by its id. If the account
    /// cannot search (status 400 or 404), the result has the user's subscriptions among the account's newest
    /// 1000. `has_more`: the result may be incomplete, because of the maximum number of pages.
    Subscriptions search(core::UserId const& user_id, PaymentsCall const& call) const;

    /// nullopt if the account has no such subscription (GET /v1/subscriptions/{id}).
    std::optional<FetchedSubscription> retrieve(
        std::string const& subscription_id, PaymentsCall const& call) const;

    /// All items of a subscription (GET /v1/subscription_items). nullopt if the account has no such
    /// subscription.
    std::optional<std::vector<boost::json::value>> items(
        std::string const& subscription_id, PaymentsCall const& call) const;

    /// The id of the invoice that a payment intent has paid, or else of one that it is for
    /// (GET /v1/invoice_payments). nullopt if it is for no invoice, or the account has no such payment
    /// intent.
    std::optional<std::string> invoice_of(
        std::string const& payment_intent_id, PaymentsCall const& call) const;

private:
    Subscriptions list_of(core::UserId const& user_id, PaymentsCall const& call) const;
    void refresh(Subscriptions& found, core::UserId const& user_id, PaymentsCall const& call) const;
    void complete_items(boost::json::value& subscription, PaymentsCall const& call) const;

    ProviderClient const client_;
};

/// Whether a subscription's `metadata.userId` is exactly `user_id`.
bool belongs_to(boost::json::value const& subscription, core::UserId const& user_id);

/// A clause of the provider's search language (https://docs.stripe.com/search#search-query-language) that
/// matches the subscriptions of a user, and those of users whose ids differ from it only in case.
std::string search_query(core::UserId const& user_id);

} // namespace billing
