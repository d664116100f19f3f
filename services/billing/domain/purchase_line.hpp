#pragma once

#include "domain/access.hpp"
#include "domain/purchase_event.hpp"
#include "domain/source.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The state of a purchase in one store. It consists of the few events that decide it, so it depends on the
/// set of events and not on their order.
namespace billing {

/// The events of a purchase that decide its state: the greatest event of each effect, the greatest event that
/// states a grace period, and the greatest event that states the period. An event that is older than the
/// greatest one that begins a period is left out. The greatest event that states a price is always kept.
struct PurchaseLine {
    std::string store;               ///< empty: no event states the store
    std::vector<PurchaseFact> facts; ///< in ascending order

    friend bool operator==(PurchaseLine const&, PurchaseLine const&) = default;
};

/// Adds an event. Adding an event again, or an event that does not matter any more, changes nothing.
/// `once`: whether the product is bought once and does not renew, so that a CANCELLATION is a refund.
void join(PurchaseLine& line, PurchaseFact const& fact, bool once);

/// Adds an event to the line of its store.
void join(std::vector<PurchaseLine>& lines, std::string_view store, PurchaseFact const& fact, bool once);

/// The result of a line.
struct LineState {
    std::string_view store;
    Status status{};
    Access access;
    std::optional<core::Time> expires_at, grace_until;
    bool will_renew = false;
    PurchaseFact const* last = nullptr; ///< the greatest event; points into the line
    PurchaseFact terms; ///< period and price: each member from the greatest event that states it
};

/// The result of `line`, which has at least one event.
LineState state_of(PurchaseLine const& line, bool once);

/// The lines with the events of unknown stores added to each line, because they may belong to any store.
std::vector<PurchaseLine> with_known_stores(std::span<PurchaseLine const> lines, bool once);

} // namespace billing
