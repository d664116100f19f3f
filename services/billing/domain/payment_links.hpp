#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "domain/event.hpp"
#include "domain/subscription.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Which payment an event is about. The payments provider names a payment by several ids: those of the
/// charge, of the payment intent, of the invoice, and of the checkout session. Different events name
/// different ids, and arrive in any order. Events that have an id in common, directly or through other
/// events, are about the same payment.
namespace billing {

/// What one event states about a payment.
struct PaymentNode {
    core::Uuid archive_id;
    core::Time received_at = set_by_database;
    std::vector<std::string> ids;               ///< without repetition
    std::optional<std::string> subscription_id; ///< of an invoice
    /// Of an invoice: the period that it pays for. If its lines have different periods, the latest start and
    /// the latest end.
    std::optional<core::Time> covers_from, covers_until;
    std::optional<core::Uuid> entitlement_id; ///< of a checkout
    std::optional<PurchaseFact> reversal;     ///< of a refund or a lost dispute
};

/// What `event` states about a payment, except `entitlement_id`; without ids if it is not about a payment.
PaymentNode node_of(Event const& event);

/// Returns the nodes that have one of the ids.
using FindNodes = std::function<std::vector<PaymentNode>(std::span<std::string const> ids)>;

/// All nodes about the same payment as `node`, except `node` itself. At most `max_nodes`, so that a sender
/// cannot make the service follow a chain of events without end.
std::vector<PaymentNode> connected(PaymentNode const& node, FindNodes const& find);

inline constexpr std::size_t max_nodes = 100;

} // namespace billing
