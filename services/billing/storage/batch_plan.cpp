#include "storage/batch.hpp"

#include <algorithm>
#include <set>

namespace billing::apply {

namespace {

/// Decides an event and fills in `plan`. Returns false if the event's history has to be read.
class Planning {
public:
    Planning(Step const& step, Plan& plan) : step_(step), plan_(plan) {}

    bool operator()(Skipped const& skipped) const
    {
        plan_.row.outcome = {Result::skipped, std::string(skipped.reason)};
        return true;
    }

    bool operator()(PurchaseEvent const& event) const
    {
        auto const ids = entitlements_concerned(event, step_.scope_id());
        HeldPurchases held;
        for (auto const& entitlement : step_.seen.entitlements)
            (entitlement.id == ids[0] ? held.subscription : held.consumable) = entitlement;
        auto decision = decide(event, step_.scope_id(), held);
        if (decision.needs_history) return false;
        plan_.row.outcome = outcome_of(decision);
        if (decision.write) plan_.writes.push_back(*std::move(decision.write));
        return true;
    }

    bool operator()(SubscriptionEvent const& event) const
    {
        auto const before = known_subscription(step_.seen, event.subscription_id);
        plan_.is_first = !before;
        return carry_out(before, decide(before, event, step_.seen.has_history));
    }

    bool operator()(InvoiceEvent const& event) const
    {
        auto const before = known_subscription(step_.seen, event.subscription_id);
        if (before) plan_.row.user_id = before->user_id;
        return carry_out(before, decide(before, event));
    }

private:
    bool carry_out(std::optional<Subscription> const& before, PaymentDecision decision) const
    {
        if (decision.kind == PaymentDecision::Kind::needs_history) return false;
        plan_.row.outcome = outcome_of(decision.kind);
        if (!decision.after) return true;
        auto const& after = *decision.after;
        bool const is_of_others = std::ranges::any_of(after.removed,
            [&](Subscription::Removed const& removed) { return removed.user_id != after.user_id; });
        if (is_of_others) return false;
        if (!before || !same_state(*before, after)) plan_.subscription = after;
        auto known = step_.seen.subscriptions;
        std::erase_if(known, [&](Subscription const& s) { return s.id == after.id; });
        known.push_back(after);
        auto const wanted = entitlements_of(step_.scope_id(), after.user_id, known, step_.incoming->rules);
        plan_.writes = changes_to(step_.seen.entitlements, wanted);
        return true;
    }

    Step const& step_;
    Plan& plan_;
};

/// Adds everything that the decision depends on, with the revisions that were seen.
void guard(Step const& step, Plan& plan)
{
    for (auto const& id : ids_concerned(step)) {
        auto const it = std::ranges::find(step.seen.entitlements, id, &Entitlement::id);
        plan.entitlements.emplace_back(id, it == step.seen.entitlements.end() ? 0 : it->revision);
    }
    auto const& subject = plan.row.subject;
    for (auto const& subscription : step.seen.subscriptions)
        plan.subscriptions.emplace_back(subscription.id, subscription.revision);
    if (subject && !known_subscription(step.seen, subject)) plan.subscriptions.emplace_back(*subject, 0);
    if (!is_about_subscription(step)) return;
    plan.user_id = user_of(step);
    plan.count_of_user = static_cast<std::size_t>(
        std::ranges::count(step.seen.subscriptions, plan.user_id, &Subscription::user_id));
}

} // namespace

std::optional<Plan> plan_of(Step const& step)
{
    if (step.seen.announced || is_crowded(step.seen)) return std::nullopt;
    Plan plan{.row = row_of(*step.incoming)};
    if (step.incoming->rejected) return plan;
    if (!std::visit(Planning(step, plan), step.incoming->event.fact)) return std::nullopt;
    guard(step, plan);
    return plan;
}

std::vector<Step*> independent(std::vector<Step>& steps)
{
    std::set<std::pair<std::int64_t, core::Uuid>> ids;
    std::set<std::pair<std::int64_t, std::string>> subscriptions;
    std::vector<Step*> picked;
    for (auto& step : steps) {
        if (!step.plan) continue;
        auto const scope_id = step.scope_id();
        bool is_free = !ids.contains({scope_id, step.plan->row.claim});
        for (auto const& [id, revision] : step.plan->entitlements)
            is_free = is_free && !ids.contains({scope_id, id});
        for (auto const& [id, revision] : step.plan->subscriptions)
            is_free = is_free && !subscriptions.contains({scope_id, id});
        if (!is_free) continue;
        ids.emplace(scope_id, step.plan->row.claim);
        for (auto const& [id, revision] : step.plan->entitlements)
            ids.emplace(scope_id, id);
        for (auto const& [id, revision] : step.plan->subscriptions)
            subscriptions.emplace(scope_id, id);
        picked.push_back(&step);
    }
    return picked;
}

} // namespace billing::apply
