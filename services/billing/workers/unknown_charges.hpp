#pragma once

#include "core/clock.hpp"
#include "crypto/keyring.hpp"
#include "jobs/worker.hpp"
#include "observe/log.hpp"
#include "providers/payments_api.hpp"

namespace pg {
class Database;
}

/// Asks the payments provider for the invoices of refunds and lost disputes whose purchase is unknown
/// (ingest/unknown_charges.hpp).
namespace billing::unknown_charges {

/// Dependencies of the worker; all outlive it.
struct Deps {
    pg::Database& db;
    PaymentsApi const& api;
    crypto::Keyring const& keyring;
    core::Clock const& clock;
    observe::Logger& logger;
};

/// After so many failed attempts, the event stays skipped. The attempts take about three days.
inline constexpr unsigned max_attempts = 80;

/// For ServiceBase::add_worker.
jobs::WorkerOptions worker_options();
jobs::Handler handler(Deps deps);

} // namespace billing::unknown_charges
