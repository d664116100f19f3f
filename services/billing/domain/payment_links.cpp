#include "domain/payment_links.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace billing {

namespace {

struct ReadNode {
    PaymentNode& node;

    void operator()(InvoiceEvent const& invoice) const
    {
        node.subscription_id = invoice.subscription_id;
        for (auto const& line : invoice.lines) {
            node.covers_from = std::max(node.covers_from, line.starts); // nullopt is less than any time
            node.covers_until = std::max(node.covers_until, std::optional(line.ends));
        }
    }

    void operator()(ReversalEvent const& reversal) const
    {
        PurchaseFact fact;
        fact.type = reversal.type;
        fact.order = reversal.order;
        node.reversal = std::move(fact);
        node.received_at = reversal.received_at;
    }

    void operator()(auto const&) const {}
};

} // namespace

PaymentNode node_of(Event const& event)
{
    PaymentNode node{.archive_id = {}, .ids = event.references};
    std::visit(ReadNode{node}, event.data);
    return node;
}

std::vector<PaymentNode> connected(PaymentNode const& node, FindNodes const& find)
{
    std::vector<PaymentNode> found;
    std::set<core::Uuid> known{node.archive_id};
    std::set<std::string> seen(node.ids.begin(), node.ids.end());
    auto ids = node.ids;
    while (!ids.empty() && found.size() < max_nodes) {
        std::vector<std::string> next;
        for (auto& other : find(ids)) {
            if (!known.insert(other.archive_id).second) continue;
            for (auto const& id : other.ids)
                if (seen.insert(id).second) next.push_back(id);
            found.push_back(std::move(other));
        }
        ids = std::move(next);
    }
    return found;
}

} // namespace billing
