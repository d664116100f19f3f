#include "domain/purchase_json.hpp"
#include "histories/generator.hpp"
#include "histories/reference.hpp"
#include "memory_scope.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

// The rules give the same entitlements for any order of the same events, and those of the reference model.

using namespace billing;
using histories::History, histories::RefEntitlement;

namespace {

/// The number of histories, and of orders of each. The nightly run sets HISTORIES and ORDERS.
std::uint64_t count_from(char const* name, std::uint64_t otherwise)
{
    auto const* text = std::getenv(name);
    return text == nullptr ? otherwise : std::stoull(text);
}

std::int64_t micros(core::Time time)
{
    return time.time_since_epoch().count();
}

std::optional<std::int64_t> micros(std::optional<core::Time> time)
{
    return time ? std::optional(micros(*time)) : std::nullopt;
}

AccessSettings settings_of(History const& history)
{
    return {.past_due_is_active = history.settings.past_due_is_active,
        .renewal_leeway = std::chrono::seconds(history.settings.leeway_s)};
}

/// What responses show of an entitlement, in the form of the reference model.
RefEntitlement shown(Entitlement const& e, AccessSettings const& settings)
{
    auto const& transaction = e.last_transaction_id;
    return {.source = std::string(to_string(e.source)),
        .product = e.provider_product_id,
        .transaction = transaction.empty() ? std::nullopt : std::optional(transaction),
        .status = std::string(to_string(shown_status(e.status, settings))),
        .expires_at = micros(e.expires_at),
        .grace_until = micros(e.grace_until),
        .will_renew = e.will_renew,
        .last_event_type = e.last_event_type,
        .last_event_at = micros(e.last.at),
        .access_until = micros(access_until(e.access, settings))};
}

std::string describe_all(std::vector<RefEntitlement> const& entitlements)
{
    std::string text;
    for (auto const& e : entitlements)
        text += "  " + histories::describe(e) + '\n';
    return text;
}

std::vector<RefEntitlement> shown(
    std::vector<Entitlement> const& entitlements, AccessSettings const& settings)
{
    std::vector<RefEntitlement> all;
    for (auto const& e : entitlements)
        all.push_back(shown(e, settings));
    std::ranges::sort(all);
    return all;
}

Event parsed(histories::Webhook const& webhook)
{
    auto const provider = webhook.payment ? Provider::payments : Provider::purchases;
    auto event = parse_event(provider, boost::json::value(webhook.event));
    REQUIRE(event.faults.empty());
    return std::move(event.event);
}

std::map<std::string, std::string> products_of(History const& history)
{
    std::map<std::string, std::string> products;
    for (auto const& product : history.catalog)
        products.emplace(product.id, product.kind);
    return products;
}

MemoryScope received(
    History const& history, std::vector<Event> const& events, std::vector<std::size_t> const& order)
{
    MemoryScope scope(products_of(history));
    for (auto const index : order)
        scope.receive(events[index]);
    return scope;
}

std::vector<Event> parsed_events(History const& history)
{
    std::vector<Event> events;
    for (auto const& webhook : history.events)
        events.push_back(parsed(webhook));
    return events;
}

/// The state without the times of receipt, which differ between orders.
Entitlement timeless(Entitlement e)
{
    e.created_at = e.updated_at = core::Time();
    e.revision = 0;
    return e;
}

/// The whole state of each entitlement, without times of receipt, as text.
std::vector<std::string> state_of(std::vector<Entitlement> const& all)
{
    std::vector<std::string> states;
    for (auto const& e : all)
        states.push_back(e.id.to_string() + ' ' + histories::describe(shown(e, {})) + ' ' + e.last.event_id +
                         ' ' + e.store + ' ' + e.cancel_reason + ' ' + purchase_json::to_json(e.lines));
    return states;
}

std::vector<Entitlement> timeless(std::vector<Entitlement> all)
{
    for (auto& e : all)
        e = timeless(std::move(e));
    return all;
}

/// The events of the history up to a time.
History up_to(History history, std::vector<Event> const& events, core::Time at)
{
    std::vector<histories::Webhook> kept;
    for (std::size_t i = 0; i < events.size(); ++i)
        if (events[i].at && *events[i].at <= at) kept.push_back(history.events[i]);
    history.events = std::move(kept);
    return history;
}

void compare_with_reference(History const& history, MemoryScope const& scope, std::string const& user)
{
    auto const settings = settings_of(history);
    auto const expected = histories::reference(history, user);
    auto const actual = shown(scope.of_user(user), settings);
    if (actual == expected) return;
    FAIL("seed " << history.seed << ", user " << user << "\nexpected:\n"
                 << describe_all(expected) << "actual:\n"
                 << describe_all(actual) << histories::describe(history));
}

void check_history(std::uint64_t seed, std::size_t orders)
{
    auto const history = histories::make_history(seed);
    auto const events = parsed_events(history);
    std::optional<MemoryScope> first;
    for (auto const& order : histories::orders(history, orders)) {
        auto scope = received(history, events, order);
        for (auto const& user : history.users) {
            compare_with_reference(history, scope, user);
            if (first && timeless(scope.of_user(user)) != timeless(first->of_user(user)))
                FAIL("seed " << seed << ": the stored state of " << user << " depends on the order\n"
                             << histories::describe(history));
        }
        if (!first) first = std::move(scope);
    }
}

} // namespace

TEST_CASE("any order of the events of a history gives the entitlements of the reference model")
{
    auto const from = count_from("FIRST_HISTORY", 0);
    auto const histories = count_from("HISTORIES", 1000);
    auto const orders = count_from("ORDERS", 5);
    for (auto seed = from; seed < from + histories; ++seed)
        check_history(seed, orders);
}

TEST_CASE("a replay of the archive gives the same rows")
{
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        auto const history = histories::make_history(seed);
        auto const events = parsed_events(history);
        auto const scope = received(history, events, histories::orders(history, 3).back());
        auto const replayed = scope.replayed();
        for (auto const& user : history.users) {
            INFO("seed " << seed << ", user " << user << '\n' << histories::describe(history));
            auto const stored = scope.of_user(user), again = replayed.of_user(user);
            REQUIRE(state_of(stored) == state_of(again));
        }
    }
}

TEST_CASE("a read as of a time gives the entitlements after the events up to that time")
{
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto const history = histories::make_history(seed);
        auto const events = parsed_events(history);
        auto const scope = received(history, events, histories::orders(history, 3).back());
        auto const settings = settings_of(history);
        for (auto const& event : events) {
            if (!event.at) continue;
            for (auto const& user : history.users) {
                auto const expected = histories::reference(up_to(history, events, *event.at), user);
                auto const actual = shown(scope.as_of(user, *event.at), settings);
                if (actual == expected) continue;
                FAIL("seed " << seed << ", user " << user << " at "
                             << histories::describe_time(micros(*event.at)) << "\nexpected:\n"
                             << describe_all(expected) << "actual:\n"
                             << describe_all(actual) << histories::describe(history));
            }
        }
    }
}

TEST_CASE("from the latest event on, access is active exactly until its end, at every instant")
{
    using namespace std::chrono_literals;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        auto const history = histories::make_history(seed);
        auto const events = parsed_events(history);
        auto const scope = received(history, events, histories::orders(history, 3).back());
        auto const settings = settings_of(history);
        for (auto const& user : history.users) {
            for (auto const& e : scope.of_user(user)) {
                auto const end = access_until(e.access, settings);
                std::vector instants{e.last.at, core::max_time};
                if (end) instants.insert(instants.end(), {*end - 1us, *end, *end + 1us});
                for (auto const& event : events)
                    if (event.at) instants.push_back(*event.at);
                for (auto const at : instants) {
                    if (at < e.last.at) continue;
                    INFO("seed " << seed << ", at " << histories::describe_time(micros(at)) << '\n'
                                 << histories::describe(shown(e, settings)));
                    REQUIRE(is_active(e.access, settings, at) == (!end || at < *end));
                }
            }
        }
    }
}
