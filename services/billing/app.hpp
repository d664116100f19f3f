#pragma once

#include "config.hpp"
#include "core/places.hpp"
#include "core/workers.hpp"
#include "deps.hpp"
#include "metrics.hpp"
#include "providers/purchases_api.hpp"
#include "service/platform.hpp"
#include "service/run.hpp"

#include <string>
#include <vector>

namespace billing {

/// The tables of this service.
pg::Component const& migrations();

/// Everything the service consists of, in construction order.
class App final : public service::Platform {
public:
    App(Config const& config, service::Runtime const& runtime);

    /// The schema: the libraries' parts, then the service's own.
    static std::vector<pg::Component const*> components();

private:
    void add_work(unsigned archive_months);

    std::string const payments_signature_header_;
    PurchasesApi purchases_api_;
    core::Workers upstream_;
    core::Places upstream_places_;
    EventMetrics events_;
    Hot hot_;
    Deps deps_;
};

/// What main() says about the service.
service::Definition definition();

} // namespace billing
