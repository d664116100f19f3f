#pragma once

#include "core/clock.hpp"
#include "core/id.hpp"
#include "core/json_writer.hpp"
#include "core/scope.hpp"
#include "domain/access.hpp"
#include "domain/entitlement.hpp"
#include "domain/price.hpp"

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

/// Writes an entitlement as responses and webhooks show it, with `isActive` as of `now`. `settings`: those of
/// the tenant at `now`.
void write_entitlement(core::JsonWriter& w, EntitlementView const& view, core::Environment environment,
    AccessSettings const& settings, core::Time now);

/// As `write_entitlement`, without the braces.
void write_entitlement_members(core::JsonWriter& w, EntitlementView const& view,
    core::Environment environment, AccessSettings const& settings, core::Time now);

/// Writes `{"amount":…,"currency":…}`, or null.
void write_price(core::JsonWriter& w, std::optional<Price> const& price);

/// An end of access as responses show it. The leeway may end after the last time that RFC 3339 can express;
/// then this is the last such time.
std::optional<core::Time> shown_end(std::optional<core::Time> end) noexcept;

} // namespace billing
