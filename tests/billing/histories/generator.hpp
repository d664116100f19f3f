#pragma once

#include <boost/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Random histories of events, for tests which compare the service with a reference model (reference.hpp).
namespace histories {

namespace json = boost::json;

/// An event, and the provider that sent it.
struct Webhook {
    bool payment = false; ///< true: the payments provider, false: the purchase provider
    json::object event;   ///< with its envelope
};

/// A product of the catalog.
struct Product {
    std::string id;   ///< `providerProductId`
    std::string kind; ///< `subscription`, `consumable` or `lifetime`
};

/// The settings of the tenant that decide access.
struct Settings {
    bool past_due_is_active = false;
    std::int64_t leeway_s = 3600; ///< `renewalLeewaySeconds`
};

/// All events of some users, in the sandbox. All times are relative to the start of the tests (events.hpp).
struct History {
    std::uint64_t seed = 0;
    std::vector<Webhook> events; ///< in causal order; an event may occur more than once
    std::vector<std::string> users;
    std::vector<Product> catalog;
    Settings settings;
};

/// The history of a seed: the same in each run. `label` is appended to the ids of users, events,
/// transactions, subscriptions, and all other objects, so that a scope can receive one history several times.
/// Histories that differ only in their label have the same meaning.
History make_history(std::uint64_t seed, std::string const& label = {});

/// `count` orders in which the events of a history may arrive, as indexes into `events`: the causal order,
/// the reverse order, then random orders. The same in each run.
std::vector<std::vector<std::size_t>> orders(History const& history, std::size_t count);

/// The history as text, with one line for each event.
std::string describe(History const& history);

/// A time in microseconds since 1970 as a time after the start of the tests: `+30d 01:00:00`.
std::string describe_time(std::int64_t microseconds);

} // namespace histories
