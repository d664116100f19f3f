#pragma once

#include "auth/api_keys.hpp"
#include "core/clock.hpp"
#include "core/keyed_limiter.hpp"
#include "core/thread_pool.hpp"
#include "crypto/keyring.hpp"
#include "ingest/ingestor.hpp"
#include "metrics.hpp"
#include "observe/log.hpp"
#include "outbound_webhooks/api.hpp"
#include "pg/batcher.hpp"
#include "pg/database.hpp"
#include "storage/entitlements.hpp"
#include "tenancy/directory.hpp"
#include "tenancy/tenant_handlers.hpp"

#include <optional>
#include <string>
#include <vector>

namespace billing {

namespace asio = boost::asio;

class PurchasesApi; // providers/purchases_api.hpp

/// The most frequent reads. pg::Batcher combines concurrent calls into one SQL statement.
struct Hot {
    pg::Batcher<entitlements::UserKey, std::optional<std::vector<EntitlementView>>> of_user;
    pg::Batcher<entitlements::FeatureQuery, std::optional<entitlements::FeatureAccess>> feature;

    explicit Hot(pg::Database& db)
        : of_user(db, entitlements::of_user_batch), feature(db, entitlements::features_batch)
    {
    }
};

/// The dependencies of the handlers. The App owns all of them and outlives the handlers.
struct Deps {
    pg::Database& db;
    Hot& hot;
    ingest::Ingestor& ingestor;
    auth::ApiKeys& keys;
    tenancy::TenantAdmin& tenants;
    tenancy::Directory& directory; ///< settings of a tenant, cached in memory
    outbound_webhooks::Api& webhooks;
    crypto::Keyring const& keyring;       ///< seals the settings' secrets
    PurchasesApi& purchases_api;          ///< its requests block the thread, so call it on `upstream`
    core::ThreadPool& upstream;           ///< threads for requests to the purchases provider
    core::KeyedLimiter& upstream_limiter; ///< limits a tenant's share of these threads; keyed by tenant id
    EventMetrics& event_metrics;
    std::string const& payments_signature_header; ///< PAYMENTS_SIGNATURE_HEADER
    core::Clock const& clock;
    observe::Logger& logger;
};

} // namespace billing
