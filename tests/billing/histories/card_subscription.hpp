#pragma once

#include "events.hpp"
#include "histories/draft.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace histories {

struct Item {
    std::string price;
    std::int64_t length, begins, ends; ///< the period in seconds
};

/// A paid invoice.
struct Paid {
    Payment payment;
    std::vector<Item> lines;
};

/// A subscription of the payments provider. Each member function adds the events of one thing that happens to
/// it.
class CardSubscription {
public:
    CardSubscription(
        Draft& draft, std::string user, std::vector<Customer> const& customers, std::string const& price)
        : draft_(draft), random_(draft.random), customers_(customers), user_(std::move(user)),
          id_(draft.id("sub_")), now_(events::s(random_.below(20 * events::day))), created_(now_),
          old_shape_(random_.chance(35)), names_latest_invoice_(random_.chance(75)), items_{item(price)}
    {
        if (!old_shape_ && random_.chance(30)) items_.push_back(item(addon_price));
    }

    void live();

private:
    Item item(std::string price)
    {
        auto const length = (!old_shape_ && random_.chance(15) ? 365 : 30) * events::day;
        return {std::move(price), length, now_, now_ + length};
    }

    bool has_ended() const { return status_ == "canceled" || status_ == "incomplete_expired"; }

    void begin();
    void begin_incomplete();
    void begin_without_user();
    void step();
    void step_while_active(std::int64_t kind);
    void step_while_unpaid(std::int64_t kind);

    void wait(std::int64_t seconds);
    void renew();
    void pay_for_period(std::vector<Item> const& lines);
    void pay_pending();
    void pay_one_item();
    void pay_old_invoice();
    void cancel();
    void cancel_at_some_time();
    void swap_items();
    void change_items();
    void move_to_user();
    void update_part_of_items();
    void change_twice_at_once();
    void reverse_payment();
    void remove();

    // Events (card_subscription_events.cpp)
    void send_invoice(Paid const& paid);
    void update();
    void send(std::string_view type, std::optional<std::size_t> items = {});
    json::object object() const;
    json::object previous_attributes(json::object const& now) const;

    Draft& draft_;
    Random& random_;
    std::vector<Customer> const& customers_;
    std::string user_, id_, status_ = "active";
    std::int64_t now_, created_;
    bool old_shape_, names_latest_invoice_;
    std::vector<Item> items_;
    bool cancels_ = false;
    std::optional<std::int64_t> cancel_at_, ended_at_, trial_end_;
    std::optional<Paid> pending_; ///< the invoice of a failed payment
    std::vector<Paid> paid_;
    std::string latest_invoice_;
    std::optional<json::object> last_sent_;
};

} // namespace histories
