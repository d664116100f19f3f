#pragma once

#include "core/id.hpp"
#include "core/scope.hpp"
#include "pg/tx.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The statistics of a scope's entitlements, which triggers maintain (migration 0007). The cost of reading
/// them depends on the number of products and days, not on the number of entitlements.
namespace billing::statistics {

/// The numbers of a product at the start of a day.
struct Balance {
    std::string product; ///< the provider's id
    std::int64_t active = 0;
    std::int64_t trials = 0; ///< of `active`
};

/// What changed on a day, for one product.
struct DayChange {
    std::string product;
    std::chrono::sys_days date;
    std::int64_t active = 0, trials = 0;   ///< changes of the numbers
    std::int64_t started = 0, churned = 0; ///< entitlements whose access began or ended
};

/// Monthly recurring revenue.
struct Revenue {
    std::string currency;
    std::string amount; ///< an integer in decimal digits, in minor units; not zero
};

/// The balances of the products at the start of `day`.
std::vector<Balance> balances_before(pg::Tx& tx, core::ScopeId scope_id, std::chrono::sys_days day);

/// The changes from day `from` to day `to`, both included, by date.
std::vector<DayChange> changes_between(
    pg::Tx& tx, core::ScopeId scope_id, std::chrono::sys_days from, std::chrono::sys_days to);

/// The current revenue, by currency.
std::vector<Revenue> revenue(pg::Tx& tx, core::ScopeId scope_id);

/// The catalog ids of products, in the order of `products`; nullopt: not in the catalog. A product that the
/// catalog lists by an alternative id (Entitlement::alternative_product_id) is found by one of the product's
/// entitlements.
std::vector<std::optional<core::Uuid>> catalog_ids(
    pg::Tx& tx, core::Scope const& scope, std::span<std::string const> products);

} // namespace billing::statistics
