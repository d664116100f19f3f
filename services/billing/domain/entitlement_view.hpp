#pragma once

#include "core/id.hpp"
#include "core/json_writer.hpp"
#include "core/scope.hpp"
#include "domain/entitlement.hpp"

#include <optional>
#include <string>
#include <vector>

namespace billing {

/// The members of a catalog product that entitlements show.
struct CatalogProduct {
    core::Uuid id;
    std::vector<std::string> features;
    std::string grants_json; ///< `[{"name":…,"quantity":…}]`
};

/// An entitlement with its catalog product. The product is looked up when the entitlement is read: first by
/// `provider_product_id`, then by `alternative_product_id`.
struct EntitlementView {
    Entitlement entitlement;
    std::optional<CatalogProduct> product; ///< nullopt: not in the catalog
};

/// Writes an entitlement as responses and webhooks show it, with `isActive` as of `now`.
void write_entitlement(
    core::JsonWriter& w, EntitlementView const& view, core::Environment environment, core::Time now);

/// As `write_entitlement`, without the braces.
void write_entitlement_members(
    core::JsonWriter& w, EntitlementView const& view, core::Environment environment, core::Time now);

} // namespace billing
