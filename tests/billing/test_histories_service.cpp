#include "histories/generator.hpp"
#include "histories/reference.hpp"
#include "world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

// The service gives the entitlements of the reference model, for random histories in random orders.

using histories::History, histories::RefEntitlement;

namespace {

namespace json = boost::json;

constexpr std::uint64_t history_count = 150;
constexpr std::size_t orders_of_each = 3;
constexpr unsigned senders = 4;

std::optional<std::int64_t> micros(json::value const& time)
{
    if (time.is_null()) return std::nullopt;
    auto const parsed = core::parse_rfc3339(std::string_view(time.as_string()));
    return parsed.value().time_since_epoch().count();
}

/// An entitlement as a response shows it.
RefEntitlement shown(json::value const& e)
{
    auto const& transaction = e.at("transactionId");
    return {.source = text(e, "source"),
        .product = text(e, "providerProductId"),
        .transaction = transaction.is_null() ? std::nullopt : std::optional(text(e, "transactionId")),
        .status = text(e, "status"),
        .expires_at = micros(e.at("expiresAt")),
        .grace_until = micros(e.at("graceUntil")),
        .will_renew = e.at("willRenew").as_bool(),
        .last_event_type = text(e, "lastEventType"),
        .last_event_at = micros(e.at("lastEventAt")).value(),
        .access_until = micros(e.at("accessUntil"))};
}

std::vector<RefEntitlement> shown(json::array const& entitlements)
{
    std::vector<RefEntitlement> all;
    for (auto const& e : entitlements)
        all.push_back(shown(e));
    std::ranges::sort(all);
    return all;
}

std::string describe_all(std::vector<RefEntitlement> const& entitlements)
{
    std::string text;
    for (auto const& e : entitlements)
        text += "  " + histories::describe(e) + '\n';
    return text;
}

void create_products(World const& world, History const& history)
{
    auto backend = world.as_backend("demo");
    for (auto const& product : history.catalog) {
        auto const fields =
            body({{"providerProductId", product.id}, {"name", product.id}, {"kind", product.kind}});
        require(201, backend.post("/v1/products", fields));
    }
}

/// Posts the history in one order. Returns a description of the first difference, or nothing. All histories
/// have the catalog and the settings of the tenant.
std::string check_order(World const& world, std::uint64_t seed, std::size_t place)
{
    auto const history =
        histories::make_history(seed, '-' + std::to_string(seed) + '-' + std::to_string(place));
    auto const orders = histories::orders(history, orders_of_each);
    for (auto const index : orders[place]) {
        auto const& webhook = history.events[index];
        auto const r =
            webhook.payment ? world.post_payment(webhook.event) : world.post_purchase(webhook.event);
        if (r.status != 200) return "seed " + std::to_string(seed) + ": " + r.body;
    }
    auto expected = history;
    expected.settings = {};
    expected.catalog = histories::make_history(0).catalog;
    for (auto const& user : history.users) {
        auto const wanted = histories::reference(expected, user);
        auto const actual = shown(world.entitlements(user));
        if (actual != wanted)
            return "seed " + std::to_string(seed) + ", order " + std::to_string(place) + ", user " + user +
                   "\nexpected:\n" + describe_all(wanted) + "actual:\n" + describe_all(actual) +
                   histories::describe(history);
    }
    return {};
}

} // namespace

TEST_CASE("concurrent random histories in random orders give the entitlements of the reference model",
    "[billing][order]")
{
    World const world;
    create_products(world, histories::make_history(0));
    std::atomic<std::uint64_t> next = 0;
    std::mutex mutex;
    std::string difference;
    auto const send = [&] {
        for (auto i = next++; i < history_count * orders_of_each; i = next++) {
            auto found = check_order(world, i / orders_of_each, i % orders_of_each);
            std::scoped_lock const lock(mutex);
            if (!found.empty()) difference = std::move(found);
            if (!difference.empty()) return;
        }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < senders; ++i)
        threads.emplace_back(send);
    threads.clear();
    CHECK(difference == "");
}
