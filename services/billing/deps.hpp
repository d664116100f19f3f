#pragma once

#include "service/forward_declarations.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace billing::ingest {
class Ingestor;
}

namespace billing {

namespace asio = boost::asio;

struct Batchers;    // batchers.hpp
class EventMetrics; // metrics.hpp
class PaymentsApi;  // providers/payments_api.hpp
class PurchasesApi; // providers/purchases_api.hpp

/// The dependencies of the handlers. The App owns all of them and outlives the handlers.
struct Deps {
    pg::Database& db;
    Batchers& batchers;
    ingest::Ingestor& ingestor;
    auth::ApiKeys& keys;
    tenancy::TenantAdmin& tenants;
    user_data::UserData& users;
    tenancy::Directory& directory; ///< settings of a tenant, cached in memory
    outbound_webhooks::Api& webhooks;
    crypto::Keyring const& keyring;       ///< seals the settings' secrets
    PurchasesApi& purchases_api;          ///< its requests block the thread, so call it on `upstream`
    PaymentsApi& payments_api;            ///< likewise
    core::ThreadPool& upstream;           ///< threads for requests to the providers
    core::KeyedLimiter& upstream_limiter; ///< limits a tenant's share of these threads; keyed by tenant id
    EventMetrics& event_metrics;
    std::string const& payments_signature_header; ///< PAYMENTS_SIGNATURE_HEADER
    core::Clock const& clock;
    observe::Logger& logger;
};

} // namespace billing
