#include "domain/event_outcome.hpp"

#include <stdexcept>

namespace billing {

EventOutcome outcome_of(PurchaseDecision const& decision)
{
    return {decision.applies ? EventResult::applied : EventResult::stale, {}};
}

EventOutcome outcome_of(PaymentDecision::Kind kind)
{
    switch (kind) {
    case PaymentDecision::Kind::applies:
        return {EventResult::applied, {}};
    case PaymentDecision::Kind::stale:
        return {EventResult::stale, {}};
    case PaymentDecision::Kind::ended:
        return {EventResult::skipped, "subscription_ended"};
    case PaymentDecision::Kind::awaits_subscription:
        return {EventResult::skipped, std::string(awaiting_subscription)};
    case PaymentDecision::Kind::needs_history:
        break;
    }
    throw std::logic_error("an event without a decision has no outcome");
}

} // namespace billing
