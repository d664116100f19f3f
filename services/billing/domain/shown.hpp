#pragma once

#include "core/id.hpp"
#include "core/identity.hpp"
#include "core/json_writer.hpp"
#include "domain/entitlement.hpp"

#include <optional>
#include <string>
#include <vector>

namespace billing {

/// What the catalog has of a product: the part of it that entitlements carry.
struct CatalogProduct {
    core::Uuid id;
    std::vector<std::string> features;
    std::string grants_json; ///< `[{"name":…,"quantity":…}]`
};

/// An entitlement as readers are shown it. The catalog is looked at as it is read: by its
/// `provider_product_id`, else its `alternative_product_id`.
struct Shown {
    Entitlement entitlement;
    std::optional<CatalogProduct> product; ///< nullopt: the catalog does not have it
};

/// An entitlement as every answer and every webhook shows it, `isActive` as of `now`.
void write(core::JsonWriter& w, Shown const& shown, core::Environment environment, core::Time now);

} // namespace billing
