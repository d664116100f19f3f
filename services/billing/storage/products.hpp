#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/identity.hpp"
#include "paging/cursor.hpp"
#include "pg/database.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The table `products`, the catalog that a tenant's two environments share: its rows are found by the tenant
/// of the scope that a transaction sees. Entitlements are joined to it by the provider's name of a product
/// when they are read, so a product that is made, changed or removed shows in all of them at once.
namespace billing::products {

enum class Kind : std::uint8_t { subscription, consumable };

/// In the order of Kind.
inline constexpr std::array<std::string_view, 2> kinds{"subscription", "consumable"};

constexpr std::string_view to_string(Kind kind) noexcept
{
    return kinds[static_cast<std::size_t>(kind)];
}

/// So much of something that a purchase gives: 500 of `coins`.
struct Grant {
    std::string name;
    std::int64_t quantity = 0;
};

struct Product {
    core::Uuid id;
    std::string provider_product_id; ///< how the providers name it; unique in the tenant
    std::string name;
    Kind kind{};
    std::vector<std::string> features;
    std::vector<Grant> grants;
    std::int64_t version = 0; ///< counts the writes
    core::Time created_at;
    core::Time updated_at;
};

/// `[{"name":…,"quantity":…}]`, the form of the column and of every answer.
std::string to_json(std::vector<Grant> const& grants);

std::optional<Product> get(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// The same, locked until the transaction ends.
std::optional<Product> lock(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

/// At most `limit` of them after `after`, newest first.
std::vector<Product> list(
    pg::Tx& tx, core::Scope const& scope, std::optional<paging::Position> const& after, std::size_t limit);

/// Inserts `p`, whose version and times are filled in, behind every other of the tenant. Throws CONFLICT when
/// the tenant has one of that `provider_product_id`.
void insert(pg::Tx& tx, core::Scope const& scope, Product& p);

/// Writes a locked one; version and `updated_at` become the new ones. Throws CONFLICT as `insert`.
void update(pg::Tx& tx, core::Scope const& scope, Product& p);

/// Removes a locked one.
void remove(pg::Tx& tx, core::Scope const& scope, core::Uuid id);

} // namespace billing::products
