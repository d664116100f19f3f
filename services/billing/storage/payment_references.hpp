#pragma once

#include "core/scope.hpp"
#include "domain/payment_links.hpp"
#include "pg/tx.hpp"

#include <span>
#include <string>
#include <vector>

/// The table `payment_references`: which archived event names which id of a payment.
namespace billing::payment_references {

/// Inserts one row per id of the node. `node.archive_id` and `node.received_at` are those of its event.
void insert(pg::Tx& tx, core::ScopeId scope_id, PaymentNode const& node);

/// The nodes that have one of the ids, without repetition, at most `max_nodes`.
std::vector<PaymentNode> find(pg::Tx& tx, core::ScopeId scope_id, std::span<std::string const> ids);

/// The value of the column `node`.
std::string to_json(PaymentNode const& node);

} // namespace billing::payment_references
