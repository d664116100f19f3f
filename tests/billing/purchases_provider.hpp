#pragma once

#include "core/text.hpp"
#include "support/eventually.hpp"
#include "support/http_client.hpp"
#include "support/json.hpp"
#include "support/process.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A user id as one path segment. `.` and `..` are escaped, because clients would resolve them.
inline std::string segment(std::string_view user)
{
    if (user == ".") return "%2E";
    return user == ".." ? "%2E%2E" : core::percent_encode(user);
}

/// The purchase provider's REST API (node/purchases_provider.mjs), in a separate process. At first the
/// provider knows no users.
class PurchasesProvider {
public:
    PurchasesProvider()
        : process_(
              {.argv = {"node", NPM_FOLDER "/purchases_provider.mjs"}, .output = folder_.path() + "/output"})
    {
        REQUIRE(testing::eventually([this] { return read_port(); }, std::chrono::minutes(1)));
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

    /// Sets the response for a user from now on; `*` means all other users. See node/purchases_provider.mjs.
    void answers(std::string_view user, boost::json::object const& answer) const
    {
        auto const path = "/test/answers/" + segment(user);
        REQUIRE(testing::HttpClient(url()).put(path, boost::json::serialize(answer)).status == 200);
    }

    /// Sets the content of the user's document from now on.
    void has(std::string_view user, boost::json::object subscriptions, boost::json::object consumables = {},
        boost::json::object more = {}) const
    {
        more["document"] = boost::json::object{{"request_date", "2026-01-01T00:00:00Z"},
            {"subscriber", boost::json::object{{"subscriptions", std::move(subscriptions)},
                               {"non_subscriptions", std::move(consumables)},
                               {"entitlements", boost::json::object()}, {"original_app_user_id", user}}}};
        answers(user, more);
    }

    /// The received requests, in order: `{user, authorization, trace}`.
    std::vector<boost::json::object> seen() const
    {
        std::vector<boost::json::object> requests;
        auto const value = testing::HttpClient(url()).get("/test/seen").json();
        for (auto const& request : value.as_array())
            requests.push_back(request.as_object());
        return requests;
    }

    /// The number of requests for a user.
    std::size_t seen(std::string_view user) const
    {
        auto const requests = seen();
        return static_cast<std::size_t>(std::ranges::count_if(
            requests, [&](auto const& request) { return testing::text(request, "user") == user; }));
    }

    /// The number of held requests.
    std::int64_t waiting() const
    {
        return testing::HttpClient(url()).get("/test/waiting").json().at("count").to_number<std::int64_t>();
    }

    /// Responds to the held requests.
    void release() const { testing::HttpClient(url()).post("/test/release", ""); }

private:
    bool read_port()
    {
        std::ifstream output(folder_.path() + "/output");
        std::string line;
        if (!std::getline(output, line)) return false;
        boost::system::error_code unfinished;
        auto const said = boost::json::parse(line, unfinished);
        if (unfinished) return false;
        port_ = said.at("port").to_number<int>();
        return true;
    }

    testing::TemporaryDirectory folder_{"billing-purchases"};
    testing::Process process_;
    int port_ = 0;
};

/// A subscription as in the provider's documents, active for a month. `changes` replaces members.
inline boost::json::object subscription(boost::json::object changes = {})
{
    boost::json::object fields{{"billing_issues_detected_at", nullptr},
        {"expires_date", "2026-02-01T00:00:00Z"}, {"grace_period_expires_date", nullptr},
        {"is_sandbox", false}, {"original_purchase_date", "2025-12-31T00:00:00Z"},
        {"ownership_type", "PURCHASED"}, {"period_type", "normal"}, {"purchase_date", "2025-12-31T00:00:00Z"},
        {"refunded_at", nullptr}, {"auto_resume_date", nullptr}, {"store", "app_store"},
        {"unsubscribe_detected_at", nullptr}};
    for (auto& change : changes)
        fields[change.key()] = std::move(change.value());
    return fields;
}

/// A purchase of a consumable as in the provider's documents. `changes` replaces members.
inline boost::json::object purchase(std::string_view transaction, boost::json::object changes = {})
{
    boost::json::object fields{{"id", "17459f5ff7"}, {"is_sandbox", false},
        {"original_purchase_date", "2025-12-30T00:00:00Z"}, {"purchase_date", "2025-12-30T00:00:00Z"},
        {"store", "app_store"}, {"store_transaction_id", transaction}};
    for (auto& change : changes)
        fields[change.key()] = std::move(change.value());
    return fields;
}
