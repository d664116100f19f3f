#include "histories/card_subscription.hpp"

#include <array>
#include <utility>

namespace histories {

namespace {

/// The members that `previous_attributes` names if they have changed.
constexpr std::array<char const*, 9> compared_members{"status", "cancel_at_period_end", "cancel_at",
    "latest_invoice", "current_period_start", "current_period_end", "trial_end", "items", "metadata"};

} // namespace

void CardSubscription::send_invoice(Paid const& paid)
{
    json::array lines;
    for (auto const& line : paid.lines) {
        auto const invoice = old_shape_ ? events::old_invoice(line.price) : events::invoice(line.price);
        auto fields = invoice.at("lines").at("data").at(0).as_object();
        fields["period"] = json::object{{"start", line.begins}, {"end", line.ends}};
        if (old_shape_)
            fields["subscription"] = id_;
        else
            fields["parent"].as_object()["subscription_item_details"] = json::object{{"subscription", id_}};
        lines.push_back(std::move(fields));
    }
    json::object changes{{"id", paid.payment.invoice}, {"lines", events::list(std::move(lines))}};
    if (old_shape_) {
        changes["subscription"] = id_;
        changes["payment_intent"] = paid.payment.intent;
        changes["charge"] = paid.payment.charge;
    } else {
        json::object const metadata{{"userId", user_}};
        changes["parent"] = json::object{{"type", "subscription_details"},
            {"subscription_details", json::object{{"metadata", metadata}, {"subscription", id_}}}};
    }
    auto const invoice =
        old_shape_ ? events::old_invoice(basic_price, changes) : events::invoice(basic_price, changes);
    draft_.add_payment(
        now_, events::payment("invoice.paid", invoice, {{"id", draft_.id("evt_")}, {"created", now_}}));
    if (!old_shape_ && random_.chance(85)) add_invoice_payment(draft_, now_, paid.payment);
    paid_.push_back(paid);
}

void CardSubscription::update()
{
    send("customer.subscription.updated");
}

/// `items`: how many items the event lists; nullopt: all.
void CardSubscription::send(std::string_view type, std::optional<std::size_t> items)
{
    auto fields = object();
    auto listed = fields;
    if (items && *items < items_.size()) {
        auto& list = listed["items"].as_object();
        list["data"].as_array().resize(*items);
        list["has_more"] = true;
    }
    auto event = events::payment(type, listed, {{"id", draft_.id("evt_")}, {"created", now_}});
    if (type == "customer.subscription.updated" && !random_.chance(10))
        event["data"].as_object()["previous_attributes"] = previous_attributes(fields);
    draft_.add_payment(now_, std::move(event));
    last_sent_ = std::move(fields);
}

json::object CardSubscription::object() const
{
    json::array items;
    for (auto const& item : items_) {
        json::object changes{{"id", "si_" + item.price}, {"subscription", id_}, {"created", created_}};
        changes["current_period_start"] =
            old_shape_ ? json::value(events::undefined) : json::value(item.begins);
        changes["current_period_end"] = old_shape_ ? json::value(events::undefined) : json::value(item.ends);
        items.push_back(events::item(item.price, changes));
    }
    auto const time = [](std::optional<std::int64_t> const& at) {
        return at ? json::value(*at) : json::value();
    };
    json::object changes{{"id", id_}, {"created", created_}, {"start_date", created_},
        {"billing_cycle_anchor", created_}, {"status", status_}, {"cancel_at", time(cancel_at_)},
        {"cancel_at_period_end", cancels_}, {"ended_at", time(ended_at_)}, {"trial_end", time(trial_end_)},
        {"metadata", user_.empty() ? json::object() : json::object{{"userId", user_}}}};
    if (names_latest_invoice_)
        changes["latest_invoice"] = latest_invoice_.empty() ? json::value() : json::value(latest_invoice_);
    if (old_shape_) {
        changes["current_period_start"] = items_.front().begins;
        changes["current_period_end"] = items_.front().ends;
    }
    return events::subscription(std::move(items), changes);
}

/// The members that differ in the subscription as sent last, with their values there.
json::object CardSubscription::previous_attributes(json::object const& now) const
{
    json::object previous;
    if (!last_sent_) return previous;
    for (auto const* const name : compared_members) {
        auto const* before = last_sent_->if_contains(name);
        auto const* after = now.if_contains(name);
        if (before != nullptr && after != nullptr && *before != *after) previous[name] = *before;
    }
    return previous;
}

} // namespace histories
