#pragma once

#include "domain/entitlement_view.hpp"
#include "pg/batcher.hpp"
#include "storage/entitlements.hpp"

#include <optional>
#include <vector>

namespace billing {

/// The most frequent reads. pg::Batcher combines concurrent calls into one SQL statement.
struct Batchers {
    pg::Batcher<entitlements::UserKey, std::optional<std::vector<EntitlementView>>> of_user;
    pg::Batcher<entitlements::FeatureQuery, std::optional<entitlements::FeatureAccess>> feature;

    /// `db` must outlive this object.
    explicit Batchers(pg::Database& db);
};

} // namespace billing
