#pragma once

#include "histories/reference.hpp"

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// The parts of the reference model.
namespace histories::model {

using Time = std::int64_t; ///< microseconds since 1970

inline constexpr Time never = std::numeric_limits<Time>::max();

/// The position of an event among the events of one key.
struct Order {
    Time at = 0;
    int rank = 0;
    Time period_end = never;
    std::string id;

    friend auto operator<=>(Order const&, Order const&) = default;
};

/// What the purchases in one store, one item of a subscription, or one checkout contribute to an entitlement.
struct Part {
    std::string status; ///< `active`, `paused`, `past_due` or `expired`
    std::optional<std::string> transaction;
    std::optional<Time> expires_at, grace_until;
    bool will_renew = false;
    // access
    Time until = never;
    std::optional<Time> renewal_until, ended_at, past_due_until;
    // the event that decided
    Order last;
    std::string last_type;
};

/// The end of access that a part gives.
Time end_of(Part const& part, Settings const& settings);

/// All parts of an entitlement.
struct Parts {
    std::string source, product;
    std::vector<Part> parts;
};

// --- purchases and checkouts

/// What an event does to a purchase.
enum class Effect : std::uint8_t { period, resumed, cancelled, refunded, issue, paused, ended };

/// An event of a purchase: all events of one key and one store are a line.
struct LineEvent {
    Order order;
    std::string type;
    Effect effect{};
    /// Whether the event states the purchase's times and transaction. False for events about a charge, and
    /// for an event of another user that moved the purchase.
    bool states_purchase = true;
    std::optional<Time> expires_at, grace_until;
    std::optional<std::string> transaction;
};

/// The result of a line. `is_consumable`: the purchase never renews. Precondition: an event states the
/// purchase.
Part part_of(std::vector<LineEvent> events, bool is_consumable);

std::vector<Parts> purchases_of(History const& history, std::string const& user);

// --- payments

/// A full refund or a lost dispute.
struct Reversal {
    Order order;
    std::string type;
    std::set<std::string>
        references; ///< ids of all charges, payments, invoices, sessions that belong together
};

/// The payments provider's events without repetitions.
std::vector<json::object const*> payment_events(History const& history);

std::vector<Reversal> reversals_in(std::vector<json::object const*> const& events);

std::vector<Parts> checkouts_of(History const& history, std::string const& user);
std::vector<Parts> subscriptions_of(History const& history, std::string const& user);

// --- JSON

/// The value below `value`; null if a member is missing or JSON null.
json::value const* find(json::value const* value, std::initializer_list<std::string_view> path);

/// The text of a member; empty if it is missing or no text.
std::string text(json::value const& object, std::string_view name);

/// A time in `unit` microseconds; nullopt if it is missing or no number.
std::optional<Time> time(json::value const& object, std::string_view name, Time unit);

inline constexpr Time millisecond = 1000, second = 1'000'000;

} // namespace histories::model
