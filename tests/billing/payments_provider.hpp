#pragma once

#include "support/http_client.hpp"
#include "support/json.hpp"
#include "support/peer.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The payments provider's REST API (node/payments_provider.mjs), in a separate process. At first the account
/// has no subscriptions, and every API key with the right prefix is accepted.
class PaymentsProvider {
public:
    std::string url() const { return "http://127.0.0.1:" + std::to_string(peer_.port()); }

    /// Replaces all subscriptions. Each needs an `id` and `created`, and may have any other members.
    void has(boost::json::array const& subscriptions) const
    {
        control("PUT", "subscriptions", subscriptions);
    }

    /// Adds subscriptions, or replaces the subscriptions with the same ids.
    void adds(boost::json::array const& subscriptions) const
    {
        control("PATCH", "subscriptions", subscriptions);
    }

    /// Replaces all subscriptions by generated ones: `{count, seed?, users?, newest?, delayMs?}`.
    void generates(boost::json::object const& options) const { control("PUT", "subscriptions", options); }

    /// Replaces all payments of invoices: `{invoice, payment_intent, ...}`.
    void has_invoice_payments(boost::json::array const& payments) const
    {
        control("PUT", "invoice_payments", payments);
    }

    /// Sets the responses to the next requests: `{path?, times?, status?, headers?, error?, text?, deed?}`.
    void fails(std::initializer_list<boost::json::object> failures) const
    {
        control("PUT", "failures", boost::json::array(failures.begin(), failures.end()));
    }

    /// Changes settings: `{key?, delayMs?, now?, hidden?, held?}`.
    void set(boost::json::object const& settings) const { control("PATCH", "settings", settings); }

    /// The received requests, in order: `{path, query, version, idempotencyKey, authorization, trace,
    /// status}`.
    std::vector<boost::json::object> seen() const
    {
        std::vector<boost::json::object> requests;
        auto const value = control("GET", "seen");
        for (auto const& request : value.as_array())
            requests.push_back(request.as_object());
        return requests;
    }

    /// Clears the list of received requests.
    void forget() const { control("DELETE", "seen"); }

    /// The number of held requests.
    std::int64_t waiting() const { return control("GET", "waiting").at("count").to_number<std::int64_t>(); }

    /// Responds to the held requests.
    void release() const { control("POST", "release", boost::json::object()); }

private:
    boost::json::value control(
        std::string const& method, std::string const& name, boost::json::value const& body = nullptr) const
    {
        auto const text = body.is_null() ? std::nullopt : std::optional(boost::json::serialize(body));
        return testing::require(200, testing::HttpClient(url()).request(method, "/test/" + name, {}, text))
            .json();
    }

    testing::Peer peer_{NPM_FOLDER "/payments_provider.mjs"};
};

/// The time at which the subscriptions below were created, in seconds since 1970: 2026-01-01.
inline constexpr std::int64_t account_start = 1'767'225'600;

/// An active subscription of user `ada` with one item, as PaymentsProvider expects it. `changes` replaces
/// members.
inline boost::json::object account_subscription(std::string_view id, boost::json::object changes = {})
{
    boost::json::object fields{{"id", id}, {"created", account_start},
        {"metadata", boost::json::object{{"userId", "ada"}}},
        {"items", boost::json::array{boost::json::object{{"price", "price_pro"}}}}};
    for (auto& change : changes)
        fields[change.key()] = std::move(change.value());
    return fields;
}
