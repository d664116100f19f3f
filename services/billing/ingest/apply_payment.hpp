#pragma once

#include "core/scope.hpp"
#include "domain/entitlement.hpp"
#include "domain/payment_links.hpp"
#include "domain/subscription.hpp"
#include "ingest/rows.hpp"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace billing::ingest {

struct AppliedEvent; // apply_event.hpp

/// Applies events about subscriptions of the payments provider, and the reversals of payments.
class PaymentApplier {
public:
    PaymentApplier(Rows& rows, core::ScopeId scope_id) : rows_(rows), scope_id_(scope_id) {}

    AppliedEvent apply(SubscriptionEvent const& event);
    AppliedEvent apply(InvoiceEvent const& event);

    /// The effect of the reversals of a payment.
    struct Reversed {
        std::vector<EntitlementChange> changes;
        std::optional<core::UserId> user_id; ///< whose purchase it was; nullopt: the payment has no purchase
    };

    /// Applies the reversals of the payment that `node` is about, to the subscriptions and purchases that it
    /// was for.
    Reversed reverse(PaymentNode const& node);

private:
    AppliedEvent apply_to_unstored(InvoiceEvent const& event);
    void add_reversals(Subscription& subscription, std::span<Event const> history);
    std::vector<EntitlementChange> store(std::optional<Subscription> const& before, Subscription const& after,
        std::set<std::string> const& event_ids = {});
    void write_user(core::UserId const& user, Subscription const& after,
        std::set<std::string> const& event_ids, std::vector<EntitlementChange>& changes);
    std::vector<PaymentNode> connected_with(PaymentNode const& node);

    Rows& rows_;
    core::ScopeId scope_id_;
};

} // namespace billing::ingest
