#include "histories/generator.hpp"

#include "events.hpp"
#include "histories/draft.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace histories {

namespace {

using events::day, events::ms;

constexpr std::array<char const*, 6> names{"ada", "bob", "cleo", "dan", "eve", "finn"};
constexpr int repeated_percent = 6;

/// Fisher-Yates. std::shuffle may differ between standard libraries.
template <typename T> void shuffle(std::vector<T>& values, Random& random)
{
    for (std::int64_t i = std::ssize(values) - 1; i > 0; --i)
        std::swap(values[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(random.below(i + 1))]);
}

std::vector<Customer> make_customers(Draft& draft)
{
    std::vector<Customer> customers;
    auto const count = draft.random.between(1, std::ssize(names));
    for (std::int64_t i = 0; i < count; ++i) {
        Customer customer{.id = draft.labelled(names[static_cast<std::size_t>(i)])};
        if (draft.random.chance(50)) {
            customer.anonymous = draft.id("$RCAnonymousID:");
            bool const from_the_start = draft.random.chance(30);
            customer.signed_in_ms = from_the_start ? 0 : ms(draft.random.below(60 * day));
        }
        customers.push_back(std::move(customer));
    }
    return customers;
}

/// Adds the events of one purchase, grant or subscription, or of several that influence each other.
void add_something(Draft& draft, std::vector<Customer> const& customers)
{
    std::vector<std::string> const prices{basic_price, pro_price, team_price};
    Random& random = draft.random;
    auto const customer = random.pick(customers);
    auto const kind = random.below(100);
    if (kind < 26) {
        std::string const product = random.chance(70) ? "pro.monthly" : "pro.yearly";
        auto const store = random.pick(std::vector<std::string>{"APP_STORE", "PLAY_STORE", "AMAZON"});
        add_store_subscription(draft, customer, product, store);
    } else if (kind < 34) {
        add_two_stores(draft, customer);
    } else if (kind < 46) {
        add_consumables(draft, customer);
    } else if (kind < 54) {
        add_promotional_grant(draft, customer);
    } else if (kind < 80) {
        add_card_subscription(draft, customer.id, customers, random.pick(prices));
    } else if (kind < 88) {
        auto const price = random.pick(prices);
        add_card_subscription(draft, customer.id, customers, price);
        add_card_subscription(draft, customer.id, customers, price);
    } else {
        add_checkouts(draft, customer.id);
    }
}

} // namespace

std::string Draft::id(std::string_view prefix)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string id(prefix);
    for (auto bits = random.next() | 1ULL << 63; bits > 0xFFFF; bits >>= 4)
        id += digits[bits & 0xF];
    return id + label_;
}

std::vector<Webhook> Draft::events()
{
    std::ranges::sort(events_, {}, [](Timed const& event) { return std::pair(event.at_ms, event.number); });
    std::vector<Webhook> ordered;
    ordered.reserve(events_.size());
    for (auto& event : events_)
        ordered.push_back(std::move(event.webhook));
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        if (!random.chance(repeated_percent)) continue;
        auto const place = random.between(static_cast<std::int64_t>(i) + 1, std::ssize(ordered));
        auto repeated = ordered[i];
        ordered.insert(ordered.begin() + place, std::move(repeated));
    }
    return ordered;
}

History make_history(std::uint64_t seed, std::string const& label)
{
    History history{.seed = seed};
    Draft draft(seed, label);
    history.settings.past_due_is_active = draft.random.chance(40);
    history.settings.leeway_s = draft.random.pick(std::vector<std::int64_t>{0, 3600, 86400});
    history.catalog = {{"pro.monthly", "subscription"}, {"pro.yearly", "subscription"},
        {"rc_promo_pro_monthly", "subscription"}, {"coins", "consumable"}, {"gems", "consumable"},
        {"forever", "lifetime"}, {basic_price, "subscription"}, {pro_price, "subscription"},
        {team_price, "subscription"}, {addon_price, "subscription"}};
    auto const customers = make_customers(draft);
    for (auto count = draft.random.between(1, 6); count > 0; --count)
        add_something(draft, customers);
    if (draft.random.chance(60)) add_unhandled_purchase(draft, customers);
    if (draft.random.chance(60)) add_unhandled_payment(draft);
    history.events = draft.events();
    for (auto const& customer : customers) {
        history.users.push_back(customer.id);
        if (!customer.anonymous.empty()) history.users.push_back(customer.anonymous);
    }
    return history;
}

std::vector<std::vector<std::size_t>> orders(History const& history, std::size_t count)
{
    Random random(history.seed + 1);
    std::vector<std::size_t> order(history.events.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::vector<std::size_t>> all;
    if (count > 0) all.push_back(order);
    std::ranges::reverse(order);
    if (count > 1) all.push_back(order);
    while (all.size() < count) {
        shuffle(order, random);
        all.push_back(order);
    }
    return all;
}

} // namespace histories
