#include "histories/reference_model.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace histories::model {

namespace {

/// The status that the last event of a line leaves. The contract's table lists the types of the purchase
/// provider. A consumable that is cancelled, a payment that is taken back, and a move to another user expire
/// the purchase.
std::string status_after(LineEvent const& last, bool is_consumable)
{
    if (!last.states_purchase) return "expired";
    if (last.type == "EXPIRATION" || last.type == "BILLING_ISSUE") return "expired";
    if (last.type == "CANCELLATION" && is_consumable) return "expired";
    return last.type == "SUBSCRIPTION_PAUSED" ? "paused" : "active";
}

/// Whether a subscription may renew after an event.
bool renews_after(LineEvent const& last)
{
    static std::set<std::string> const types{"INITIAL_PURCHASE", "RENEWAL", "PRODUCT_CHANGE",
        "UNCANCELLATION", "BILLING_ISSUE", "SUBSCRIPTION_PAUSED", "SUBSCRIPTION_EXTENDED"};
    return last.states_purchase && types.contains(last.type);
}

/// What the events of a line have said so far.
struct Line {
    Part part;
    /// Whether the event that last began or continued the purchase lets it renew.
    bool renews = false;
    bool is_cancelled = false, is_in_issue = false, is_paused = false;
    std::optional<Time> refunded_at, ended_at;

    void begin(LineEvent const& event)
    {
        renews = renews_after(event);
        is_cancelled = is_paused = false;
        refunded_at.reset();
        ended_at.reset();
    }

    void apply(LineEvent const& event);
};

void Line::apply(LineEvent const& event)
{
    switch (event.effect) {
    case Effect::period:
        begin(event);
        is_in_issue = false;
        part.grace_until.reset();
        break;
    case Effect::resumed: // a billing issue and its grace period stay
        begin(event);
        break;
    case Effect::cancelled:
        is_cancelled = true;
        break;
    case Effect::issue:
        is_in_issue = true;
        break;
    case Effect::paused:
        is_paused = true;
        break;
    case Effect::refunded:
        refunded_at = event.order.at;
        break;
    case Effect::ended:
        ended_at = event.order.at;
        break;
    }
    if (event.grace_until) part.grace_until = event.grace_until;
    if (!event.states_purchase) return;
    part.expires_at = event.expires_at;
    part.transaction = event.transaction;
}

} // namespace

Part part_of(std::vector<LineEvent> events, bool is_consumable)
{
    std::ranges::sort(events, {}, &LineEvent::order);
    Line line;
    for (auto const& event : events)
        line.apply(event);
    LineEvent const& last = events.back();
    Part& part = line.part;
    part.status = status_after(last, is_consumable);
    part.last = last.order;
    part.last_type = last.type;
    part.will_renew = renews_after(last) && !line.is_cancelled && !is_consumable;
    if (is_consumable && last.effect == Effect::refunded) {
        part.expires_at = last.order.at;
        part.grace_until.reset();
    }
    part.until = part.expires_at ? std::max(*part.expires_at, part.grace_until.value_or(0)) : never;
    bool const expects_renewal =
        line.renews && !line.is_cancelled && !line.is_in_issue && !line.is_paused && !is_consumable;
    // The leeway remains part of the past: an EXPIRATION within it ends access at its own time.
    if (expects_renewal) part.renewal_until = part.expires_at;
    if (line.refunded_at || line.ended_at)
        part.ended_at = std::min(line.refunded_at.value_or(never), line.ended_at.value_or(never));
    return part;
}

} // namespace histories::model
