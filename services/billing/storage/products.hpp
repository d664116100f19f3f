#pragma once

#include "core/clock.hpp"
#include "core/enum_names.hpp"
#include "core/id.hpp"
#include "core/scope.hpp"
#include "paging/cursor.hpp"
#include "pg/tx.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The table `products`: the catalog, shared by a tenant's two environments. Row-level security shows the
/// rows of the tenant whose scope the transaction sees. An entitlement is joined to its product by the
/// provider's product id when the entitlement is read. So a created, changed or removed product takes effect
/// in all entitlements at once.
namespace billing::products {

using core::to_string;

enum class Kind : std::uint8_t {
    subscription,
    consumable, ///< each purchase is an entitlement of its own
    lifetime,   ///< bought once and kept
};

constexpr auto enum_names(Kind)
{
    return std::to_array<std::string_view>({"subscription", "consumable", "lifetime"});
}

/// A quantity that a purchase grants, such as 500 `coins`.
struct Grant {
    std::string name;
    std::int64_t quantity = 0;
};

struct Product {
    core::Uuid id;
    std::string provider_product_id; ///< the provider's product id; unique per tenant
    std::string name;
    Kind kind{};
    std::vector<std::string> features;
    std::vector<Grant> grants;
    std::int64_t version = 0; ///< incremented by each write
    core::Time created_at;
    core::Time updated_at;
};

/// The grants as JSON, `[{"name":…,"quantity":…}]`, as the column and responses contain them.
std::string to_json(std::vector<Grant> const& grants);

std::optional<Product> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The product with this id, or else with this id at the provider.
std::optional<Product> find(pg::Tx& tx, core::TenantId tenant_id, std::string const& id);

/// The product, locked until the transaction ends.
std::optional<Product> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// At most `limit` products after `after`, newest first.
std::vector<Product> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// Inserts `p` and fills in its version and times. Takes the tenant's lock, so no list cursor can miss a
/// product. Throws CONFLICT if the tenant has another product with this `provider_product_id`.
void insert(pg::Tx& tx, core::Scope const& scope, Product& p);

/// Updates a locked product; sets version and `updated_at` of `p`. Throws CONFLICT like `insert`.
void update(pg::Tx& tx, core::Scope const& scope, Product& p);

/// Removes a locked product.
void remove(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

} // namespace billing::products
