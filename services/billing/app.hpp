#pragma once

#include "batchers.hpp"
#include "config.hpp"
#include "core/keyed_limiter.hpp"
#include "core/thread_pool.hpp"
#include "definition.hpp"
#include "deps.hpp"
#include "ingest/ingestor.hpp"
#include "metrics.hpp"
#include "providers/payments_api.hpp"
#include "providers/purchases_api.hpp"
#include "service/service_base.hpp"

#include <string>
#include <vector>

namespace billing {

/// The migrations of this service's own tables.
pg::Component const& migrations();

/// Owns all parts of the service, in construction order.
class App final : public service::ServiceBase {
public:
    App(Config const& config, service::Runtime const& runtime);

    /// All schema components in order: the libraries' first, then the service's own.
    static std::vector<pg::Component const*> components();

private:
    void add_user_data();
    void add_work(unsigned archive_months);

    std::string const payments_signature_header_;
    PurchasesApi purchases_api_;
    PaymentsApi payments_api_;
    core::ThreadPool upstream_;
    core::KeyedLimiter upstream_limiter_;
    EventMetrics event_metrics_;
    Batchers batchers_;
    ingest::Ingestor ingestor_;
    Deps deps_;
};

} // namespace billing
