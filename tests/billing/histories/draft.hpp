#pragma once

#include "histories/generator.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The parts of the generator: each function adds the events of one purchase or subscription to a draft.
namespace histories {

/// Random numbers that depend only on the seed, not on the standard library.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t next() { return engine_(); }

    /// A number from 0 to `bound` - 1.
    std::int64_t below(std::int64_t bound)
    {
        return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(bound));
    }

    std::int64_t between(std::int64_t first, std::int64_t last) { return first + below(last - first + 1); }

    bool chance(int percent) { return below(100) < percent; }

    template <typename T> T pick(std::vector<T> const& values)
    {
        return values[static_cast<std::size_t>(below(std::ssize(values)))];
    }

private:
    std::mt19937_64 engine_;
};

/// A user of the app. Before the user signs in, the purchase provider knows an anonymous id.
struct Customer {
    std::string id;
    std::string anonymous;         ///< may be empty
    std::int64_t signed_in_ms = 0; ///< since 1970; events before this time have the anonymous id
};

/// A history that is being written. Events may be added in any order; the time decides their place.
class Draft {
public:
    Draft(std::uint64_t seed, std::string label) : random(seed), label_(std::move(label)) {}

    Random random;

    /// A new id: the prefix, random characters, and the label.
    std::string id(std::string_view prefix);

    /// The text with the label.
    std::string labelled(std::string_view text) const { return std::string(text) + label_; }

    void add_purchase(std::int64_t at_ms, json::object event) { add(at_ms, false, std::move(event)); }

    void add_payment(std::int64_t at_s, json::object event) { add(at_s * 1000, true, std::move(event)); }

    /// The events in causal order, some of them repeated.
    std::vector<Webhook> events();

private:
    struct Timed {
        std::int64_t at_ms;
        std::size_t number; ///< the order of addition
        Webhook webhook;
    };

    void add(std::int64_t at_ms, bool payment, json::object event)
    {
        events_.push_back({at_ms, events_.size(), {payment, std::move(event)}});
    }

    std::string label_;
    std::vector<Timed> events_;
};

inline constexpr std::int64_t hours_of_day = 24;

inline constexpr char const* basic_price = "price_basic";
inline constexpr char const* pro_price = "price_pro";
inline constexpr char const* team_price = "price_team";
inline constexpr char const* addon_price = "price_addon";

// --- purchase provider

void add_store_subscription(
    Draft& draft, Customer const& customer, std::string const& product, std::string const& store);
/// The same product in two stores.
void add_two_stores(Draft& draft, Customer const& customer);
void add_consumables(Draft& draft, Customer const& customer);
void add_promotional_grant(Draft& draft, Customer const& customer);
/// An event that changes nothing: a transfer, an alias, an unknown type.
void add_unhandled_purchase(Draft& draft, std::vector<Customer> const& customers);

// --- payments provider

/// The subscription may move to another user of `customers`.
void add_card_subscription(
    Draft& draft, std::string const& user, std::vector<Customer> const& customers, std::string const& price);
void add_checkouts(Draft& draft, std::string const& user);
/// An event that changes nothing: a refund of an unknown charge, an invoice without a subscription, an
/// unknown type.
void add_unhandled_payment(Draft& draft);

/// The ids under which the payments provider knows a payment.
struct Payment {
    std::string invoice, intent, charge; ///< `invoice` may be empty
    std::int64_t amount = 999;
};

Payment new_payment(Draft& draft, bool of_invoice);

/// A full or partial refund at `at_s`. `names_invoice`: the charge has the shape of old API versions.
void add_refund(Draft& draft, std::int64_t at_s, Payment const& payment, bool full, bool names_invoice);
/// A dispute at `at_s`, closed at `closed_s` with `status`: `lost` or `won`.
void add_dispute(
    Draft& draft, std::int64_t at_s, std::int64_t closed_s, Payment const& payment, std::string_view status);
/// The event that links a payment to its invoice in new API versions.
void add_invoice_payment(Draft& draft, std::int64_t at_s, Payment const& payment);

} // namespace histories
