#include "histories/card_subscription.hpp"

#include <algorithm>
#include <utility>

namespace histories {

namespace {

using events::day;

constexpr std::int64_t hour = 3600;

} // namespace

void CardSubscription::live()
{
    begin();
    for (auto steps = random_.between(0, 8); steps > 0 && !has_ended(); --steps)
        step();
}

void CardSubscription::begin()
{
    auto const kind = random_.below(100);
    if (kind < 35) {
        begin_incomplete();
    } else if (kind < 55) {
        status_ = "trialing";
        trial_end_ = now_ + 7 * day;
        for (auto& item : items_)
            item.ends = *trial_end_;
        send("customer.subscription.created");
    } else if (kind < 65) {
        begin_without_user();
    } else {
        auto paid = Paid{new_payment(draft_, true), items_};
        latest_invoice_ = paid.payment.invoice;
        send("customer.subscription.created");
        send_invoice(paid);
    }
}

/// A checkout: all of it often happens within one second.
void CardSubscription::begin_incomplete()
{
    status_ = "incomplete";
    auto const paid = Paid{new_payment(draft_, true), items_};
    latest_invoice_ = paid.payment.invoice;
    send("customer.subscription.created");
    if (random_.chance(20)) {
        now_ += 23 * hour;
        status_ = "incomplete_expired";
        update();
        return;
    }
    if (random_.chance(40)) now_ += random_.between(1, 50);
    status_ = "active";
    bool const invoice_first = random_.chance(30);
    if (!invoice_first) update();
    send_invoice(paid);
    if (invoice_first && random_.chance(70)) update();
}

void CardSubscription::begin_without_user()
{
    auto const user = std::exchange(user_, "");
    send("customer.subscription.created");
    user_ = user;
    now_ += random_.below(2) * hour;
    update();
}

void CardSubscription::step()
{
    if (!random_.chance(18)) wait(random_.between(1, 25 * day));
    if (has_ended()) return;
    auto const kind = random_.below(100);
    if (status_ == "active" || status_ == "trialing") {
        step_while_active(kind);
    } else if (status_ == "paused") {
        status_ = kind < 70 ? "active" : "paused";
        kind < 90 ? update() : remove();
    } else {
        step_while_unpaid(kind);
    }
}

void CardSubscription::step_while_active(std::int64_t kind)
{
    if (kind < 14) {
        cancel();
    } else if (kind < 22) {
        cancel_at_some_time();
    } else if (kind < 34) {
        swap_items();
    } else if (kind < 44) {
        change_items();
    } else if (kind < 50) {
        move_to_user();
    } else if (kind < 55) {
        update_part_of_items();
    } else if (kind < 62) {
        change_twice_at_once();
    } else if (kind < 76) {
        reverse_payment();
    } else if (kind < 80) {
        pay_one_item();
    } else if (kind < 84) {
        pay_old_invoice();
    } else if (kind < 89) {
        status_ = "paused";
        update();
    } else if (kind < 92) {
        auto const status = std::exchange(status_, "resting"); // a status of the future
        update();
        status_ = status;
    } else {
        remove();
    }
}

void CardSubscription::step_while_unpaid(std::int64_t kind)
{
    if (kind < 45) {
        pay_pending();
    } else if (kind < 65) {
        if (status_ == "past_due") status_ = "unpaid";
        update();
    } else if (kind < 75) {
        pay_old_invoice();
    } else if (kind < 85) {
        reverse_payment();
    } else {
        remove();
    }
}

/// Lets time pass. Renews the subscription at the end of each period.
void CardSubscription::wait(std::int64_t seconds)
{
    auto const until = now_ + seconds;
    while (!has_ended()) {
        auto const ends = std::ranges::min_element(items_, {}, &Item::ends)->ends;
        auto const next = cancel_at_ ? std::min(ends, *cancel_at_) : ends;
        if (next > until) break;
        now_ = std::max(now_, next);
        if (cancels_ || (cancel_at_ && now_ >= *cancel_at_))
            remove();
        else
            renew();
    }
    now_ = std::max(now_, until);
}

void CardSubscription::renew()
{
    trial_end_.reset();
    std::vector<Item> renewed;
    for (auto& item : items_) {
        if (item.ends > now_) continue;
        item.begins = item.ends;
        item.ends += item.length;
        renewed.push_back(item);
    }
    if (status_ == "active" || status_ == "trialing") {
        pay_for_period(renewed);
    } else if (status_ == "past_due") {
        status_ = "unpaid";
        update();
    } else if (status_ == "incomplete") {
        status_ = "incomplete_expired";
        update();
    } else {
        update();
    }
}

void CardSubscription::pay_for_period(std::vector<Item> const& lines)
{
    auto const paid = Paid{new_payment(draft_, true), lines};
    latest_invoice_ = paid.payment.invoice;
    auto const kind = random_.below(100);
    if (kind < 30) { // the payment fails
        status_ = "past_due";
        pending_ = paid;
        update();
        return;
    }
    status_ = "active";
    if (kind < 70) {
        update();
        now_ += random_.below(2) * hour;
        send_invoice(paid);
    } else {
        send_invoice(paid);
        now_ += random_.below(2) * hour;
        if (kind < 85) update();
    }
}

void CardSubscription::pay_pending()
{
    if (!pending_) pending_ = Paid{new_payment(draft_, true), items_};
    auto paid = *std::exchange(pending_, std::nullopt);
    if (paid.lines.size() > 1 && random_.chance(15)) paid.lines.pop_back();
    bool const update_first = random_.chance(50);
    status_ = "active";
    if (update_first) update();
    if (random_.chance(40)) now_ += random_.between(1, 100);
    send_invoice(paid);
    if (!update_first && random_.chance(60)) update();
}

/// The invoice of a change in the middle of the period.
void CardSubscription::pay_one_item()
{
    auto item = random_.pick(items_);
    item.begins = std::min(now_, item.ends);
    send_invoice({new_payment(draft_, true), {item}});
}

/// An invoice whose period is over.
void CardSubscription::pay_old_invoice()
{
    auto lines = items_;
    for (auto& line : lines) {
        line.ends = line.begins;
        line.begins -= line.length;
    }
    send_invoice({new_payment(draft_, true), lines});
}

void CardSubscription::cancel()
{
    if (cancel_at_) return;
    cancels_ = !cancels_;
    update();
}

void CardSubscription::cancel_at_some_time()
{
    if (cancels_) return;
    if (cancel_at_)
        cancel_at_.reset();
    else
        cancel_at_ = now_ + random_.between(1, 70) * day / 2;
    update();
}

void CardSubscription::swap_items()
{
    std::vector<std::string> const prices{basic_price, pro_price, team_price};
    items_.front().price = random_.pick(prices);
    update();
    if (random_.chance(50)) pay_one_item();
}

void CardSubscription::change_items()
{
    if (items_.size() > 1) {
        items_.pop_back();
    } else if (items_.front().price != addon_price) {
        auto added = items_.front();
        added.price = addon_price;
        added.begins = old_shape_ ? added.begins : now_;
        items_.push_back(added);
    }
    update();
}

void CardSubscription::move_to_user()
{
    user_ = random_.pick(customers_).id;
    update();
}

/// An update that lists only some of the items. The provider lists at most 20.
void CardSubscription::update_part_of_items()
{
    if (items_.size() == 1) change_items();
    if (random_.chance(30)) user_ = random_.pick(customers_).id;
    if (random_.chance(30)) cancels_ = !cancels_ && !cancel_at_;
    send("customer.subscription.updated", random_.chance(80) ? 1 : items_.size());
}

/// Two or three changes within one second.
void CardSubscription::change_twice_at_once()
{
    for (auto changes = random_.between(2, 3); changes > 0; --changes) {
        auto const kind = random_.below(3);
        if (kind == 0 && !cancel_at_)
            cancels_ = !cancels_;
        else if (kind == 1)
            items_.front().price = items_.front().price == pro_price ? team_price : pro_price;
        else
            status_ = status_ == "active" ? "past_due" : "active";
        update();
    }
}

void CardSubscription::reverse_payment()
{
    if (paid_.empty()) return pay_one_item();
    auto const payment = (random_.chance(70) ? paid_.back() : random_.pick(paid_)).payment;
    auto const kind = random_.below(100);
    if (kind < 50) {
        add_refund(draft_, now_, payment, true, old_shape_);
        if (random_.chance(30)) remove();
    } else if (kind < 65) {
        add_refund(draft_, now_, payment, false, old_shape_);
    } else {
        auto const closed = now_ + random_.between(1, 15) * day;
        add_dispute(draft_, now_, closed, payment, random_.chance(65) ? "lost" : "won");
    }
}

void CardSubscription::remove()
{
    status_ = "canceled";
    ended_at_ = now_ - random_.below(2);
    auto const user = user_;
    if (random_.chance(12)) user_.clear();
    send("customer.subscription.deleted");
    user_ = user;
}

void add_card_subscription(
    Draft& draft, std::string const& user, std::vector<Customer> const& customers, std::string const& price)
{
    CardSubscription(draft, user, customers, price).live();
}

} // namespace histories
